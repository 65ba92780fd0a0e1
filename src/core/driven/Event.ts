// Event: the facts that the streams of all drivers share: who drives, the agents, the project's tests, the budgets.
// A released event is never renamed or removed.
import { Schema } from "effect"
import { taskEvents } from "../agent/TaskEvent.ts"
import { Digest, LongText, Ordinal } from "../run/Event.ts"
import { Identity } from "../run/Identity.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const round = { round: Ordinal }

/** What a run is limited in. */
export const Budget = Schema.Literals(["rounds", "time", "tokens"])
export type Budget = typeof Budget.Type

/** The events, for the union of a driver's stream. Documented one by one in docs/events.md. */
export const drivenEvents = {
  ...taskEvents,
  /** A driver took the run, and left it. `outcome` is the header in which it ended. */
  DriverStarted: { driver: Schema.String, pid: Ordinal },
  DriverEnded: { driver: Schema.String, outcome: Schema.String },
  /** `stop` asked whoever drives the run to end. */
  StopAsked: {},
  /** A test is about to run: one line of the shell. `round` is 0 for those outside of rounds. */
  TestStarted: {
    test: Ordinal,
    id: Schema.String,
    round: Count,
    command: Schema.String,
    /** What the worktree held before it. */
    before: Schema.optionalKey(Identity)
  },
  /** It ended. `exit` is null where it was killed for its time. `content` is what the worktree held after it. */
  TestFinished: { test: Ordinal, exit: Schema.NullOr(Count), output: Digest, content: Identity },
  /** It was ended, or its end was lost: it says nothing. */
  TestStopped: { test: Ordinal, cause: Schema.Literals(["Interrupt", "Stop", "Superseded", "Lost"]) },
  /** The worktree was put back to a snapshot, because the round's tests stayed red. */
  WorktreeRestored: { ...round, snapshot: Ordinal },
  /** The round's work was committed, or git refused to: then `commit` is null and `output` says why. */
  FixesCommitted: { ...round, agent: Ordinal, commit: Schema.NullOr(Schema.String), output: LongText },
  /** Four fifths of a budget are used. */
  BudgetWarned: { budget: Budget, used: Count, limit: Ordinal }
} as const

/** The union of these events alone. */
export const DrivenEvent = Schema.TaggedUnion(drivenEvents)
export type DrivenEvent = typeof DrivenEvent.Type
export type DrivenEventOf<Tag extends DrivenEvent["_tag"]> = Extract<DrivenEvent, { readonly _tag: Tag }>
