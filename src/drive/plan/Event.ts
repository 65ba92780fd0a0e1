// Event: the facts of a plan run: cycles of work on the tasks of a plan, what was reviewed, and what was accepted.
// A released event is never renamed or removed.
import { Schema } from "effect"
import { PlanReview } from "../../agent/PlanReview.ts"
import { drivenEvents } from "../State.ts"
import { Digest, LongText, Ordinal, SeenHead } from "../../run/Event.ts"
import { Identity } from "../../run/Identity.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const cycle = { cycle: Ordinal }

/** A task of a plan, by its index from 0, and the title that it had then. */
export const NamedTask = Schema.Struct({ index: Count, title: Schema.String })
export type NamedTask = typeof NamedTask.Type

/** An issue that was dropped, because it belongs to a task that is still pending. `quote` is from that task. */
export const Dropped = Schema.Struct({ issue: Schema.String, task: Count, quote: Schema.String })
export type Dropped = typeof Dropped.Type

/** Why the work of a cycle was accepted: the review found nothing, or nothing that belongs to these tasks. */
export const AcceptCause = Schema.Literals(["Acceptable", "OutOfScope"])
export type AcceptCause = typeof AcceptCause.Type

/**
 * Why a cycle is over: its tasks are marked; the fixes are used up; its tests stay red; a result was rejected;
 * protected files were changed; a fix brought back what a review had refused; the code was changed while it was
 * reviewed, again and again; or the plan's tasks were changed meanwhile.
 */
export const CycleCause = Schema.Literals([
  "Marked",
  "Limit",
  "TestsRed",
  "Rejected",
  "Protected",
  "Circle",
  "Moved",
  "PlanChanged"
])
export type CycleCause = typeof CycleCause.Type

/** The union of facts. Documented one by one in docs/events.md. */
export const PlanEvent = Schema.TaggedUnion({
  /** The first line: the plan that is worked on, and where. */
  PlanStarted: { runId: Schema.String, nonce: Schema.String, plan: Schema.String, worktree: Schema.String },
  ...drivenEvents,
  /** Work on some tasks began. `content` is what the worktree held then. */
  CycleStarted: { ...cycle, plan: Digest, tasks: Schema.Array(NamedTask), content: Identity },
  /** An agent that may write is done. `tasks` are those that it says are done now, where it was asked for that. */
  WorkTaken: {
    ...cycle,
    agent: Ordinal,
    tasks: Schema.Array(Count),
    problems: Schema.Array(Schema.String),
    protectedFiles: Schema.Array(Schema.String)
  },
  /** A review was read. `round` is 0 for the first one, and then the number of the fix before it. */
  CodeReviewed: {
    ...cycle,
    round: Count,
    agent: Ordinal,
    verdict: PlanReview.fields.verdict,
    issues: PlanReview.fields.issues,
    problems: Schema.Array(Schema.String),
    review: LongText,
    content: Identity
  },
  /** What is to be fixed of a review, and which of its issues belong to tasks that are still pending. */
  ReviewAnalysed: {
    ...cycle,
    agent: Ordinal,
    needsFixes: Schema.Boolean,
    instructions: LongText,
    dropped: Schema.Array(Dropped),
    problems: Schema.Array(Schema.String)
  },
  CycleAccepted: { ...cycle, because: AcceptCause, content: Identity },
  /** The plan's file says that these tasks are done; `plan` is its digest then. */
  TasksMarked: { ...cycle, tasks: Schema.Array(Count), plan: Digest },
  /** The last review was written into the plan's file, because the fixes are used up. */
  UnresolvedWritten: { ...cycle, plan: Digest },
  CycleClosed: { ...cycle, because: CycleCause },
  /**
   * The plan's code was converged by the run `run`, which ended in the header `outcome`; `head` is the last line of its
   * log that had been read then. Earlier versions did not record it.
   */
  PlanConverged: { run: Schema.String, outcome: Schema.String, head: Schema.optionalKey(SeenHead) }
})
export type PlanEvent = typeof PlanEvent.Type
export type PlanEventOf<Tag extends PlanEvent["_tag"]> = Extract<PlanEvent, { readonly _tag: Tag }>
