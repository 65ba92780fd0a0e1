// Implement: whole calls, to accepted tasks, to the fixed point, and to each end that needs the user.
import { Deferred, Effect, Fiber, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { stopDriven } from "../../../../src/drive/Stop.ts"
import { planRun } from "../../../../src/drive/plan/State.ts"
import { reviewRun } from "../../../../src/run/ReviewRun.ts"
import type { RunRef } from "../../../../src/log/Refs.ts"
import { EventLog } from "../../../../src/log/EventLog.ts"
import { implement } from "../../../../src/drive/plan/Implement.ts"
import { locatePlan, presentPlan } from "../../../../src/drive/plan/OpenPlan.ts"
import { ScriptedAgent, World } from "../../../../src/testing.ts"
import { call, content, file, implemented, inWorld, issue, review, settings, twoTasks, work, world } from "./plans.ts"

describe("a plan", () => {
  it("is implemented, tested, reviewed and marked as done", async () => {
    const { header, names, text } = await implemented()
    assert.strictEqual(header, "DoneAccepted")
    assert.deepStrictEqual(names.filter((name) => !/^(Agent|Snapshot|ResultJudged|Test)/.test(name)), [
      "PlanStarted",
      "DriverStarted",
      "CycleStarted",
      "WorkTaken",
      "WorkTaken",
      "CodeReviewed",
      "CycleAccepted",
      "TasksMarked",
      "CycleClosed",
      "DriverEnded"
    ])
    assert.strictEqual(text.match(/done: true/g)?.length, 2)
    assert.include(text, "status: done")
  })

  it("is reported at once if every task is done", async () => {
    const [first, again] = await inWorld(
      {},
      Effect.gen(function*() {
        return [yield* call(), yield* call()] as const
      })
    )
    assert.deepStrictEqual([first.header, again.header], ["DoneAccepted", "DoneAccepted"])
    assert.notStrictEqual(first.run.runId, again.run.runId)
    assert.deepStrictEqual(again.names, ["PlanStarted", "DriverStarted", "DriverEnded"])
  })

  it("is worked on in cycles, as far as its implementers get and the caller asked for", async () => {
    let nth = 0
    const implement: ScriptedAgent.AgentScript = (...all) => work(`DONE: ${nth}`, `code-${10 + nth++}`)(...all)
    const agents = { ...content, implement, test: work("Tested.") }
    const both = await implemented({ agents })
    assert.strictEqual(both.header, "DoneAccepted")
    assert.strictEqual(both.names.filter((name) => name === "CycleStarted").length, 2)
    nth = 0
    const one = await implemented({ agents }, settings({ wanted: { _tag: "AtMost", count: 1 } }))
    assert.strictEqual(one.header, "DoneAccepted")
    assert.strictEqual(one.text.match(/done: true/g)?.length, 1)
    for (
      const [name, says] of [["Divide", "has no task named Divide"], [
        "Sum",
        "wait for others that are pending: 0"
      ]] as const
    ) {
      const error = await inWorld(
        {},
        Effect.gen(function*() {
          const failed = yield* Effect.flip(call(settings({ wanted: { _tag: "Named", names: [name] } })))
          // Nothing was written: there is no run to continue.
          assert.isNull(yield* presentPlan(yield* locatePlan(file, null, "/repo")))
          return failed
        })
      )
      assert.include(error.message, says)
    }
  })

  it("does not start to converge its code after a stop", async () => {
    const { header, names } = await inWorld(
      {},
      Effect.gen(function*() {
        const runs: Array<RunRef> = []
        const context = yield* Effect.context<Effect.Services<ReturnType<typeof stopDriven>>>()
        // The second run is for the code; no process reads the plan's log any more.
        const onRun = (run: RunRef) => {
          const [plan] = runs
          runs.push(run)
          return plan === undefined
            ? Effect.void
            : Effect.asVoid(Effect.provideContext(Effect.orDie(stopDriven(plan)), context))
        }
        return yield* call(settings({ then: "converge" }), { onRun })
      })
    )
    assert.strictEqual(header, "DoneAborted")
    assert.deepStrictEqual(names.slice(-4), ["CycleClosed", "StopAsked", "PlanConverged", "DriverEnded"])
  })

  it("continues to the fixed point of its code on request", async () => {
    const { events, head, header } = await inWorld(
      {},
      Effect.gen(function*() {
        const runs: Array<RunRef> = []
        const options = { onRun: (run: RunRef) => Effect.sync(() => void runs.push(run)) }
        const called = yield* call(settings({ then: "converge" }), options)
        const code = runs.at(-1) ?? assert.fail("no run")
        return { ...called, head: (yield* (yield* EventLog).read(reviewRun, code)).head }
      })
    )
    assert.strictEqual(header, "DoneFixedPoint")
    assert.deepInclude(events.find(({ _tag }) => _tag === "PlanConverged"), { outcome: "DoneFixedPoint", head })
  })
})

describe("a review that asks for fixes", () => {
  const refused = { ...content, "review-0": review("NEEDS_FIXES", [issue]) }
  const analysis = (answer: object) => () => ScriptedAgent.answers(JSON.stringify(answer))
  const fixing = analysis({ needs_fixes: true, fix_instructions: "Start at zero.", dropped: [] })

  it("is analysed, fixed and reviewed again", async () => {
    const agents = {
      ...refused,
      analysis: fixing,
      "fix-1": work("Mended.", "code-4"),
      "review-1": review("ACCEPTABLE")
    }
    const { events, header } = await implemented({ agents })
    assert.strictEqual(header, "DoneAccepted")
    const verdicts = events.flatMap((event) => event._tag === "CodeReviewed" ? [event.verdict] : [])
    assert.deepStrictEqual(verdicts, ["NEEDS_FIXES", "ACCEPTABLE"])
  })

  it("is accepted if its only issue belongs to a task that is still pending", async () => {
    const late = { ...issue, description: "A list of numbers cannot be added up." }
    const quote = "Add up a list of numbers, with tests."
    const agents = {
      ...refused,
      implement: work("DONE: 0", "code-2"),
      "review-0": review("NEEDS_FIXES", [late]),
      analysis: analysis({
        needs_fixes: false,
        fix_instructions: "",
        dropped: [{ issue: late.description, task: 1, quote }]
      })
    }
    const one = settings({ wanted: { _tag: "AtMost", count: 1 } })
    const { events, header } = await implemented({ agents }, one)
    assert.strictEqual(header, "DoneAccepted")
    assert.deepInclude(events.find(({ _tag }) => _tag === "CycleAccepted"), { because: "OutOfScope" })
    const dropped = events.flatMap((event) => event._tag === "ReviewAnalysed" ? event.dropped : [])
    assert.deepStrictEqual(dropped, [{ issue: late.description, task: 1, quote }])
  })

  it("ends the call when the fixes are used up, and is written into the plan", async () => {
    let nth = 4
    const fixes = Object.fromEntries([1, 2].flatMap((round) => [
      [`fix-${round}`, (...all: Parameters<ScriptedAgent.AgentScript>) => work("Tried.", `code-${nth++}`)(...all)],
      [`review-${round}`, review("NEEDS_FIXES", [issue])]
    ]))
    const { header, text } = await implemented(
      { agents: { ...refused, analysis: fixing, ...fixes } },
      settings({ rounds: 2 })
    )
    assert.strictEqual(header, "StuckCapReached: AddressBatch:rounds")
    assert.include(text, "Unresolved")
    assert.include(text, "It adds one too many.")
    assert.notInclude(text, "done: true")
  })

  it("ends the call in a circle if a fix changes nothing", async () => {
    const agents = { ...refused, analysis: fixing, "fix-1": work("No."), "review-1": review("NEEDS_FIXES", [issue]) }
    assert.match((await implemented({ agents })).header, /^StuckRepeated: AddressBatch:/)
  })
})

describe("unfinished work", () => {
  it("is claimed by the next implementer, which need not change it again", async () => {
    const tests = (_: string, nth: number) => ({ exit: nth === 1 ? 0 : 1, output: "expected 3" })
    const again = await inWorld(
      { tests },
      Effect.gen(function*() {
        yield* call(settings({}, { fixAttempts: 0 }))
        yield* world({
          agents: { ...content, implement: work("DONE: 0\nDONE: 1"), test: work() },
          tests: () => ({ exit: 0 })
        })
        return yield* call(settings(), { again: true })
      })
    )
    assert.strictEqual(again.header, "DoneAccepted")
  })
})

describe("work that the user fixed", () => {
  it("is tested and reviewed in its own round, without an implementer", async () => {
    const tests = (_: string, nth: number) => ({ exit: nth === 1 ? 0 : 1, output: "expected 3" })
    const fixed = await inWorld(
      { tests },
      Effect.gen(function*() {
        yield* call(settings({}, { fixAttempts: 0 }))
        yield* world({ tests: () => ({ exit: 0 }) })
        yield* World.use(({ code }) => Ref.set(code, "fixed by hand"))
        return yield* call()
      })
    )
    assert.strictEqual(fixed.header, "DoneAccepted")
    const asked = fixed.events.flatMap((event) => event._tag === "AgentStarted" ? [event.taskId] : [])
    assert.deepStrictEqual(asked, ["cycle-1/implement", "cycle-1/test", "cycle-2/test", "cycle-2/review-0"])
    assert.strictEqual(fixed.text.match(/done: true/g)?.length, 2)
  })
})

describe("a call ends", () => {
  it("with failing tests that no agent fixes; the next call ends the same way, unless it asks for another try", async () => {
    const tests = (_: string, nth: number) => ({ exit: nth === 1 ? 0 : 1, output: "expected 3" })
    const [first, same, again] = await inWorld(
      { tests },
      Effect.gen(function*() {
        const first = yield* call(settings({}, { fixAttempts: 1 }))
        yield* world({ tests: () => ({ exit: 0 }) })
        return [first, yield* call(), yield* call(settings(), { again: true })] as const
      })
    )
    assert.deepStrictEqual([first.header, same.header], Array(2).fill("HandoffHuman: TestsFailedTriage"))
    assert.include(first.prompt, "npm test still fails")
    assert.strictEqual(same.prompt, `${first.prompt}; nothing has changed since`)
    assert.strictEqual(again.header, "DoneAccepted")
    assert.strictEqual(again.run.runId, first.run.runId)
  })

  it("if an agent reports that it cannot do its task", async () => {
    const report = "FAILED: no numbers\n\nProblems:\nThere are none."
    const agents = { ...content, implement: () => ScriptedAgent.answers(report) }
    const { header, prompt, text } = await implemented({ agents })
    assert.strictEqual(header, "HandoffHuman: AgentFailed")
    assert.include(prompt, "There are none.")
    assert.strictEqual(text, twoTasks)
  })

  it("if an implementer claims no task, or changes nothing", async () => {
    const agents = { ...content, implement: work("DONE: 0") }
    const { header, prompt } = await implemented({ agents })
    assert.strictEqual(header, "HandoffHuman: TaskBlocked")
    assert.include(prompt, "the working tree is unchanged")
  })

  it("if an agent cannot do its task, until the user lets the next call start again", async () => {
    const failed = () => ScriptedAgent.answers("FAILED: the tasks contradict each other")
    const [first, again, allowed] = await inWorld(
      { agents: { ...content, implement: failed } },
      Effect.gen(function*() {
        const calls = [yield* call(), yield* call()] as const
        yield* world({})
        return [...calls, yield* call(settings({}, { allow: ["unsandboxed", "rejected-result"] }))] as const
      })
    )
    assert.deepStrictEqual([first.header, again.header], ["HandoffHuman: AgentFailed", "HandoffHuman: AgentFailed"])
    assert.include(first.prompt, "[--allow rejected-result goes on")
    assert.strictEqual(allowed.header, "DoneAccepted")
  })

  it("if the plan cannot be read, before anything is written", async () => {
    const broken = Effect.flip(implement(settings(), file, "/repo"))
    const error = await inWorld({ plan: "---\ntasks: 3\n---\n" }, broken)
    assert.match(error.message, /line 2, column 8/)
  })

  it("on a signal, and the next call continues with the running agent", async () => {
    const late: ScriptedAgent.AgentScript = (...all) => ({ ...content.implement(...all), after: 60_000 })
    const [first, again] = await inWorld(
      { agents: { ...content, implement: late } },
      Effect.gen(function*() {
        const run = yield* Deferred.make<RunRef>()
        const onRun = (ref: RunRef) => Effect.asVoid(Deferred.succeed(run, ref))
        const calling = yield* Effect.forkChild(call(settings(), { onRun }))
        const ref = yield* Deferred.await(run)
        const events = Effect.map(EventLog.use((log) => log.read(planRun, ref)), ({ commits }) => commits)
        const works = Effect.map(
          events,
          (all) => all.some(({ events }) => events.some(({ _tag }) => _tag === "AgentStarted"))
        )
        yield* Effect.repeat(Effect.andThen(Effect.sleep(1000), works), { until: (seen) => seen })
        yield* World.use(({ fire }) => fire("SIGTERM"))
        return [yield* Fiber.join(calling), yield* call()] as const
      })
    )
    assert.deepStrictEqual([first.header, again.header], ["DoneAborted", "DoneAccepted"])
    const started = again.events.flatMap((event) => event._tag === "AgentStarted" ? [event.taskId] : [])
    assert.deepStrictEqual(started, ["cycle-1/implement", "cycle-1/test", "cycle-1/review-0"])
  })
})
