// ApplyMark: applies a side-effect flag to an opened run: decide, then commit one line.
// The outcome and the transition of a mark are one line, and nothing is printed before it is durable.
import { Effect } from "effect"
import type { Answers } from "../core/loop/Invocation.ts"
import { header } from "../core/loop/Outcome.ts"
import { decideMark, type Mark, type MarkDecision } from "../core/loop/Mark.ts"
import { underWay } from "../core/run/Batch.ts"
import type { Event } from "../core/run/Event.ts"
import type { Level } from "../core/run/Level.ts"
import type { Waiving } from "../ooda/RecordWaivers.ts"
import type * as Reviewing from "../ooda/Reviewing.ts"
import { commit, type Run, runFields, transact } from "../runs/Run.ts"
import type { Judging } from "../runs/Bar.ts"
import { keepLong } from "../runs/KeepLong.ts"
import { strictAnswer } from "./StrictAnswer.ts"
import { note } from "../services/Note.ts"

/** A mark, and the settings it is judged by. On a strict run a recording mark must say which hand-off it answers. */
export interface Marking extends Judging {
  readonly mark: Mark
  readonly answers?: Answers | undefined
  readonly ceiling: Level
  readonly retries: number
  /** The driver that sets the mark; nobody where a person does. */
  readonly driver?: string | undefined
}

/**
 * The module that ends and judges reviews. Few marks need it, and it loads everything that judges reviews, so it is
 * loaded late.
 */
export type Ending = Effect.Effect<typeof Reviewing>

const storable = Effect.fnUntraced(function*(run: Run, event: Event, driver: string | undefined) {
  const by = driver === undefined ? {} : { driver }
  if (event._tag === "AddressFailed") {
    return { ...event, ...by, details: yield* keepLong(run.ref, event.details.text) } satisfies Event
  }
  if (event._tag !== "LevelOutcomeRecorded") return event
  if (event.outcome._tag !== "RetrospectiveChanges") return { ...event, ...by } satisfies Event
  const reason = yield* keepLong(run.ref, event.outcome.reason.text)
  return { ...event, ...by, outcome: { ...event.outcome, reason } } satisfies Event
})

/** The decision on a mark, and on a strict run the batches with issues that it takes for clean ones. */
interface Decided {
  readonly decision: MarkDecision
  readonly waiving: Waiving | null
}

/** The decision on a mark for a run as it was read. */
const decided = Effect.fnUntraced(function*(run: Run, marking: Marking, ending: Ending) {
  const { strict } = run.manifest
  return strict === undefined
    ? { decision: decideMark(run.manifest, marking.mark, marking.ceiling), waiving: null } satisfies Decided
    : yield* strictAnswer(run, strict, marking, ending)
})

/** Whether a mark leaves a batch whose reviewers are still under way. */
const leavesReviews = ({ manifest }: Run, { events }: MarkDecision): boolean =>
  underWay(manifest.batch).length > 0 && events.some(({ _tag }) => _tag === "BatchOpened")

const applyOnce = Effect.fnUntraced(function*(read: Run, marking: Marking, ending: Ending) {
  const first = yield* decided(read, marking, ending)
  const reviews = leavesReviews(read, first.decision) ? yield* ending : null
  const taken = reviews === null ? read : yield* reviews.takeInReadable(read)
  const { decision: { events, line, outcome }, waiving } = reviews === null
    ? first
    : yield* decided(taken, marking, ending)
  yield* note("decided on a mark", {
    mark: marking.mark._tag,
    events: events.map(({ _tag }) => _tag),
    outcome: header(outcome)
  })
  if (events.length === 0) return { line, outcome, run: taken }
  const run = waiving === null ? taken : yield* (yield* ending).recordWaivers(taken, waiving)
  const facts = yield* Effect.forEach(events, (event) => storable(run, event, marking.driver))
  return { line, outcome, run: yield* reviews === null ? commit(run, facts) : reviews.end(run, "Mark", facts) }
}, (self, read) => Effect.annotateLogs(self, runFields(read)))

/**
 * Applies a side-effect flag to a run. Where the mark leaves a batch undecided, its reviewers are ended and that is
 * recorded. When another process commits first, the mark is decided again on the new state. A `pinned` mark is meant
 * for exactly this head and fails with LogConflict instead. Returns the resolution line, the outcome and the run.
 */
export const applyMark = Effect.fn("ApplyMark.applyMark")(
  function*(run: Run, marking: Marking, ending: Ending, pinned: boolean) {
    const once = (read: Run) => applyOnce(read, marking, ending)
    return yield* pinned ? once(run) : transact(run, once)
  }
)
