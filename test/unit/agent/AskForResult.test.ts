// AskForResult: each way that a result can go, who is asked next with which prompt, and what is in the log.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import {
  askForResult,
  type Judgement,
  judgeOnce,
  type ResultOrder,
  untilResult
} from "../../../src/agent/AskForResult.ts"
import { openDriver } from "../../../src/drive/converge/State.ts"
import { resultJsonSchema } from "../../../src/agent/Result.ts"
import type { AgentTask } from "../../../src/agent/Task.ts"
import { answersAll } from "../../../src/drive/converge/Answers.ts"
import { Memory, ScriptedAgent, World } from "../../../src/testing.ts"
import { AgentTaken } from "../../../src/agent/Order.ts"
import { refreshDriver } from "../../../src/agent/TaskLog.ts"
import { events, failures, killed, ran, sameWhereverKilled, scripted, task, workers } from "../../support/agents.ts"
import { runRef } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"

const { answers, fails, inOrder } = ScriptedAgent
type Scripts = readonly [ScriptedAgent.ScriptedAgent, ...ReadonlyArray<ScriptedAgent.ScriptedAgent>]

const order = (change: Partial<ResultOrder> = {}): ResultOrder => ({ task: task(), ...change })
const reviewing = (change: Partial<AgentTask> = {}) => order({ task: task({ role: "spec-reviewer", ...change }) })
const ask = (wanted = order()) =>
  Effect.flatMap(openDriver(runRef()), (driver) => Effect.map(askForResult(driver, wanted), ({ result }) => result))

const judgements = Effect.map(
  events,
  (all) =>
    all.flatMap((event) => event._tag === "ResultJudged" ? [`${event.agent} ${event.status} ${event.action}`] : [])
)

/** What comes of a question whose agents follow these scripts, one attempt each. */
const asked = (scripts: Scripts, wanted = order(), options = {}) =>
  onMachine(
    Effect.gen(function*() {
      yield* scripted(inOrder(...scripts))
      const result = yield* ask(wanted)
      return { result, again: yield* ask(wanted), judged: yield* judgements, prompts: yield* workers }
    }),
    options
  )

const invalid = answers("role: worker\nstatus: maybe")
const passed = answers("The bound is fixed.", { edits: "code-2" })
const gaps = answers("role: worker\ntask_id: task-1\nstatus: gaps\nissues: a test fails\n\nIt fails.")
const error = answers("FAILED: no compiler")
const unclear = answers("I have read the change.")
const approved = answers("role: spec-reviewer\ntask_id: task-1\nstatus: pass\n\nFine.")
const finding = "0123456789abcdef"
const said = (result: { readonly _tag: string }) =>
  "action" in result && "retried" in result ? [result.action, result.retried] : result._tag

describe("a result", () => {
  it("is accepted, and given again to a later call", async () => {
    const { again, judged, prompts, result } = await asked([passed])
    assert.deepStrictEqual(judged, ["1 pass accept"])
    assert.deepInclude(result, { _tag: "Judged", action: "accept", agent: 1, retried: false })
    assert.deepStrictEqual(again, result)
    assert.lengthOf(prompts, 1)
  })

  it("that cannot be used is asked for once more, with the preamble before the whole prompt", async () => {
    const { again, judged, prompts, result } = await asked([invalid, passed])
    assert.deepStrictEqual(judged, ["1 null retry", "2 pass accept"])
    assert.match(prompts[1]?.prompt ?? "", /^RETRY CONTEXT:[^]*\n---\nFix the bound\.$/)
    assert.deepStrictEqual([said(result), said(again)], [["accept", true], ["accept", true]])
  })

  it.each([
    ["a look around", answers("I had a look around.")],
    ["a failure", answers("I could not install it. Implementation complete otherwise.", { edits: "code-2" })],
    ["findings that were left", answers(`finding ${finding}: not-done - too hard`)]
  ])("that is no more than %s is asked for once more, then the task is blocked", async (_, agent) => {
    const { judged } = await asked([agent], order({ answers: (text) => answersAll(text, [finding]) }))
    assert.deepStrictEqual(judged, ["1 null retry", "2 null block"])
  })

  it("that answers every finding is accepted, though nothing changed", async () => {
    const agent = answers(`finding ${finding}: refuted - it cannot fail`)
    const { judged } = await asked([agent], order({ answers: (text) => answersAll(text, [finding]) }))
    assert.deepStrictEqual(judged, ["1 pass accept"])
  })

  it("is asked for as JSON too", async () => {
    const forms: Array<unknown> = []
    await onMachine(Effect.gen(function*() {
      yield* scripted((_attempt, { answer }) => {
        forms.push(answer)
        return passed
      })
      yield* ask()
    }))
    assert.deepStrictEqual(forms, [resultJsonSchema({ role: "worker", taskId: "task-1" })])
  })

  it("that cannot be used twice replaces a reviewer once, by a fresh one without the preamble", async () => {
    const { judged, prompts, result } = await asked([unclear, unclear, approved], reviewing())
    assert.deepStrictEqual(judged, ["1 null retry", "2 null replace", "3 pass accept"])
    assert.strictEqual(prompts[2]?.prompt, "Fix the bound.")
    assert.deepStrictEqual(said(result), ["accept", false])
    assert.deepStrictEqual((await asked([unclear], reviewing())).judged.at(-1), "3 null block")
  })

  it("of a failure gets one fresh agent with the same prompt, then blocks", async () => {
    const { judged, prompts, result } = await asked([error])
    assert.deepStrictEqual(judged, ["1 error spawn", "2 error block"])
    assert.deepStrictEqual(prompts.map(({ prompt }) => prompt), ["Fix the bound.", "Fix the bound."])
    assert.deepStrictEqual(said(result), ["block", false])
  })

  it("with gaps goes back to the caller, who asks again, three times in all", async () => {
    const judged = await onMachine(Effect.gen(function*() {
      yield* scripted(() => gaps)
      for (const after of [0, 1, 2]) yield* ask(order({ after }))
      return yield* judgements
    }))
    assert.deepStrictEqual(judged, ["1 gaps remediate", "2 gaps remediate", "3 gaps block"])
  })

  it("of another program is not completed", async () => {
    const { judged } = await asked([passed], order({ allow: ["unsandboxed"] }), {
      agent: Memory.agents({ kind: "command", confined: false })
    })
    assert.deepStrictEqual(judged.at(-1), "2 null block")
  })

  it("keeps the preamble before a compacted prompt", async () => {
    const { prompts } = await asked(
      [invalid, fails(failures.ContextWindow), passed],
      order({ compact: () => "shorter" })
    )
    assert.match(prompts[2]?.prompt ?? "", /^RETRY CONTEXT:[^]*\n---\nshorter$/)
  })
})

describe("a failure that a person must fix", () => {
  it("halts with its remedy, uses nothing up, and a later call asks a fresh agent", async () => {
    const { again, judged, prompts, result } = await asked([fails(failures.Login), passed])
    assert.deepInclude(result, { _tag: "Halted", agent: 1 })
    assert.include(result._tag === "Halted" ? result.remedy : "", "codex login")
    assert.deepInclude(again, { _tag: "Judged", action: "accept", agent: 2 })
    assert.deepStrictEqual(judged, ["2 pass accept"])
    assert.lengthOf(prompts, 2)
  })
})

describe("two tasks at once", () => {
  it("get agents of their own", async () => {
    const { judged, results } = await onMachine(Effect.gen(function*() {
      const pass = (taskId: string) => `role: worker\ntask_id: ${taskId}\nstatus: pass\ngit_range: a..b\n\nFixed.`
      yield* scripted((_attempt, { taskId }) => answers(pass(taskId), { after: 1_000 }))
      const other = order({ task: task({ taskId: "task-2" }) })
      const results = yield* Effect.all([ask(), ask(other), ask()], { concurrency: "unbounded" })
      return { results, judged: yield* judgements }
    }))
    assert.lengthOf(judged, 2)
    assert.deepStrictEqual(results[0], results[2])
    assert.notDeepEqual(results[0], results[1])
  })
})

const judgement = (status: "pass" | "gaps"): Judgement => ({
  taskId: "task-1",
  role: "worker",
  grammar: "v2",
  valid: true,
  status,
  action: status === "pass" ? "accept" : "remediate",
  problems: []
})

describe("judging an answer", () => {
  it("is done once, by the first caller", async () => {
    const judged = await onMachine(Effect.gen(function*() {
      yield* scripted(ScriptedAgent.inOrder(ScriptedAgent.answers("Done.")))
      const { driver } = yield* ran()
      yield* judgeOnce(driver, 1, () => judgement("pass"))
      yield* judgeOnce(driver, 1, () => judgement("gaps"))
      return (yield* events).flatMap((event) => event._tag === "ResultJudged" ? [event.status] : [])
    }))
    assert.deepStrictEqual(judged, ["pass"])
  })

  it("keeps as many problems as an event has room for", async () => {
    const problems = Array.from({ length: 5000 }, (_, i) => `header ${i} ${"漢".repeat(500)}`)
    const kept = await onMachine(Effect.gen(function*() {
      yield* scripted(ScriptedAgent.inOrder(ScriptedAgent.answers("Done.")))
      const { driver } = yield* ran()
      yield* judgeOnce(driver, 1, () => ({ ...judgement("gaps"), problems }))
      return (yield* events).flatMap((event) => event._tag === "ResultJudged" ? event.problems : [])
    }))
    assert.lengthOf(kept, 20)
  })
})

describe("asking until there is a result", () => {
  it("asks again if there is no result yet, and if the number went to another task", async () => {
    const { asked, result } = await onMachine(Effect.gen(function*() {
      const turns = yield* Ref.make(0)
      const { result } = yield* untilResult(yield* openDriver(runRef()), (driver) =>
        Effect.gen(function*() {
          const turn = yield* Ref.updateAndGet(turns, (count) => count + 1)
          if (turn === 1) return { driver, result: null }
          if (turn === 2) return yield* new AgentTaken({ agent: 1, taskId: "task-2" })
          return { driver: yield* refreshDriver(driver), result: `turn ${turn}` }
        }))
      return { result, asked: yield* Ref.get(turns) }
    }))
    assert.strictEqual(result, "turn 3")
    assert.strictEqual(asked, 3)
  })

  it("fails with any other failure", async () => {
    const failure = await onMachine(Effect.gen(function*() {
      const driver = yield* openDriver(runRef())
      return yield* Effect.flip(untilResult(driver, () => Effect.fail("broken" as const)))
    }))
    assert.strictEqual(failure, "broken")
  })
})

describe("a driver that is killed while it asks for a result", () => {
  const passed = answers("The bound is fixed.", { after: 500 })
  const long = answers(`FAILED: ${"no compiler ".repeat(1_000)}`)
  const limited = fails({ ...failures.RateLimited, after: 1_000 }, { thread: null })

  /** What the log says of results, and which agents were run, after kills; the scripts follow the attempts in order. */
  const after = (scripts: ReadonlyArray<ScriptedAgent.ScriptedAgent>, kills: ReadonlyArray<number>) =>
    onMachine(Effect.gen(function*() {
      yield* scripted(ScriptedAgent.inOrder(scripts[0] ?? passed, ...scripts.slice(1)))
      for (const at of kills) yield* killed(at, ask())
      const result = yield* ask()
      const judged = (yield* events).flatMap((event) => event._tag === "ResultJudged" ? [event.action] : [])
      const ran = (yield* Ref.get((yield* World).agents)).map(({ scripted }) => scripted.ending.message)
      return { judged, ran, result: result._tag === "Judged" ? result.result : result }
    }))

  it.each([
    ["is right at once", [passed]],
    ["is invalid first", [invalid, passed]],
    ["is an error first, after a wait", [limited, error, passed]],
    ["is invalid, then two errors", [invalid, error, long]]
  ])(
    "a result that %s comes out the same wherever the driver is killed",
    (_, scripts) => sameWhereverKilled((kills) => after(scripts, kills))
  )
})
