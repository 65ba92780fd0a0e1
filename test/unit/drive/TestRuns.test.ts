// TestRuns: a test is committed before it starts, followed by whoever drives, and run again where its end is lost.
import { Effect, Fiber, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { refreshDriver } from "../../../src/agent/TaskLog.ts"
import { record } from "../../../src/drive/Drive.ts"
import { runningTests, runTest, stopTests, tailOfTest } from "../../../src/drive/TestRuns.ts"
import { type ScriptedTest, World } from "../../../src/testing.ts"
import { onMachine } from "../run/opened.ts"
import { drivingRun } from "./converge/drivings.ts"

const scripted = (test: ScriptedTest) => World.use(({ testScript }) => Ref.set(testScript, () => test))
const startedSoFar = World.use(({ tests }) => Effect.map(Ref.get(tests), (all) => all.length))

describe("a test of a round", () => {
  it("is told with its exit, and the end of what it printed", async () => {
    const { standing, tail } = await onMachine(Effect.gen(function*() {
      yield* scripted({ exit: 1, output: "expected 3" })
      const driving = yield* runTest(yield* drivingRun(), 0, "npm test", null)
      return { standing: driving.driver.state.tests[0]?.standing, tail: yield* tailOfTest(driving, 1) }
    }))
    assert.strictEqual(standing?._tag === "Finished" ? standing.finished.exit : null, 1)
    assert.strictEqual(tail, "expected 3")
  })

  it("is red where this call has started it and its end is lost, and else says nothing", async () => {
    const [own, earlier] = await onMachine(Effect.gen(function*() {
      yield* scripted("lost")
      const driving = yield* runTest(yield* drivingRun(), 0, "npm test", null)
      const began = [{ _tag: "TestStarted", test: 2, id: "t2", round: 0, command: "npm test" }] as const
      const next = yield* runTest(yield* record(driving, began), 0, "npm test", 2)
      return next.driver.state.tests.map(({ standing }) => standing)
    }))
    assert.deepInclude(own?._tag === "Finished" ? own.finished : {}, { exit: null })
    assert.strictEqual(earlier?._tag, "Stopped")
  })

  it("that an earlier driver has started is not started again", async () => {
    const { count, standing } = await onMachine(Effect.gen(function*() {
      yield* scripted({ exit: 0, millis: 60_000 })
      const driving = yield* drivingRun()
      const running = yield* Effect.forkChild(runTest(driving, 0, "npm test", null))
      yield* Effect.sleep(1000)
      yield* Fiber.interrupt(running)
      const next = { ...driving, driver: yield* refreshDriver(driving.driver) }
      assert.lengthOf(runningTests(next.driver), 1)
      const after = yield* runTest(next, 0, "npm test", 1)
      return { count: yield* startedSoFar, standing: after.driver.state.tests[0]?.standing._tag }
    }))
    assert.deepStrictEqual([count, standing], [1, "Finished"])
  })

  it("that an earlier driver has started says nothing of code that was changed meanwhile", async () => {
    const standings = await onMachine(Effect.gen(function*() {
      yield* scripted({ exit: 0, millis: 60_000 })
      const driving = yield* drivingRun()
      const running = yield* Effect.forkChild(runTest(driving, 0, "npm test", null))
      yield* Effect.sleep(1000)
      yield* Fiber.interrupt(running)
      yield* World.use(({ code }) => Ref.set(code, "edited"))
      const next = { ...driving, driver: yield* refreshDriver(driving.driver) }
      const after = yield* runTest(next, 0, "npm test", 1)
      // What a test of this call's own leaves behind is no other code.
      const own = yield* Effect.forkChild(runTest(after, 0, "npm test", null))
      yield* Effect.sleep(1000)
      yield* World.use(({ code }) => Ref.set(code, "edited again"))
      return (yield* Fiber.join(own)).driver.state.tests.map(({ standing }) => standing._tag)
    }))
    assert.deepStrictEqual(standings, ["Stopped", "Finished"])
  })

  it("is ended, and that is recorded", async () => {
    const { left, standing } = await onMachine(Effect.gen(function*() {
      yield* scripted("hangs")
      const driving = yield* drivingRun()
      const running = yield* Effect.forkChild(runTest(driving, 0, "npm test", null))
      yield* Effect.sleep(1000)
      yield* Fiber.interrupt(running)
      const next = yield* stopTests(yield* refreshDriver(driving.driver), "Interrupt")
      return { left: runningTests(next).length, standing: next.state.tests[0]?.standing._tag }
    }))
    assert.deepStrictEqual([left, standing], [0, "Stopped"])
  })
})
