// AgentWork: agents under way and tokens, as fields and as lines.
import { assert, describe, it } from "vitest"
import { noAgents, evolveAgents } from "../../../src/agent/State.ts"
import { begun } from "../../../src/drive/converge/State.ts"
import { noUsage } from "../../../src/run/Usage.ts"
import { type Spent, unspent } from "../../../src/drive/Spending.ts"
import { agentWork, workLines, workOf } from "../../../src/read/Watch.ts"
import { agentFinished, agentStarted } from "../drive/converge/events.ts"

const some = { input: 1200, cached: 0, output: 80, reasoning: 0 }
const events = [
  agentStarted(),
  agentFinished(),
  agentStarted({ agent: 2, taskId: `look\n${"x".repeat(200)}`, kind: "command" })
]
const spent: Spent = {
  ...unspent,
  spending: { reviews: some, agents: noUsage },
  driver: {
    head: { seq: 1, hash: "" },
    walked: {
      state: { ...begun("r"), agents: events.reduce((state, event) => evolveAgents(state, event, 0), noAgents) },
      unknown: null
    },
    since: new Map([[1, 0], [2, 5000]]),
    testsSince: new Map()
  }
}

describe("the work of agents", () => {
  it("is that of the agents that are under way, with their time", () => {
    const { agents, usage } = agentWork(spent, 66_000)
    assert.deepStrictEqual(agents?.map(({ agent, elapsed, state }) => [agent, elapsed, state]), [[
      2,
      61_000,
      "running"
    ]])
    assert.deepStrictEqual(usage, spent.spending)
  })

  it("never began after now, and is nothing where nothing is known", () => {
    assert.strictEqual(agentWork(spent, 0).agents?.[0]?.elapsed, 0)
    assert.deepStrictEqual(agentWork(unspent, 0), {})
    assert.deepStrictEqual(workLines({}), [])
  })

  it("is a line for each agent and one for the tokens, whatever a task is called", () => {
    const lines = workLines(agentWork(spent, 66_000))
    assert.match(lines[0]?.text ?? "", /^agent 2 {3}running {3} *1m01s {2}command as worker of "look\\nx{50,}.*"$/)
    assert.strictEqual(lines[1]?.text, "tokens    1.2k in, 80 out")
    const later = workLines(agentWork(spent, 99_000))
    assert.deepStrictEqual(later.map(({ essence }) => essence), lines.map(({ essence }) => essence))
  })

  it("leaves the other fields of what is watched out of documents", () => {
    const work = agentWork(spent, 66_000)
    assert.deepStrictEqual(workOf({ ...work, ...{ at: 3 } }), work)
    assert.deepStrictEqual(workOf({}), {})
  })
})
