// Following: tells every event of a driven run as it is committed, by whichever process.
import { Effect, Ref, Stream } from "effect"
import { convergeRun } from "../core/converge/ConvergeRun.ts"
import { beginning, type Head } from "../core/log/Head.ts"
import type { StreamKind, Tagged } from "../core/log/StreamKind.ts"
import { planRun } from "../core/implement/PlanRun.ts"
import { type RunRef, sameRun } from "../core/run/Refs.ts"
import { reviewRun } from "../core/run/ReviewRun.ts"
import { jsonText } from "../core/text/JsonText.ts"
import { EventLog } from "../services/EventLog.ts"
import { recovered } from "../services/Note.ts"
import { Output } from "../services/Output.ts"

// Milliseconds between two looks at the logs.
const lookEvery = 250

/** The lines of a log after a head, as JSONL, and the head after them. What cannot be read now is told later. */
const told = <E extends Tagged, S>(kind: StreamKind<E, S>, run: RunRef, after: Head) =>
  EventLog.use((log) => log.stream(kind, run, after).pipe(Stream.runCollect)).pipe(
    Effect.map((parts) => ({
      head: parts.at(-1)?.head ?? after,
      text: parts.flatMap(({ lines }) => lines).flatMap(({ at, events, seq }) =>
        events.map((event, index) => `${jsonText({ stream: kind.kind, seq, index, at, event })}\n`)
      ).join("")
    })),
    Effect.tapError(recovered("a log is told later")),
    Effect.orElseSucceed(() => ({ head: after, text: "" }))
  )

/** A log that is told, and how far. */
interface Told {
  readonly head: Head
  readonly on: (after: Head) => ReturnType<typeof told>
}

interface Place {
  readonly run: RunRef
  readonly logs: ReadonlyArray<Told>
}

/** The kinds of logs that a run may have. */
export type LogsOf = (run: RunRef) => Place

const begin = <E extends Tagged, S>(kind: StreamKind<E, S>, run: RunRef): Told => ({
  head: beginning,
  on: (after) => told(kind, run, after)
})

/** The logs of a review run and of its driver. */
export const reviewLogs: LogsOf = (run) => ({ run, logs: [begin(reviewRun, run), begin(convergeRun, run)] })

/** The log of a plan run. */
export const planLogs: LogsOf = (run) => ({ run, logs: [begin(planRun, run)] })

/** Where the logs of runs have been told to; null before the first run is known. */
export const unfollowed = Ref.make<Place | null>(null)

/** Follows the logs of another run from their beginning. */
export const follow = (place: Ref.Ref<Place | null>, run: RunRef, logsOf: LogsOf) =>
  Ref.update(place, (now) => now !== null && sameRun(now.run, run) ? now : logsOf(run))

/** Writes what has been committed since the last time. */
export const tellOn = Effect.fn("Following.tellOn")(function*(place: Ref.Ref<Place | null>) {
  const now = yield* Ref.get(place)
  if (now === null) return
  const all = yield* Effect.forEach(now.logs, ({ head, on }) => on(head))
  yield* (yield* Output).write(all.map(({ text }) => text).join(""))
  const logs = now.logs.map((one, i) => ({ ...one, head: all[i]?.head ?? one.head }))
  yield* Ref.set(place, { ...now, logs })
})

/** Writes every event until it is interrupted. */
export const tellAll = (place: Ref.Ref<Place | null>) =>
  Effect.forever(Effect.andThen(tellOn(place), Effect.sleep(lookEvery)))
