// DriverWatch: a driver's stream, read on from look to look.
import { Effect, Stream } from "effect"
import { underWay } from "../agent/State.ts"
import type { DrivenEvent, DrivenState, DriverState } from "./State.ts"
import type { StreamKind, TaggedEvent } from "../log/StreamKind.ts"
import type { RunRef } from "../log/Refs.ts"
import { Drivers } from "./DriverLock.ts"
import { recovered } from "../platform/Note.ts"
import { walkLog, type WalkPlace, type WalkStep } from "../log/Walk.ts"

// The stream of a driver, read on from look to look: what it folds to, and since when its work runs.

/**
 * How far the stream of a driver has been read, and when each agent was last started, and each test, in epoch
 * milliseconds.
 */
export interface DriverSeen<S> extends WalkPlace<S> {
  readonly since: ReadonlyMap<number, number>
  readonly testsSince: ReadonlyMap<number, number>
}

type Begun = Extract<DrivenEvent, { readonly _tag: "AgentStarted" | "TestStarted" }>

const isBegun = <Tag extends Begun["_tag"]>(
  event: TaggedEvent | null,
  tag: Tag
): event is Extract<Begun, { readonly _tag: Tag }> => event?._tag === tag

const further = <E extends TaggedEvent, S>(seen: DriverSeen<S> | null, step: WalkStep<E, S>): DriverSeen<S> => {
  const since = seen?.since ?? new Map<number, number>()
  const testsSince = seen?.testsSince ?? new Map<number, number>()
  if (step._tag === "End") return { ...step.place, since, testsSince }
  const { after, happenings, line } = step
  const at = Date.parse(line.at)
  const agents = happenings.flatMap(({ event }) => isBegun(event, "AgentStarted") ? [event.agent] : [])
  const tests = happenings.flatMap(({ event }) => isBegun(event, "TestStarted") ? [event.test] : [])
  return {
    head: { seq: line.seq, hash: line.hash },
    walked: after,
    since: agents.reduce((times, agent) => new Map(times).set(agent, at), since),
    testsSince: tests.reduce((times, test) => new Map(times).set(test, at), testsSince)
  }
}

/**
 * Reads the stream of a driver, on from where an earlier look ended; null where no stream is. Never fails: where it is
 * damaged or cannot be read, what comes before counts.
 */
export const driverSeen = Effect.fn("DriverWatch.driverSeen")(
  function*<E extends TaggedEvent, S>(kind: StreamKind<E, S>, run: RunRef, before: DriverSeen<S> | null = null) {
    let seen = before
    yield* walkLog(kind, run, before === null ? {} : { from: before }).pipe(
      Stream.runForEachArray((steps) =>
        Effect.sync(() => {
          for (const step of steps) seen = further(seen, step)
        })
      ),
      Effect.catchTag("LogMissing", () => Effect.void),
      Effect.tapError(recovered("of the driver's stream, what can be read counts")),
      Effect.ignore
    )
    return seen
  }
)

/** Whether the last driver of a run is at work: it has not told its end, and drives the target. */
export const isAtWork = Effect.fn("DriverWatch.isAtWork")(function*(run: RunRef, last: DriverState | null) {
  if (last === null || last.outcome !== null) return false
  return (yield* (yield* Drivers).present(run)) === last.pid
})

/** Whether an agent of a run works, or waits to be started again, or a test runs, or somebody drives it. */
export const isWorkedOn = Effect.fn("DriverWatch.isWorkedOn")(function*(run: RunRef, state: DrivenState) {
  const { agents, drivers, tests } = state
  return underWay(agents).length > 0 || tests.some(({ standing }) => standing._tag === "Running") ||
    (yield* isAtWork(run, drivers.at(-1) ?? null))
})
