// ApplyMark: side-effect mode: load, fold, decide the mark, append one line.
// The one rule: the outcome and the transition of a mark are one line, and nothing is printed before it is durable.
import { Effect } from "effect"
import type { Event, LongText } from "../core/run/Event.ts"
import type { Level } from "../core/run/Level.ts"
import { decideMark, type Mark } from "../core/loop/Mark.ts"
import { takeInEnded } from "../ooda/Leave.ts"
import { commit, refresh, type Run } from "../runs/Run.ts"
import { RunStore } from "../services/RunStore.ts"
import { commitEnd, stopEvents } from "../ooda/Stop.ts"

// The pure decision beside the effect, so that programs find both under one name.
export { decideMark as decide, Mark, type MarkDecision } from "../core/loop/Mark.ts"

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

const applyOnce = Effect.fnUntraced(function*(read: Run, mark: Mark, ceiling: Level) {
  const leaves = decideMark(read.manifest, mark, ceiling).events.some((event) => event._tag === "BatchOpened")
  const run = leaves ? yield* takeInEnded(read) : read
  const { events, line, outcome } = decideMark(run.manifest, mark, ceiling)
  if (events.length === 0) return { line, outcome, run }
  const stops = leaves ? stopEvents(run, "Mark") : []
  const facts = yield* Effect.forEach(events, (event) => storable(run, event))
  return { line, outcome, run: yield* (leaves ? commitEnd : commit)(run, [...stops, ...facts]) }
})

/**
 * Applies a side-effect flag to a run. A lost race is decided again from what won. A batch that the mark leaves
 * undecided has its reviewers stopped and recorded. Returns the resolution line, the outcome and the run. A
 * `pinned` mark was meant for exactly this head: it fails with LogConflict instead of being decided again.
 */
export const apply = Effect.fn("Mark.apply")(function*(run: Run, mark: Mark, ceiling: Level, pinned = false) {
  let current = run
  while (true) {
    const applied = yield* applyOnce(current, mark, ceiling).pipe(
      Effect.catchTag("LogConflict", (conflict) => pinned ? Effect.fail(conflict) : Effect.succeed(null))
    )
    if (applied !== null) return applied
    current = yield* refresh(current)
  }
})
