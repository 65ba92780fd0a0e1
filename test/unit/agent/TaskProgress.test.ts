import { assert, describe, it } from "vitest"
import type { AgentState } from "../../../src/agent/State.ts"
import { isAnswer, isLasting, isOpen, preambleOf, taskProgress } from "../../../src/agent/TaskProgress.ts"
import type { TaskEventOf } from "../../../src/agent/Event.ts"
import { digest } from "../run/events.ts"
import { failures } from "./failures.ts"

type Judged = TaskEventOf<"ResultJudged">
const expected = { role: "worker", taskId: "7" } as const

const agent = (number: number, judged: Partial<Judged> | null, taskId = "7"): AgentState => {
  const told = { agent: number, attempt: 1 }
  return {
    agent: number,
    started: {
      _tag: "AgentStarted",
      ...told,
      id: `${number}`,
      cause: "First",
      kind: "codex",
      role: "worker",
      taskId,
      sandbox: "workspace-write",
      effort: null,
      model: null,
      thread: null,
      prompt: digest
    },
    standing: { _tag: "Running", attempt: 1, id: `${number}` },
    failures: [],
    judged: judged === null ? null : {
      _tag: "ResultJudged",
      agent: number,
      taskId,
      role: "worker",
      grammar: "v2",
      valid: true,
      status: "pass",
      action: "accept",
      problems: [],
      ...judged
    },
    gitChanged: []
  }
}
const invalid = { valid: false, status: null, action: "retry", problems: ["status is missing"] } as const

describe("the progress of a task", () => {
  it("counts what all its agents have used up, and no other task's", () => {
    const error = { status: "error", action: "spawn" } as const
    const all = [
      agent(1, invalid),
      agent(2, error),
      agent(3, { status: "gaps" }),
      agent(4, invalid, "8"),
      agent(5, null)
    ]
    const { asked, counters } = taskProgress(all, expected, 2)
    assert.deepStrictEqual(counters, { role: "worker", invalid: 1, replaced: false, failures: 1, rejections: 1 })
    assert.deepStrictEqual(asked.map((one) => one.agent), [3, 5])
    assert.strictEqual(taskProgress(all, { ...expected, role: "spec-reviewer" }, 0).asked.length, 0)
  })

  it("puts the preamble before the prompt of the agent that is asked once more, and of no other", () => {
    const progress = taskProgress([agent(1, invalid), agent(2, { action: "spawn", status: "error" })], expected, 0)
    assert.strictEqual(preambleOf(progress, expected, 1), "")
    assert.match(preambleOf(progress, expected, 2), /^RETRY CONTEXT:.*status is missing/)
    assert.strictEqual(preambleOf(progress, expected, 3), "")
  })
})

it("a failure lasts where only a person can mend it", () => {
  const lasting = Object.values(failures).map(({ _tag }) => _tag).filter(isLasting)
  assert.sameMembers(lasting, ["Login", "Quota", "BadArguments", "Missing", "SandboxDenied", "Interrupted"])
})

describe("an agent", () => {
  it("is open until it was judged, was stopped, changed git's own state, or failed for good", () => {
    const running = agent(1, null)
    assert.isTrue(isOpen(running))
    assert.isFalse(isOpen(agent(1, {})))
    assert.isFalse(isOpen({ ...running, standing: { _tag: "Stopped", cause: "Stop" } }))
    assert.isFalse(isOpen({ ...running, gitChanged: ["HEAD"] }))
  })

  it("has answered where its judgement is the last word, and not where another agent is asked next", () => {
    const actions = ["accept", "remediate", "block", "retry", "replace", "spawn", "correct", "convert"] as const
    assert.deepStrictEqual(actions.filter((action) => isAnswer(agent(1, { action }))), ["accept", "remediate", "block"])
    assert.isFalse(isAnswer(agent(1, null)))
  })
})
