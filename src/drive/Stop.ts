// Stop: waiting for and ending what a driver runs.
import { Context, Effect, Fiber, Schedule } from "effect"
import { stopAgents } from "../agent/Attempt.ts"
import { underWay } from "../agent/State.ts"
import { commitDriver, type Driver, type DriverStream, refreshDriver, transactDriver } from "../agent/TaskLog.ts"
import { readConverge } from "./converge/State.ts"
import type { RunRef } from "../log/Refs.ts"
import type { TaggedEvent } from "../log/StreamKind.ts"
import { isPlanRun } from "../run/RunKind.ts"
import { type SignalName, Signals } from "../platform/Process.ts"
import { Drivers, isAtWork } from "./DriverLock.ts"
import type { DrivenEvent, DrivenState, DriverState } from "./State.ts"
import { runningTests, stopTests } from "./TestRuns.ts"
import type { Drive } from "./Drive.ts"
import { readPlan } from "./plan/State.ts"

// Waits for work that goes on without this process, until a signal ends the waiting.

/** The first signal since the driver began to listen. Without a listener no signal comes. */
const FirstSignal = Context.Reference<Effect.Effect<SignalName>>("ooda-codex-review/drive/FirstSignal", {
  defaultValue: () => Effect.never
})

/** Listens for signals during all of the work, so that none is missed between two waits. */
export const hearingSignals = Effect.fnUntraced(
  function*<A, E, R>(work: Effect.Effect<A, E, R>) {
    const { asked } = yield* Signals
    const first = yield* Effect.forkScoped(asked, { startImmediately: true })
    return yield* Effect.provideService(work, FirstSignal, Fiber.join(first))
  },
  Effect.scoped
)

/** Waits for work or a signal, and says which came first. */
export const waitFor = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(FirstSignal, (signal) => Effect.raceFirst(work, signal))

/** Whether a signal ended the waiting. */
export const isSignal = (ended: unknown): ended is SignalName =>
  ended === "SIGINT" || ended === "SIGTERM" || ended === "SIGHUP"

/** The work with all that was committed while it was waited for. */
export const caughtUp = Effect.fn("Stop.caughtUp")(
  function*<S extends DrivenState, X extends TaggedEvent, D>(drive: D & Drive<S, X>) {
    return { ...drive, driver: yield* refreshDriver(drive.driver) }
  }
)

// Milliseconds between two looks at what another process does.
const lookEvery = 250

/** Interrupts work once `stop` asks the driver to end: then null. For work that only the driver itself can end. */
export const unlessStopped = <S extends DrivenState, X extends TaggedEvent, D, A, E, R>(
  { driver }: D & Pick<Drive<S, X>, "driver">,
  work: Effect.Effect<A, E, R>
) => {
  const stopAsked = Effect.delay(refreshDriver(driver), lookEvery).pipe(
    Effect.repeat({ until: ({ state }) => state.stopAsked }),
    Effect.as(null)
  )
  return Effect.raceFirst(work, stopAsked)
}

/** Ends the agents and the tests of a run; what they have changed stays. */
export const stopWork = Effect.fn("Stop.stopWork")(
  function*<S extends DrivenState, X extends TaggedEvent, D>(
    drive: D & Drive<S, X>,
    cause: "Interrupt" | "Superseded"
  ) {
    return { ...drive, driver: yield* stopTests(yield* stopAgents(drive.driver, cause), cause) }
  }
)

// Ends what the driver of a run has under way: its tests, its agents, and the driver itself.

/**
 * How many there were of each. `driver`: the one that has recorded no end; null for none. `lives`: whether it was
 * at work, and not killed before.
 */
export interface StoppedDriven {
  readonly agents: number
  readonly tests: number
  readonly driver: DriverState | null
  readonly lives: boolean
}

const nothing: StoppedDriven = { agents: 0, tests: 0, driver: null, lives: false }

const present = ({ state: { drivers } }: DriverStream<DrivenState>): DriverState | null => {
  const last = drivers.at(-1)
  return last?.outcome === null ? last : null
}

/** Asks the driver to end. This is recorded first, so that the driver starts nothing in place of what is stopped. */
const askToEnd = <S extends DrivenState, X extends TaggedEvent>(driver: Driver<S, DrivenEvent | X>) =>
  transactDriver(
    driver,
    (now) =>
      present(now) !== null && !now.state.stopAsked ? commitDriver(now, [{ _tag: "StopAsked" }]) : Effect.succeed(now)
  )

const stopped = Effect.fnUntraced(
  function*<S extends DrivenState, X extends TaggedEvent>(found: Driver<S, DrivenEvent | X>) {
    const driver = present(found)
    const lives = yield* isAtWork(found.ref, driver)
    const asked = yield* askToEnd(found)
    const agents = underWay(asked.state.agents).length
    const tests = runningTests(asked).length
    yield* stopTests(yield* stopAgents(asked, "Stop"), "Stop")
    return { agents, tests, driver, lives } satisfies StoppedDriven
  }
)

// Milliseconds that a driver has to end: more than git gets to remove its lock files.
const patience = 15_000

/** Waits for the end of a driver that was asked to. Whether it still works after a while. */
export const outlives = Effect.fn("Stop.outlives")(function*(run: RunRef, { driver, lives }: StoppedDriven) {
  const { present } = yield* Drivers
  return lives && (yield* present(run).pipe(
        Effect.repeat({
          while: (pids) => driver !== null && pids.includes(driver.pid),
          schedule: Schedule.spaced(lookEvery)
        }),
        Effect.timeoutOption(patience)
      ))._tag === "None"
})

/** Ends the tests and agents of a run of either kind, and asks its driver to end. */
export const stopDriven = Effect.fn("Stop.stopDriven")((run: RunRef) =>
  (isPlanRun(run)
    ? Effect.flatMap(readPlan(run), stopped)
    : Effect.flatMap(readConverge(run), stopped)).pipe(
      Effect.catchTag(["LogMissing", "NoSuchRun"], () => Effect.succeed(nothing))
    )
)
