// Follow: every event of a driven run, as committed.
import { Effect, Ref, Stream } from "effect"
import { convergeRun } from "./converge/State.ts"
import { beginning, type Head, type StreamKind, type TaggedEvent } from "../log/StreamKind.ts"
import { planRun } from "./plan/State.ts"
import { type RunRef, sameRun } from "../log/Refs.ts"
import { reviewRun } from "../run/ReviewRun.ts"
import { jsonText } from "../text/Json.ts"
import { EventLog } from "../log/EventLog.ts"
import { recovered } from "../platform/Note.ts"
import { Output } from "../platform/Process.ts"

// Writes every event of a driven run as it is committed, by whichever process.

// Milliseconds between two looks at the logs.
const lookEvery = 250

/** The lines of a log after a head, as JSONL, and the head after them. What cannot be read now comes later. */
const linesAfter = <E extends TaggedEvent, S>(kind: StreamKind<E, S>, run: RunRef, after: Head) =>
  EventLog.use((log) => log.stream(kind, run, after).pipe(Stream.runCollect)).pipe(
    Effect.map((parts) => ({
      head: parts.at(-1)?.head ?? after,
      text: parts.flatMap(({ lines }) => lines).flatMap(({ at, events, seq }) =>
        events.map((event, index) => `${jsonText({ schema: 1, stream: kind.kind, seq, index, at, event })}\n`)
      ).join("")
    })),
    Effect.tapError(recovered("a log is followed later")),
    Effect.orElseSucceed(() => ({ head: after, text: "" }))
  )

/** A log that is followed, and how far. */
interface FollowedLog {
  readonly head: Head
  readonly on: (after: Head) => ReturnType<typeof linesAfter>
}

interface Place {
  readonly run: RunRef
  readonly logs: ReadonlyArray<FollowedLog>
}

/** The kinds of logs that a run may have. */
type LogsOf = (run: RunRef) => Place

const begin = <E extends TaggedEvent, S>(kind: StreamKind<E, S>, run: RunRef): FollowedLog => ({
  head: beginning,
  on: (after) => linesAfter(kind, run, after)
})

/** The logs of a review run and of its driver. */
export const reviewLogs: LogsOf = (run) => ({ run, logs: [begin(reviewRun, run), begin(convergeRun, run)] })

/** The log of a plan run. */
export const planLogs: LogsOf = (run) => ({ run, logs: [begin(planRun, run)] })

/** How far the logs of runs have been written. */
export const unfollowed = Ref.make<ReadonlyArray<Place>>([])

/** Follows the logs of one more run from their beginning. */
export const follow = (places: Ref.Ref<ReadonlyArray<Place>>, run: RunRef, logsOf: LogsOf) =>
  Ref.update(places, (now) => now.some((one) => sameRun(one.run, run)) ? now : [...now, logsOf(run)])

const followedOn = Effect.fnUntraced(function*({ logs, run }: Place) {
  const all = yield* Effect.forEach(logs, ({ head, on }) => on(head))
  const now: Place = { run, logs: logs.map((one, i) => ({ ...one, head: all[i]?.head ?? one.head })) }
  return { now, text: all.map(({ text }) => text).join("") }
})

/** Writes what has been committed since the last time. */
export const writeNew = Effect.fn("Follow.writeNew")(function*(places: Ref.Ref<ReadonlyArray<Place>>) {
  const all = yield* Effect.forEach(yield* Ref.get(places), followedOn)
  yield* (yield* Output).write(all.map(({ text }) => text).join(""))
  // A run that is followed since the look began stays.
  yield* Ref.update(places, (now) => now.map((one, i) => all[i]?.now ?? one))
})

/** Writes every event until it is interrupted. */
export const writeAll = (places: Ref.Ref<ReadonlyArray<Place>>) =>
  Effect.forever(Effect.andThen(writeNew(places), Effect.sleep(lookEvery)))
