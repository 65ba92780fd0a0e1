// Any program as an agent: prompt on standard input, answer on standard output, its task in its environment.
import { Effect, Stream } from "effect"
import { assert, describe, it } from "vitest"
import { commandProgram, commandLayer } from "../../../src/agent/Kinds.live.ts"
import { agentFiles } from "../../../src/run/Layout.live.ts"
import { type AgentTask, defaultLimits } from "../../../src/agent/Task.ts"
import type { AgentRef } from "../../../src/log/Refs.ts"
import { Agent } from "../../../src/agent/Agent.ts"
import { type AgentBench, endOf, withAgents } from "./agentBench.ts"

const answer = async (bench: AgentBench, line: string, change: Partial<AgentTask> = {}, agent = 1) => {
  const attempt: AgentRef = { ...bench.ref(1, agent), kind: "command" }
  const told = await bench.run1(
    Effect.provide(
      Agent.use((agent) =>
        Effect.andThen(
          agent.start(attempt, bench.task(change), { thread: null, prompt: "The prompt\n" }),
          Stream.runCollect(agent.follow(attempt, defaultLimits))
        )
      ),
      commandLayer(line)
    )
  )
  return { attempt, ...endOf(told) }
}

describe("a program as an agent", () => {
  it("is not confined", () => {
    const { confined, kind } = commandProgram("true")
    assert.deepStrictEqual([kind, confined], ["command", false])
  })

  it("reads the prompt, and answers with what it prints", () =>
    withAgents(async (bench) => {
      const { ending, threadId, turn, usage } = await answer(bench, "echo working >&2; tr a-z A-Z; pwd")
      assert.deepStrictEqual(ending, { _tag: "Done", message: `THE PROMPT\n${bench.work}` })
      assert.deepStrictEqual([threadId, usage, turn], [null, null, "none"])
    }))

  it("finds its task in its environment, and no secrets", () =>
    withAgents(async (bench) => {
      const line = 'echo "$OODA_ROLE|$OODA_TASK_ID|$OODA_PROMPT_FILE|$OODA_FINDINGS|$OODA_IN_AGENT|$A_TOKEN"'
      const one = await answer(bench, line, { findings: "/f/findings.md" })
      const file = agentFiles(one.attempt).prompt
      assert.strictEqual(one.message, `worker|T-1|${file}|/f/findings.md|1|`)
      const variables = await answer(bench, 'echo "$CLAUDE_CODE_DISABLE_ATTACHMENTS|$ENABLE_TOOL_SEARCH"', {}, 3)
      assert.strictEqual(variables.message, "1|false")
      const none = await answer(bench, 'echo "${OODA_FINDINGS-unset}"', {}, 2)
      assert.strictEqual(none.message, "unset")
    }, { ...process.env, A_TOKEN: "secret", OODA_FINDINGS: undefined }))

  it.each([
    ["exit 0", "Empty"],
    ["echo 'FAILED: no compiler'", "Reported"],
    ["echo some; echo 'it broke' >&2; exit 3", "Crashed"],
    ["echo 'status 429 Too Many Requests' >&2; exit 1", "RateLimited"],
    ["no-such-program", "Missing"]
  ])(
    "that does %j ends as %s",
    (line, tag) => withAgents(async (bench) => assert.strictEqual((await answer(bench, line)).ending._tag, tag))
  )

  it("that fails says why in the last words of its standard error", () =>
    withAgents(async (bench) => {
      const { ending } = await answer(bench, "echo early >&2; echo 'it broke' >&2; echo answer; exit 3")
      assert.deepStrictEqual(ending, { _tag: "Crashed", message: "early\nit broke", exit: 3 })
    }))
})
