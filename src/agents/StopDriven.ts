// StopDriven: ends what somebody's driver has under way in a run: its tests, its agents, and the driver itself.
import { Effect } from "effect"
import type { DriverState, DrivenState } from "../core/driven/DrivenState.ts"
import type { Tagged } from "../core/log/StreamKind.ts"
import type { PlanEvent } from "../core/implement/Event.ts"
import { planRun, type PlanState } from "../core/implement/PlanRun.ts"
import type { RunRef, TestRef } from "../core/run/Refs.ts"
import { underWay } from "../core/agent/AgentsState.ts"
import { isAtWork } from "../runs/DriverSeen.ts"
import { Tests } from "../services/Tests.ts"
import { commitDriver, type Driver, type Held, readConverge, readDriver, transactDriver } from "./Driver.ts"
import { stopAgents } from "./StopAgents.ts"

/**
 * How many there were of each. `driver`: who has told no end of its driving; null for nobody. `lives`: whether it was
 * at work, and not killed before.
 */
export interface StoppedDriven {
  readonly agents: number
  readonly tests: number
  readonly driver: DriverState | null
  readonly lives: boolean
}

const nothing: StoppedDriven = { agents: 0, tests: 0, driver: null, lives: false }

const runningTests = ({ ref, state: { tests } }: Held): ReadonlyArray<TestRef> =>
  tests.flatMap(({ standing, started: { id, test } }) => standing._tag === "Running" ? [{ run: ref, test, id }] : [])

const present = ({ state: { drivers } }: Held): DriverState | null => {
  const last = drivers.at(-1)
  return last?.outcome === null ? last : null
}

/** Asks whoever drives to end. It is committed first, so that the driver starts nothing in the place of what ends. */
const askToEnd = <S extends DrivenState, X extends Tagged>(driver: Driver<S, X>) =>
  transactDriver(
    driver,
    (now) =>
      present(now) !== null && !now.state.stopAsked ? commitDriver(now, [{ _tag: "StopAsked" }]) : Effect.succeed(now)
  )

const stopTests = <S extends DrivenState, X extends Tagged>(driver: Driver<S, X>) =>
  transactDriver(
    driver,
    Effect.fnUntraced(function*(now: Driver<S, X>) {
      const running = runningTests(now)
      if (running.length === 0) return now
      yield* (yield* Tests).stop(running)
      return yield* commitDriver(now, running.map(({ test }) => ({ _tag: "TestStopped", test, cause: "Stop" })))
    })
  )

const stopped = Effect.fnUntraced(function*<S extends DrivenState, X extends Tagged>(found: Driver<S, X>) {
  const driver = present(found)
  const lives = yield* isAtWork(found.ref, driver)
  const asked = yield* askToEnd(found)
  const agents = underWay(asked.state.agents).length
  const tests = runningTests(asked).length
  yield* stopTests(yield* stopAgents(asked, "Stop"))
  return { agents, tests, driver, lives } satisfies StoppedDriven
})

/** The same for a plan run. */
export const stopPlan = Effect.fn("StopDriven.stopPlan")((run: RunRef) =>
  Effect.flatMap(readDriver<PlanState, PlanEvent>(planRun, run), stopped)
)

/** Ends the tests and agents of a run, whoever started them, and asks its driver to end. */
export const stopDriven = Effect.fn("StopDriven.stopDriven")((run: RunRef) =>
  Effect.flatMap(readConverge(run), stopped).pipe(
    Effect.catchTag(["LogMissing", "NoSuchRun"], () => Effect.succeed(nothing))
  )
)
