// ApplyMark: applies a side-effect flag to an opened run: decide, then commit one line.
// The outcome and the transition of a mark are one line, and nothing is printed before it is durable.
import { Effect } from "effect"
import { decideMark, type Mark } from "../core/loop/Mark.ts"
import { underWay } from "../core/run/Batch.ts"
import type { Event, LongText } from "../core/run/Event.ts"
import type { Level } from "../core/run/Level.ts"
import type * as EndReviews from "../ooda/EndReviews.ts"
import { commit, type Run, transact } from "../runs/Run.ts"
import { RunStore } from "../services/RunStore.ts"

/** What ends reviewers. Few marks need it, and it brings all that judges reviews: a program may load it only then. */
export type Ending = Effect.Effect<typeof EndReviews>

// A line of the log holds at most 64 KiB; a text from the command line may be longer and then lives in a file.
const inlineCharacters = 4_000

/** The text as it is stored: whole, or its beginning with the digest of the file that holds all of it. */
const stored = Effect.fnUntraced(function*(run: Run, long: LongText) {
  if (long.text.length <= inlineCharacters) return long
  const rest = yield* (yield* RunStore).keepText(run.ref, long.text)
  return { text: long.text.slice(0, inlineCharacters), rest } satisfies LongText
})

const storable = Effect.fnUntraced(function*(run: Run, event: Event) {
  if (event._tag === "AddressFailed") return { ...event, details: yield* stored(run, event.details) } satisfies Event
  if (event._tag !== "LevelOutcomeRecorded" || event.outcome._tag !== "RetrospectiveChanges") return event
  return { ...event, outcome: { ...event.outcome, reason: yield* stored(run, event.outcome.reason) } } satisfies Event
})

/** Whether a mark leaves a batch of which something is under way. */
const leavesReviews = ({ manifest }: Run, mark: Mark, ceiling: Level): boolean =>
  underWay(manifest.batch).length > 0 &&
  decideMark(manifest, mark, ceiling).events.some(({ _tag }) => _tag === "BatchOpened")

const applyOnce = Effect.fnUntraced(function*(read: Run, mark: Mark, ceiling: Level, ending: Ending) {
  const reviews = leavesReviews(read, mark, ceiling) ? yield* ending : null
  const run = reviews === null ? read : yield* reviews.takeIn(read)
  const { events, line, outcome } = decideMark(run.manifest, mark, ceiling)
  if (events.length === 0) return { line, outcome, run }
  const facts = yield* Effect.forEach(events, (event) => storable(run, event))
  return { line, outcome, run: yield* reviews === null ? commit(run, facts) : reviews.end(run, "Mark", facts) }
})

/**
 * Applies a side-effect flag to a run. A batch that the mark leaves undecided has its reviewers ended and recorded. A
 * lost race is decided again from what won; a `pinned` mark was meant for exactly this head and fails with
 * LogConflict instead. Returns the resolution line, the outcome and the run.
 */
export const applyMark = Effect.fn("ApplyMark.applyMark")(
  function*(run: Run, mark: Mark, ceiling: Level, ending: Ending, pinned: boolean) {
    const once = (read: Run) => applyOnce(read, mark, ceiling, ending)
    return yield* pinned ? once(run) : transact(run, once)
  }
)
