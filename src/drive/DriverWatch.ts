// DriverWatch: a driver's stream, read on from look to look.
import { Effect, Stream } from "effect"
import { underWay } from "../agent/State.ts"
import type { DrivenState, DriverState } from "./State.ts"
import type { StreamKind, TaggedEvent } from "../log/StreamKind.ts"
import type { RunRef } from "../log/Refs.ts"
import { Drivers } from "./DriverLock.ts"
import { recovered } from "../platform/Note.ts"
import { placeAfter, walkLog, type WalkPlace } from "../log/Walk.ts"

/**
 * Reads the stream of a driver, on from where an earlier look ended; null if it is missing. Never fails: of a
 * damaged or unreadable stream, the part before the damage counts.
 */
export const driverSeen = Effect.fn("DriverWatch.driverSeen")(
  function*<E extends TaggedEvent, S>(kind: StreamKind<E, S>, run: RunRef, before: WalkPlace<S> | null = null) {
    let seen = before
    yield* walkLog(kind, run, before === null ? {} : { from: before }).pipe(
      Stream.runForEachArray((steps) =>
        Effect.sync(() => {
          for (const step of steps) seen = placeAfter(step)
        })
      ),
      Effect.catchTag("LogMissing", () => Effect.void),
      Effect.tapError(recovered("of the driver's stream, what can be read counts")),
      Effect.ignore
    )
    return seen
  }
)

/** Whether the last driver of a run is at work: it has recorded no end, and drives the target. */
export const isAtWork = Effect.fn("DriverWatch.isAtWork")(function*(run: RunRef, last: DriverState | null) {
  if (last === null || last.outcome !== null) return false
  return (yield* (yield* Drivers).present(run)) === last.pid
})

/** Whether an agent of a run works or waits to be started again, a test runs, or its driver is at work. */
export const isWorkedOn = Effect.fn("DriverWatch.isWorkedOn")(function*(run: RunRef, state: DrivenState) {
  const { agents, drivers, tests } = state
  return underWay(agents).length > 0 || tests.some(({ standing }) => standing._tag === "Running") ||
    (yield* isAtWork(run, drivers.at(-1) ?? null))
})
