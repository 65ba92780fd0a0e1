// Follow: writes every event of a driven run as it is committed, by this process or another.
import { Effect, Ref, Schema, Stream } from "effect"
import { convergeRun } from "./converge/State.ts"
import { beginning, type Head, type StreamKind, type TaggedEvent } from "../log/StreamKind.ts"
import { planRun } from "./plan/State.ts"
import { type RunRef, sameRun } from "../log/Refs.ts"
import { reviewRun } from "../run/ReviewRun.ts"
import { documentText, LoggedEventFields, runName } from "../run/Document.ts"
import { isPlanRun } from "../run/RunKind.ts"
import { EventLog } from "../log/EventLog.ts"
import { recovered } from "../platform/Note.ts"
import { Output, PlainOutput } from "../platform/Process.ts"

// Milliseconds between two looks at the logs.
const lookEvery = 250

/** A line of `--events`: an event as the log has it (docs/events.md), and where it is. */
export class FollowedEvent extends Schema.Class<FollowedEvent>("FollowedEvent")(LoggedEventFields) {}

/** The lines of a log after a head, as JSONL, and the head after them. An unreadable log is tried again later. */
const linesAfter = <E extends TaggedEvent, S>(
  kind: StreamKind<E, S>,
  run: RunRef,
  after: Head
) =>
  EventLog.use((log) => log.stream(kind, run, after).pipe(Stream.runCollect)).pipe(
    Effect.map((parts) => ({
      head: parts.at(-1)?.head ?? after,
      text: parts.flatMap(({ lines }) => lines).flatMap(({ at, events, seq }) =>
        events.map((event, index) =>
          documentText(FollowedEvent, { run: runName(run), stream: kind.kind, seq, index, at, event })
        )
      ).join("")
    })),
    Effect.tapError(recovered("a log is followed later")),
    Effect.orElseSucceed(() => ({ head: after, text: "" }))
  )

interface FollowedLog {
  readonly run: RunRef
  readonly head: Head
  readonly on: (after: Head) => ReturnType<typeof linesAfter>
}

type FollowedLogs = Ref.Ref<ReadonlyArray<FollowedLog>>

/** No log is followed yet. */
export const unfollowed: Effect.Effect<FollowedLogs> = Ref.make<ReadonlyArray<FollowedLog>>([])

const begin = <E extends TaggedEvent, S>(kind: StreamKind<E, S>, run: RunRef): FollowedLog => ({
  run,
  head: beginning,
  on: (after) => linesAfter(kind, run, after)
})

/** Follows the logs of one more run from their beginning: its own log, and its driver's in a review run. */
export const follow = (logs: FollowedLogs, run: RunRef) =>
  Ref.update(logs, (now) => {
    if (now.some((one) => sameRun(one.run, run))) return now
    if (isPlanRun(run)) return [...now, begin(planRun, run)]
    return [...now, begin(reviewRun, run), begin(convergeRun, run)]
  })

/** Writes what has been committed since the last time. */
export const writeNew = Effect.fn("Follow.writeNew")(function*(logs: FollowedLogs) {
  const all = yield* Effect.forEach(yield* Ref.get(logs), ({ head, on }) => on(head))
  const output = (yield* PlainOutput) ?? (yield* Output)
  yield* output.write(all.map(({ text }) => text).join(""))
  // A log that was added meanwhile keeps its place.
  yield* Ref.update(logs, (now) => now.map((one, i) => ({ ...one, head: all[i]?.head ?? one.head })))
})

/** Writes every event until it is interrupted. */
export const writeAll = (logs: FollowedLogs) => Effect.forever(Effect.andThen(writeNew(logs), Effect.sleep(lookEvery)))
