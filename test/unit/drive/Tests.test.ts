// Tests: which test runs next, how its end is recorded, and which tests a directory seems to have.
import { afterAll, assert, describe, it } from "vitest"
import { lastRed, suite, TestFault } from "../../../src/drive/Tests.ts"
import { after, content, type Facts, ran, tested } from "./converge/streams.ts"
import { Effect, Fiber, Ref } from "effect"
import { refreshDriver } from "../../../src/agent/TaskLog.ts"
import { record } from "../../../src/drive/Drive.ts"
import { runningTests, runTest, stopTests, tailOfTest } from "../../../src/drive/TestRuns.ts"
import { type ScriptedTest, World } from "../../../src/testing.ts"
import { onMachine } from "../run/opened.ts"
import { drivingRun } from "./converge/drivings.ts"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { testsMissing, testsSeen } from "../../../src/drive/TestHints.ts"

const both = ["npm test", "npm run lint"]
const suiteAfter = (...events: Facts) => suite(both, after(...events).tests)

describe("the tests of a round", () => {
  it("run in their order", () => {
    assert.deepInclude(suiteAfter(), { _tag: "Next", command: "npm test" })
    assert.deepInclude(suiteAfter(tested(1, 1, 0)), { _tag: "Next", command: "npm run lint" })
    assert.deepStrictEqual(suiteAfter(tested(1, 1, 0), tested(2, 1, 0, "npm run lint")), { _tag: "Green" })
  })

  it("are red when one failed twice, whether it exited or was killed", () => {
    assert.deepInclude(suiteAfter(tested(1, 1, 1)), { _tag: "Next", command: "npm test" })
    const red = suiteAfter(tested(1, 1, 1), tested(2, 1, null))
    assert.deepInclude(red, { _tag: "Red", command: "npm test" })
    assert.strictEqual(red._tag === "Red" ? red.test.test : 0, 2)
  })

  it("are red at once if the command was not found", () => {
    const red = suiteAfter(tested(1, 1, 127))
    assert.deepInclude(red, { _tag: "Red", command: "npm test" })
    assert.strictEqual(red._tag === "Red" ? red.test.test : 0, 1)
    assert.deepInclude(suiteAfter(tested(1, 1, 127), tested(2, 1, 0)), { _tag: "Next", command: "npm run lint" })
  })

  it("are green when one failed once", () => {
    const all = suiteAfter(tested(1, 1, 1), tested(2, 1, 0), tested(3, 1, 0, "npm run lint"))
    assert.deepStrictEqual(all, { _tag: "Green" })
  })

  it("wait for a test that was started, and repeat one whose end is lost", () => {
    const [started] = tested(1, 1, 0)
    const waiting = suiteAfter(started)
    assert.strictEqual(waiting._tag === "Next" ? waiting.running?.started.test : 0, 1)
    const again = suiteAfter(started, { _tag: "TestStopped", test: 1, cause: "Lost" })
    assert.deepStrictEqual(again, { _tag: "Next", command: "npm test", running: null })
  })

  it("count for the code that they ran on: after a test that changed it, all of them run again", () => {
    const changing = ran(2, 1, "b", "c", "npm run lint")
    assert.deepInclude(suiteAfter(...ran(1, 1, "b", "b"), ...changing), {
      _tag: "Next",
      command: "npm test",
      running: null
    })
    const again = [...ran(1, 1, "b", "b"), ...changing, ...ran(3, 1, "c", "c")]
    assert.deepInclude(suiteAfter(...again), { _tag: "Next", command: "npm run lint" })
    assert.deepStrictEqual(suiteAfter(...again, ...ran(4, 1, "c", "c", "npm run lint")), { _tag: "Green" })
    assert.deepInclude(suite(["npm test"], after(...ran(1, 1, "b", "b")).tests, content("c")), { _tag: "Next" })
  })

  it("are red when one ran three times while the code changed", () => {
    const twice = [...ran(1, 1, "b", "c"), ...ran(2, 1, "c", "d")]
    assert.deepInclude(suiteAfter(...twice), { _tag: "Next", command: "npm test" })
    const red = suiteAfter(...twice, ...ran(3, 1, "d", "e"))
    assert.deepInclude(red, { _tag: "Red", command: "npm test" })
    assert.strictEqual(red._tag === "Red" ? red.test.test : 0, 3)
  })

  it("were last red when one failed, or changed the code", () => {
    const { tests } = after(tested(1, 1, 1), ...ran(2, 1, "b", "c"), ...ran(3, 1, "c", "c"))
    assert.strictEqual(lastRed(tests, 1)?.started.test, 2)
    assert.strictEqual(lastRed(tests.slice(0, 1), 1)?.started.test, 1)
    assert.isNull(lastRed(tests, 2))
  })

  it("are green if there are none", () => {
    assert.deepStrictEqual(suite([], []), { _tag: "Green" })
  })
})

const scripted = (test: ScriptedTest) => World.use(({ testScript }) => Ref.set(testScript, () => test))
const startedSoFar = World.use(({ tests }) => Effect.map(Ref.get(tests), (all) => all.length))

describe("a test of a round", () => {
  it("is shown with its exit and the end of its output", async () => {
    const { standing, tail } = await onMachine(Effect.gen(function*() {
      yield* scripted({ exit: 1, output: "expected 3" })
      const driving = yield* runTest(yield* drivingRun(), 0, "npm test", null)
      return { standing: driving.driver.state.tests[0]?.standing, tail: yield* tailOfTest(driving, 1) }
    }))
    assert.strictEqual(standing?._tag === "Finished" ? standing.finished.exit : null, 1)
    assert.strictEqual(tail, "expected 3")
  })

  it("is red if this call started it and its end is lost; a lost test of another call does not count", async () => {
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

  it("is not started if another process recorded one first", async () => {
    const started = await onMachine(Effect.gen(function*() {
      const driving = yield* drivingRun()
      yield* record(driving, [{ _tag: "TestStarted", test: 1, id: "t1", round: 0, command: "npm test" }])
      yield* runTest(driving, 0, "npm test", null)
      return yield* startedSoFar
    }))
    assert.strictEqual(started, 0)
  })

  it("of an earlier driver is not started again", async () => {
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

  it("of an earlier driver does not count for code that changed meanwhile", async () => {
    const standings = await onMachine(Effect.gen(function*() {
      yield* scripted({ exit: 0, millis: 60_000 })
      const driving = yield* drivingRun()
      const running = yield* Effect.forkChild(runTest(driving, 0, "npm test", null))
      yield* Effect.sleep(1000)
      yield* Fiber.interrupt(running)
      yield* World.use(({ code }) => Ref.set(code, "edited"))
      const next = { ...driving, driver: yield* refreshDriver(driving.driver) }
      const after = yield* runTest(next, 0, "npm test", 1)
      // Files that a test of this call leaves behind are not other code.
      const own = yield* Effect.forkChild(runTest(after, 0, "npm test", null))
      yield* Effect.sleep(1000)
      yield* World.use(({ code }) => Ref.set(code, "edited again"))
      return (yield* Fiber.join(own)).driver.state.tests.map(({ standing }) => standing._tag)
    }))
    assert.deepStrictEqual(standings, ["Stopped", "Finished"])
  })

  it("is killed, and that is recorded", async () => {
    const { left, standing } = await onMachine(Effect.gen(function*() {
      yield* scripted("hangs")
      const driving = yield* drivingRun()
      const running = yield* Effect.forkChild(runTest(driving, 0, "npm test", null))
      yield* Effect.sleep(1000)
      yield* Fiber.interrupt(running)
      const next = yield* stopTests(yield* refreshDriver(driving.driver), "Interrupt")
      const [test] = yield* World.use(({ tests }) => Ref.get(tests))
      assert.isNotNull(test?.stoppedAt)
      return { left: runningTests(next).length, standing: next.state.tests[0]?.standing._tag }
    }))
    assert.deepStrictEqual([left, standing], [0, "Stopped"])
  })
})

it("a fault says what was tried and why it failed", () => {
  const fault = new TestFault({
    what: "starting test 2",
    reason: { _tag: "NoDirectory", path: "/gone", why: null }
  })
  assert.match(fault.message, /^starting test 2: is not a directory/)
})

const top = fs.mkdtempSync(join(tmpdir(), "tests-seen-"))
afterAll(() => fs.rmSync(top, { recursive: true }))

const directory = (files: Readonly<Record<string, string>>): string => {
  const made = fs.mkdtempSync(join(top, "d-"))
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(join(made, name), text)
  return made
}
const seen = (cwd: string) =>
  Effect.runPromise(Effect.provide(testsSeen(cwd), NodeServices.layer)).then((all) => all.map(({ test }) => test))
const missing = (cwd: string) => Effect.runPromise(Effect.provide(testsMissing(cwd), NodeServices.layer))

const scripts = (test: unknown) => JSON.stringify({ name: "x", scripts: { build: "b", test } })

describe("a directory seems to have", () => {
  it.each(
    [
      [{ "package.json": scripts("vitest run") }, ["npm test"]],
      [{ "package.json": scripts('echo "Error: no test specified" && exit 1') }, []],
      [{ "package.json": scripts(" ") }, []],
      [{ "package.json": scripts(1) }, []],
      [{ "package.json": "{" }, []],
      [{ Makefile: "all:\n\ttrue\ntest: all\n\ttrue\n" }, ["make test"]],
      [{ Makefile: "test:=1\ntests: all\n\ttest: x\n" }, []],
      [{ "Cargo.toml": "", "pyproject.toml": "" }, ["cargo test", "pytest"]],
      [{ "package.json": scripts("a"), Makefile: "test:\n" }, ["npm test", "make test"]],
      [{}, []]
    ] as const
  )("%j: %j", async (files, tests) => assert.deepStrictEqual(await seen(directory(files)), [...tests]))

  it("no tests if the file cannot be read", async () => {
    assert.deepStrictEqual(await seen(join(top, "nowhere")), [])
    const odd = directory({})
    fs.mkdirSync(join(odd, "package.json"))
    fs.writeFileSync(join(odd, "Makefile"), `${" ".repeat(1024 * 1024)}\ntest:\n`)
    assert.deepStrictEqual(await seen(odd), [])
  })
})

describe("the usage error", () => {
  it("names the tests that were found, and how to pass them", async () => {
    assert.strictEqual(
      await missing(directory({ "package.json": scripts("a"), "Cargo.toml": "" })),
      "no tests are named; found: npm test (package.json), cargo test (Cargo.toml) " +
        "[add --test 'npm test' or --no-test, or run ooda-codex-review init once]"
    )
    assert.match(await missing(directory({ "Cargo.toml": "" })), /add --test 'cargo test' or --no-test, /)
  })

  it("names an example if none was found", async () =>
    assert.strictEqual(
      await missing(directory({})),
      "no tests are named [add --test CMD, or --no-test]"
    ))
})
