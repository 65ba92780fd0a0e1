// Following: tells every event of a driven run as it is committed, by whichever process.
import { Effect, Ref, Stream } from "effect"
import { convergeRun } from "../core/converge/ConvergeRun.ts"
import { beginning, type Head } from "../core/log/Head.ts"
import type { StreamKind, Tagged } from "../core/log/StreamKind.ts"
import type { RunRef } from "../core/run/Refs.ts"
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

interface Place {
  readonly run: RunRef
  readonly review: Head
  readonly converge: Head
}

/** Where the logs of runs have been told to; null before the first run is known. */
export const unfollowed = Ref.make<Place | null>(null)

/** Follows another run from its beginning. */
export const follow = (place: Ref.Ref<Place | null>, run: RunRef) =>
  Ref.update(place, (now) => now?.run.runId === run.runId ? now : { run, review: beginning, converge: beginning })

/** Writes what has been committed since the last time. */
export const tellOn = Effect.fn("Following.tellOn")(function*(place: Ref.Ref<Place | null>) {
  const now = yield* Ref.get(place)
  if (now === null) return
  const review = yield* told(reviewRun, now.run, now.review)
  const converge = yield* told(convergeRun, now.run, now.converge)
  yield* (yield* Output).write(review.text + converge.text)
  yield* Ref.set(place, { run: now.run, review: review.head, converge: converge.head })
})

/** Writes every event until it is interrupted. */
export const tellAll = (place: Ref.Ref<Place | null>) =>
  Effect.forever(Effect.andThen(tellOn(place), Effect.sleep(lookEvery)))
