// Agents: the prompt, thread and permissions of each agent of a round.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { answerable } from "../../../../src/drive/converge/Agents.ts"
import { BranchName } from "../../../../src/run/Target.ts"
import { Memory, World } from "../../../../src/testing.ts"
import { onMachine } from "../../run/opened.ts"
import { workers } from "../../../support/agents.ts"
import { byTask, call, type Doing, result, settings, world } from "./driven.ts"
import { assignment } from "./assignments.ts"

const asked = (doing: Doing, set = settings(), options = {}) =>
  onMachine(
    Effect.gen(function*() {
      yield* world(doing)
      yield* call(set)
      const tasks = yield* World.use(({ agents }) => Effect.map(Ref.get(agents), (all) => all.map(({ task }) => task)))
      return { tasks, attempts: yield* workers }
    }),
    options
  )

describe("the agents of a round", () => {
  it("are asked with the hand-off, the findings, and the contract of their task", async () => {
    const { attempts, tasks } = await asked({})
    assert.deepStrictEqual(tasks.map(({ role, sandbox, taskId }) => [taskId, role, sandbox]), [
      ["round-1/address", "worker", "workspace-write"],
      ["round-2/retrospective", "code-quality-reviewer", "read-only"]
    ])
    assert.match(attempts[0]?.prompt ?? "", /^Verify and address 1 review\(s\)[^]*Check the bound[^]*round-1\/address/)
    assert.match(attempts[1]?.prompt ?? "", /history[^]*round-2\/retrospective/)
  })

  it("know if the code may come from a stranger", async () => {
    const gitHub = Memory.gitHub({ 7: BranchName.make("main") })
    const untrusted = async (step: object) =>
      new Set((await asked({}, settings({}, step), { gitHub })).tasks.map((task) => task.untrusted))
    assert.deepStrictEqual(await untrusted({}), new Set([false]))
    assert.deepStrictEqual(await untrusted({ trustFrom: "main" }), new Set([true]))
    assert.deepStrictEqual(await untrusted({ target: { _tag: "PullRequest", number: 7 } }), new Set([true]))
  })

  it("are asked for the rest of their work, on their thread", async () => {
    let nth = 0
    const agents = byTask({
      address: (...all) => result(nth++ === 0 ? "gaps" : "pass", "the second place is left", "code-2")(...all)
    })
    const { attempts } = await asked({ agents })
    assert.strictEqual(attempts[1]?.thread, "thread-1")
    assert.include(attempts[1]?.prompt ?? "", "the second place is left")
    assert.notInclude(attempts[1]?.prompt ?? "", "Verify and address")
  })

  it("are asked more firmly for the work if they only planned it", async () => {
    let nth = 0
    const agents = byTask({
      address: (...all) => result("pass", "I will implement the check.", nth++ === 0 ? undefined : "code-2")(...all)
    })
    const { attempts } = await asked({ agents })
    assert.match(attempts[1]?.prompt ?? "", /^Your answer is a plan, and no file has changed\./)
  })

  it("without threads get the whole prompt again, even for failing tests", async () => {
    const tests = (_: string, nth: number) => ({ exit: nth === 2 || nth === 3 ? 1 : 0, output: "expected 3" })
    const doing: Doing = { tests, agents: (...all) => ({ ...result("pass", "", "code-2")(...all), events: [] }) }
    const { attempts } = await asked(doing, settings(), { agent: Memory.agents({ kind: "command" }) })
    const fixPrompt = attempts[1]?.prompt ?? ""
    assert.isNull(attempts[1]?.thread)
    assert.match(fixPrompt, /^Verify and address[^]*The tests are red after it[^]*expected 3/)
  })

  it("answer with a line for each finding that has a name", () => {
    assert.deepStrictEqual(answerable(assignment(["dedc50f907b3b2a4", "unlisted-2"])), ["dedc50f907b3b2a4"])
  })
})
