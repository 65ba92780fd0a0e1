// Stop: waiting for work, and stopping it.
import { Deferred, Effect, Fiber, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { caughtUp, hearingSignals, isSignal, outlives, stopDriven, stopWork, waitFor } from "../../../src/drive/Stop.ts"
import { Drivers } from "../../../src/drive/DriverLock.ts"
import { record } from "../../../src/drive/Drive.ts"
import { type SignalName, Signals } from "../../../src/platform/Process.ts"
import { drivingRun } from "./converge/drivings.ts"
import { agentStarted } from "./converge/events.ts"
import { driverStarted } from "./converge/streams.ts"
import { living, onMachine } from "../run/opened.ts"
import { commitDriver } from "../../../src/agent/TaskLog.ts"
import { convergeRun, readConverge } from "../../../src/drive/converge/State.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { RunStore } from "../../../src/run/RunStore.ts"
import { Scripted, ScriptedAgent, World } from "../../../src/testing.ts"
import { byTask, call, world } from "./converge/driven.ts"
import { runRef } from "../run/events.ts"

describe("waiting for work", () => {
  it("ends with the work, or with a signal", async () => {
    const hearing = <A>(asked: Effect.Effect<SignalName>, work: Effect.Effect<A>) =>
      Effect.runPromise(Effect.provideService(hearingSignals(work), Signals, { asked }))
    const ended = [
      await hearing(Effect.never, waitFor(Effect.succeed(1))),
      await hearing(Effect.succeed("SIGTERM"), waitFor(Effect.never))
    ]
    assert.deepStrictEqual(ended, [1, "SIGTERM"])
    assert.deepStrictEqual(ended.map(isSignal), [false, true])
  })

  it("ends with a signal that came before the wait", async () => {
    const asked = await Effect.runPromise(Effect.gen(function*() {
      const signal = yield* Deferred.make<SignalName>()
      // A second listener would wait for a second signal.
      const once = yield* Ref.make(Deferred.await(signal))
      const work = Effect.gen(function*() {
        yield* Deferred.succeed(signal, "SIGINT")
        yield* Effect.yieldNow
        return yield* waitFor(Effect.sleep(5000))
      })
      const signals = { asked: Effect.flatten(Ref.getAndSet(once, Effect.never)) }
      return yield* Effect.provideService(hearingSignals(work), Signals, signals)
    }))
    assert.strictEqual(asked, "SIGINT")
  })

  it("is brought up to date, and its running agents can be ended", async () => {
    const [before, after, left] = await onMachine(Effect.gen(function*() {
      const driving = yield* drivingRun()
      yield* record(driving, [agentStarted()])
      const now = yield* caughtUp(driving)
      const stopped = yield* stopWork(now, "Interrupt")
      const count = (one: typeof driving) => one.driver.state.agents.agents.length
      return [count(driving), count(now), stopped.driver.state.agents.agents[0]?.standing] as const
    }))
    assert.deepStrictEqual([before, after], [0, 1])
    assert.deepStrictEqual(left, { _tag: "Stopped", cause: "Interrupt" })
  })
})

/** A driven run that is stopped while its first agent, or its first test, is running. */
const stopped = (hangs: "agent" | "test") =>
  onMachine(Effect.gen(function*() {
    yield* world({
      agents: byTask({ address: () => ScriptedAgent.answers("late", { after: 600_000 }) }),
      ...(hangs === "test" ? { tests: () => "hangs" as const } : {})
    })
    const calling = yield* Effect.forkChild(call())
    yield* Effect.sleep(10_000)
    const runs = yield* World.use(({ tests }) => Effect.map(Ref.get(tests), (all) => all.map(({ test }) => test.run)))
    const [run] = runs
    const first = yield* stopDriven(run ?? runRef())
    const again = yield* stopDriven(run ?? runRef())
    return { first, again, ended: yield* Fiber.join(calling) }
  }))

describe("a driven run that is stopped", () => {
  it("ends its agent, and its driver with it", async () => {
    const { again, ended, first } = await stopped("agent")
    assert.deepInclude(first, { agents: 1, tests: 0, lives: true })
    assert.strictEqual(first.driver?.outcome, null)
    assert.deepInclude(again, { agents: 0, tests: 0 })
    assert.strictEqual(ended.header, "DoneAborted")
    assert.deepInclude(ended.stream.find(({ _tag }) => _tag === "AgentStopped"), { cause: "Stop" })
  })

  it("ends in DoneAborted even if the driver sees the agent's end before `stop` recorded it", async () => {
    const ended = await onMachine(Effect.gen(function*() {
      const killed = { _tag: "Interrupted", message: "it was stopped on request" } as const
      yield* world({ agents: byTask({ address: () => ScriptedAgent.fails(killed, { after: 20_000 }) }) })
      const calling = yield* Effect.forkChild(call())
      yield* Effect.sleep(10_000)
      const [run] = yield* World.use(({ tests }) =>
        Effect.map(Ref.get(tests), (all) => all.map(({ test }) => test.run))
      )
      yield* commitDriver(yield* readConverge(run ?? runRef()), [{ _tag: "StopAsked" }])
      return yield* Fiber.join(calling)
    }))
    assert.strictEqual(ended.header, "DoneAborted")
  })

  it("ends the reviewers that its driver starts after it was asked to stop", async () => {
    const { ended, left } = await onMachine(
      Effect.gen(function*() {
        const { witness } = yield* World
        const services = yield* Effect.context<EventLog | RunStore>()
        const asking = Effect.gen(function*() {
          const store = yield* RunStore
          const [run] = yield* store.list(yield* store.open(null, "/repo"), null)
          return yield* commitDriver(yield* readConverge(run ?? runRef()), [{ _tag: "StopAsked" }])
        })
        let asked = false
        yield* Ref.set(witness, (name, when) => {
          if (name !== "Reviewers.launch" || when !== "before" || asked) return Effect.void
          asked = true
          return Effect.asVoid(Effect.orDie(Effect.provide(asking, services)))
        })
        return { ended: yield* call(), left: yield* living }
      }),
      { script: () => Scripted.silence }
    )
    assert.strictEqual(ended.header, "DoneAborted")
    assert.deepStrictEqual(left, [])
  })

  it("ends its test, without a result", async () => {
    const { ended, first } = await stopped("test")
    assert.deepInclude(first, { agents: 0, tests: 1 })
    assert.strictEqual(ended.header, "DoneAborted")
    assert.deepInclude(ended.stream.find(({ _tag }) => _tag === "TestStopped"), { cause: "Stop" })
    assert.notInclude(ended.stream.map(({ _tag }) => _tag), "TestFinished")
  })

  it("is asked to stop once, however often `stop` is called", async () => {
    const asked = await onMachine(Effect.gen(function*() {
      const { run: { ref } } = yield* record(yield* drivingRun(), [driverStarted()])
      yield* Effect.andThen(stopDriven(ref), stopDriven(ref))
      const { commits } = yield* EventLog.use((log) => log.read(convergeRun, ref))
      return commits.flatMap(({ events }) => events).filter(({ _tag }) => _tag === "StopAsked").length
    }))
    assert.strictEqual(asked, 1)
  })

  it("may have a driver that does not end, and says so", async () => {
    const [waiting, after] = await onMachine(Effect.gen(function*() {
      const { run: { ref } } = yield* record(yield* drivingRun(), [{ _tag: "DriverStarted", driver: "d1", pid: 1 }])
      const stuck = yield* Effect.forkChild(Drivers.use(({ driving }) => driving(ref, "/repo", () => Effect.never)))
      yield* Effect.yieldNow
      const stopped = yield* stopDriven(ref)
      const waiting = yield* outlives(ref, stopped)
      yield* Effect.forkChild(Effect.delay(Fiber.interrupt(stuck), 5000))
      return [waiting, yield* outlives(ref, stopped)] as const
    }))
    assert.deepStrictEqual([waiting, after], [true, false])
  })

  it("has no driver to name once the driver ended", async () => {
    const over = await onMachine(Effect.gen(function*() {
      yield* world()
      const { run } = yield* call()
      return yield* stopDriven(run.ref)
    }))
    assert.deepStrictEqual(over, { agents: 0, tests: 0, driver: null, lives: false })
  })

  it("has nothing to end without a driver", async () => {
    assert.deepStrictEqual(await onMachine(stopDriven(runRef())), { agents: 0, tests: 0, driver: null, lives: false })
  })
})
