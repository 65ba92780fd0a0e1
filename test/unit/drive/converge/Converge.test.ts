// Converge: whole calls, to the fixed point and to each end that needs the user.
import { Effect, Fiber, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { commitDriver } from "../../../../src/agent/TaskLog.ts"
import { converge } from "../../../../src/drive/converge/Converge.ts"
import { readConverge } from "../../../../src/drive/converge/State.ts"
import type { RunRef } from "../../../../src/log/Refs.ts"
import { runs } from "../../../../src/read/Look.ts"
import { outcomeOf } from "../../../../src/step/StepResult.ts"
import { Snapshots } from "../../../../src/code/Snapshots.ts"
import { AlreadyDriven } from "../../../../src/drive/DriverLock.ts"
import { Memory, ScriptedAgent, World } from "../../../../src/testing.ts"
import { onMachine } from "../../run/opened.ts"
import { byTask, call, driven, result, secondTestChangesCode, settings, world } from "./driven.ts"

const names = (events: ReadonlyArray<{ readonly _tag: string }>) => events.map(({ _tag }) => _tag)

/** A world in which the first test after the agent changes the code. */
const changedByTest = Effect.andThen(world(), secondTestChangesCode)

describe("a run that converges", () => {
  it("has its findings fixed and tested, has a retrospective, and ends at the fixed point", async () => {
    const { header, review, stream } = await driven()
    assert.strictEqual(header, "DoneFixedPoint")
    assert.deepStrictEqual(names(stream), [
      "ConvergeStarted",
      "DriverStarted",
      "TestStarted",
      "TestFinished",
      "RoundStarted",
      "SnapshotTaken",
      "AgentStarted",
      "AgentFinished",
      "SnapshotTaken",
      "ResultJudged",
      "RoundAnswered",
      "TestStarted",
      "TestFinished",
      "RoundConcluded",
      "RoundClosed",
      "RoundStarted",
      "SnapshotTaken",
      "AgentStarted",
      "AgentFinished",
      "SnapshotTaken",
      "ResultJudged",
      "RoundConcluded",
      "RoundClosed",
      "DriverEnded"
    ])
    const drivers = stream.flatMap((event) => event._tag === "DriverStarted" ? [event.driver] : [])
    const marks = review.flatMap((event) => event._tag === "LevelOutcomeRecorded" ? [event.driver] : [])
    assert.deepStrictEqual(marks, [drivers[0], drivers[0]])
  })

  it("needs no agent if nothing is found, and the next call reports the fixed point at once", async () => {
    const [first, again] = await onMachine(Effect.gen(function*() {
      yield* world({ flawed: [] })
      return [yield* call(), yield* call()] as const
    }))
    assert.strictEqual(first.header, "DoneFixedPoint")
    assert.include(names(first.stream), "RetrospectiveSkipped")
    assert.notInclude(names(first.stream), "AgentStarted")
    assert.strictEqual(again.header, "DoneFixedPoint")
    assert.strictEqual(names(again.review).filter((name) => name === "BatchStarted").length, 2)
  })

  it("has patterns implemented, and then restarts from the floor", async () => {
    let asked = 0
    const agents = byTask({
      address: result("pass", "", "code-2"),
      retrospective: (...all) => result(asked++ === 0 ? "gaps" : "pass", "Bounds are checked in two places.")(...all),
      patterns: result("pass", "", "code-3")
    })
    const { header, review } = await driven({ agents })
    assert.strictEqual(header, "DoneFixedPoint")
    const outcomes = review.flatMap((event) => event._tag === "LevelOutcomeRecorded" ? [event.outcome._tag] : [])
    assert.deepStrictEqual(outcomes, ["Addressed", "RetrospectiveChanges", "Clean"])
  })
})

describe("tests", () => {
  it("that failed before any agent end the call, unless that is allowed", async () => {
    const tests = () => ({ exit: 1, output: "1 failed" })
    const { outcome } = await driven({ tests })
    assert.strictEqual(outcome._tag === "HandoffHuman" ? outcome.action : "", "ConsentNeeded")
    assert.include(outcome._tag === "HandoffHuman" ? outcome.prompt : "", "--allow red-baseline")
  })

  it("that fail after an agent are fixed by the same agent on its thread", async () => {
    // The baseline is green; after the address the test fails twice; then it passes.
    const tests = (_: string, nth: number) => ({ exit: nth === 2 || nth === 3 ? 1 : 0, output: "bound: expected 3" })
    const { header, stream } = await driven({ tests })
    assert.strictEqual(header, "DoneFixedPoint")
    const started = stream.flatMap((event) => event._tag === "AgentStarted" ? [[event.taskId, event.thread]] : [])
    assert.deepStrictEqual(started.slice(0, 2), [["round-1/address", null], ["round-1/mend-1", "thread-1"]])
  })

  it("that fail once are flaky and count as green", async () => {
    const tests = (_: string, nth: number) => ({ exit: nth === 2 ? 1 : 0 })
    const { header, stream } = await driven({ tests })
    assert.strictEqual(header, "DoneFixedPoint")
    assert.strictEqual(names(stream).filter((name) => name === "TestStarted").length, 3)
  })

  it("that still fail are recorded and handed to the user; another call starts another round on request", async () => {
    const tests = (_: string, nth: number) => ({ exit: nth === 1 ? 0 : 1, output: "bound: expected 3" })
    const { again, first, second } = await onMachine(Effect.gen(function*() {
      yield* world({ tests })
      const first = yield* call(settings({ fixAttempts: 0, undoOnRed: true }))
      yield* World.use(({ testScript }) => Ref.set(testScript, () => ({ exit: 0 })))
      return { first, second: yield* call(), again: yield* call(settings(), { again: true }) }
    }))
    assert.strictEqual(first.header, "HandoffHuman: TestsFailedTriage")
    assert.include(names(first.stream), "WorktreeRestored")
    assert.include(names(first.review), "AddressFailed")
    assert.strictEqual(second.header, "HandoffHuman: TestsFailedTriage")
    assert.deepStrictEqual(second.review, first.review)
    assert.strictEqual(again.header, "DoneFixedPoint")
  })

  it("run at the fixed point on code that they did not pass on, and end the call if they fail", async () => {
    const green = await driven({ flawed: [] })
    assert.strictEqual(green.header, "DoneFixedPoint")
    assert.strictEqual(names(green.stream).filter((name) => name === "TestStarted").length, 1)
    const red = await driven({ flawed: [], tests: () => ({ exit: 1, output: "1 failed" }) })
    assert.strictEqual(red.header, "HandoffHuman: ConsentNeeded")
    assert.strictEqual(names(red.stream).filter((name) => name === "TestStarted").length, 2)
  })

  it("are not repeated for a fixed point that is reported again", async () => {
    const again = await onMachine(Effect.gen(function*() {
      yield* world({ flawed: [] })
      yield* call()
      return yield* call()
    }))
    assert.strictEqual(again.header, "DoneFixedPoint")
    assert.strictEqual(names(again.stream).filter((name) => name === "TestStarted").length, 1)
  })

  it("leave changes in the worktree that belong to their round", async () => {
    const snapshots = await onMachine(Effect.gen(function*() {
      yield* changedByTest
      const { run } = yield* call()
      return yield* (yield* Snapshots).list(run.ref)
    }))
    assert.deepStrictEqual(snapshots.map(({ cause, round, tree }) => [cause._tag, round, tree]).slice(0, 3), [
      ["BeforeAgent", 1, "code-1"],
      ["AfterAgent", 1, "code-2"],
      ["AfterTests", 1, "code-3"]
    ])
  })

  it("do not run in a project without any", async () => {
    const { header, stream } = await driven({}, settings({ tests: [], noTest: true }))
    assert.strictEqual(header, "DoneFixedPoint")
    assert.notInclude(names(stream), "TestStarted")
  })
})

describe("a call ends", () => {
  it("in a circle at its first repetition", async () => {
    let nth = 0
    const agents = byTask({ address: (...all) => result("pass", "", nth++ % 2 === 0 ? "code-2" : "code-1")(...all) })
    const { header, review } = await driven({ agents, flawed: ["code-1", "code-2"] })
    assert.strictEqual(header, "StuckRepeated: AddressBatch:code-1")
    assert.strictEqual(names(review).filter((name) => name === "BatchStarted").length, 2)
  })

  it("after too many rounds without progress, and over a budget of rounds", async () => {
    let nth = 2
    const agents = byTask({ address: (...all) => result("pass", "", `code-${nth++}`)(...all) })
    const flawed = Array.from({ length: 40 }, (_, i) => `code-${i + 1}`)
    assert.strictEqual((await driven({ agents, flawed })).header, "StuckCapReached: AddressBatch:patience")
    nth = 2
    const two = await driven({ agents, flawed }, settings({ maxRounds: 2 }))
    assert.strictEqual(two.header, "StuckCapReached: AddressBatch:max-rounds")
    assert.strictEqual(names(two.stream).filter((name) => name === "AgentStarted").length, 2)
    nth = 2
    const five = await driven({ agents, flawed }, settings({ maxRounds: 5 }))
    assert.strictEqual(names(five.stream).filter((name) => name === "BudgetWarned").length, 1)
  })

  it("if the user must consent", async () => {
    const agent = Memory.agents({ confined: false })
    const { outcome, review } = await driven({}, settings({ allow: [] }), { agent })
    assert.deepInclude(outcome, { _tag: "HandoffHuman", action: "ConsentNeeded" })
    assert.deepStrictEqual(names(review), ["RunCreated"], "before the first review")
    assert.strictEqual((await driven({}, settings(), { agent })).header, "DoneFixedPoint")
    const snapshots = Memory.snapshots({ leftOut: () => ["large.bin"] })
    const partial = await driven({}, settings(), { snapshots })
    assert.include(partial.outcome._tag === "HandoffHuman" ? partial.outcome.prompt : "", "--allow partial-snapshot")
  })

  it("if an agent fails permanently, and if its result is rejected", async () => {
    const login = { _tag: "Login", message: "please log in" } as const
    const failed = await driven({ agents: byTask({ address: () => ScriptedAgent.fails(login) }) })
    assert.strictEqual(failed.header, "HandoffHuman: AgentFailed")
    const blocked = await driven({ agents: byTask({ address: result("gaps", "not all of it") }) })
    assert.strictEqual(blocked.header, "HandoffHuman: TaskBlocked")
    const reported = await driven({
      agents: byTask({ address: () => ScriptedAgent.answers("FAILED: the bound cannot be known") })
    })
    assert.strictEqual(reported.header, "HandoffHuman: AgentFailed")
    assert.include(reported.outcome._tag === "HandoffHuman" ? reported.outcome.prompt : "", "cannot be known")
  })

  it("if the agent changed git's own state or protected files", async () => {
    const gitChanges = (code: string) => code === "code-2" ? ["HEAD"] : []
    const git = await driven({}, settings(), { snapshots: Memory.snapshots({ gitChanges }) })
    assert.strictEqual(git.header, "HandoffHuman: GitStateChanged")
    const changed = () => ["schema.sql"]
    const files = await driven({}, settings({ protect: ["*.sql"] }), {
      snapshots: Memory.snapshots({ changed })
    })
    assert.strictEqual(files.header, "HandoffHuman: TaskBlocked")
    assert.include(files.outcome._tag === "HandoffHuman" ? files.outcome.prompt : "", "schema.sql")
  })

  it("if a git directory appeared while a test ran; the next call goes on", async () => {
    const gitDirectories = (code: string) => code === "code-3" ? [{ part: "lib/.git", digest: "new" }] : []
    const { first, second } = await onMachine(
      Effect.gen(function*() {
        yield* changedByTest
        return { first: yield* call(), second: yield* call() }
      }),
      { snapshots: Memory.snapshots({ gitDirectories }) }
    )
    assert.strictEqual(first.header, "HandoffHuman: GitStateChanged")
    const prompt = first.outcome._tag === "HandoffHuman" ? first.outcome.prompt : ""
    assert.include(prompt, "git's own state changed while a test ran: lib/.git")
    assert.notStrictEqual(second.header, first.header)
  })

  it("if protected files changed after the agent's answer, before the mark", async () => {
    const changed = (_: string, now: string) => now === "code-3" ? ["schema.sql"] : []
    const { header, review } = await onMachine(Effect.andThen(changedByTest, call(settings({ protect: ["*.sql"] }))), {
      snapshots: Memory.snapshots({ changed })
    })
    assert.strictEqual(header, "HandoffHuman: TaskBlocked")
    assert.notInclude(names(review), "LevelOutcomeRecorded")
  })

  it("if protected files changed at any time, even right before the fixed point is reported", async () => {
    /** One call, in which a protected file changes after so many commits, and the number of commits. */
    const changedAfter = (count: number) => {
      let committed = 0
      const counting = Effect.gen(function*() {
        yield* world({ flawed: [] })
        const { witness } = yield* World
        const others = yield* Ref.get(witness)
        yield* Ref.set(witness, (call, when) => {
          if (call === "EventLog.append" && when === "after") committed++
          return others(call, when)
        })
      })
      const snapshots = Memory.snapshots({ changed: () => committed < count ? [] : ["schema.sql"] })
      const called = onMachine(Effect.andThen(counting, call(settings({ protect: ["*.sql"] }))), { snapshots })
      return called.then(({ header }) => ({ header, committed }))
    }
    const { committed, header } = await changedAfter(Infinity)
    assert.strictEqual(header, "DoneFixedPoint")
    // The last commit is the driver's end.
    for (let count = 1; count < committed; count++) {
      assert.strictEqual((await changedAfter(count)).header, "HandoffHuman: TaskBlocked", `${count} of ${committed}`)
    }
  })

  it("if it was stopped before its first turn, and that is recorded", async () => {
    const { drive, outcome } = await onMachine(Effect.gen(function*() {
      yield* world()
      const driven = yield* Ref.make<RunRef | null>(null)
      const isStopped = Effect.gen(function*() {
        const run = (yield* Ref.get(driven)) ?? assert.fail("no run")
        yield* Effect.orDie(commitDriver(yield* Effect.orDie(readConverge(run)), [{ _tag: "StopAsked" }]))
        return true
      })
      const { driver, outcome } = yield* converge(settings(), "/repo", {
        isStopped,
        onRun: (run) => Ref.set(driven, run)
      })
      return { drive: driver.state, outcome }
    }))
    assert.strictEqual(outcome._tag, "DoneAborted")
    assert.deepStrictEqual([drive.stopAsked, drive.drivers.at(-1)?.outcome], [true, "DoneAborted"])
    assert.lengthOf(drive.tests, 0)
  })

  it("on a signal of the user, which ends the agent too; the next call continues", async () => {
    const agents = byTask({ address: () => ScriptedAgent.answers("late", { after: 60_000 }) })
    const { first, second } = await onMachine(Effect.gen(function*() {
      yield* world({ agents })
      const calling = yield* Effect.forkChild(call())
      yield* Effect.sleep(5000)
      yield* World.use(({ fire }) => fire("SIGINT"))
      const first = yield* Fiber.join(calling)
      yield* world()
      return { first, second: yield* call() }
    }))
    assert.strictEqual(first.header, "DoneAborted")
    assert.include(names(first.stream), "AgentStopped")
    assert.strictEqual(second.header, "DoneFixedPoint")
  })

  it("on a signal to the process, which leaves the agent; the next call adopts it", async () => {
    const late = byTask({ address: (...all) => ({ ...result("pass", "", "code-2")(...all), after: 60_000 }) })
    const { first, second } = await onMachine(Effect.gen(function*() {
      yield* world({ agents: late })
      const calling = yield* Effect.forkChild(call())
      yield* Effect.sleep(5000)
      yield* World.use(({ fire }) => fire("SIGTERM"))
      return { first: yield* Fiber.join(calling), second: yield* call() }
    }))
    assert.strictEqual(first.header, "DoneAborted")
    assert.notInclude(names(first.stream), "AgentStopped")
    assert.strictEqual(second.header, "DoneFixedPoint")
    assert.strictEqual(names(second.stream).filter((name) => name === "AgentStarted").length, 2)
  })

  it("on an internal error, which is recorded and shown to the user", async () => {
    const { exit, status } = await onMachine(Effect.gen(function*() {
      yield* world()
      const broken = Effect.updateService(call(), Snapshots, (snapshots) => ({
        ...snapshots,
        take: () => Effect.die(new Error("a fault"))
      }))
      const exit = yield* Effect.exit(broken)
      const [run] = yield* runs({ stateRoot: null, cwd: "/repo" })
      return { exit, status: run?.status }
    }))
    assert.strictEqual(exit._tag, "Failure")
    assert.deepInclude(status, {
      state: "NeedsYou",
      reason: "Error",
      text: "internal error: a fault [please report it]"
    })
  })

  it("at once if another process drives the target", async () => {
    const error = await onMachine(Effect.gen(function*() {
      yield* world({ agents: byTask({ address: () => ScriptedAgent.answers("late", { after: 60_000 }) }) })
      const calling = yield* Effect.forkChild(call())
      yield* Effect.sleep(5000)
      const error = yield* Effect.flip(call())
      yield* Fiber.interrupt(calling)
      return error
    }))
    assert.instanceOf(error, AlreadyDriven)
    assert.strictEqual(outcomeOf(error)._tag, "BinaryError")
  })
})
