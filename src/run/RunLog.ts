// RunLog: the lines of a review run's log. A process that works on one run for long reads each line once.
import { Context, Effect, Ref } from "effect"
import { EventLog, type LogContents } from "../log/EventLog.ts"
import { type RunRef, sameRun } from "../log/Refs.ts"
import type { Event } from "./Event.ts"
import { reviewRun } from "./ReviewRun.ts"

interface LastRead {
  readonly ref: RunRef
  readonly contents: LogContents<Event>
}

/** The log that was read last, in a process that keeps it; null if each read is of the whole log. */
const KeptLog = Context.Reference<Ref.Ref<LastRead | null> | null>("ooda-codex-review/run/KeptLog", {
  defaultValue: () => null
})

/** Keeps the log of the run being worked on, so that each read continues where the last one ended. */
export const keepingLog = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.provideServiceEffect(work, KeptLog, Ref.make<LastRead | null>(null))

/** Reads the log of a review run. A kept log that no longer matches is read from the beginning. */
export const readRunLog = Effect.fn("RunLog.readRunLog")(function*(ref: RunRef) {
  const log = yield* EventLog
  const kept = yield* KeptLog
  const before = kept === null ? null : yield* Ref.get(kept)
  const whole = log.read(reviewRun, ref)
  const contents = before === null || !sameRun(before.ref, ref)
    ? yield* whole
    : yield* Effect.catch(
      Effect.map(log.readFrom(reviewRun, ref, before.contents.head), (more): LogContents<Event> => ({
        ...more,
        commits: [...before.contents.commits, ...more.commits]
      })),
      () => whole
    )
  if (kept !== null) yield* Ref.set(kept, { ref, contents })
  return contents
})
