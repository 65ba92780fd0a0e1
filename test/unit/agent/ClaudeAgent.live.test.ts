// Claude Code as an agent: its command line and its variables.
// The one rule: what the real one makes of them is seen in test/claude.
import { assert, describe, it } from "vitest"
import { claudeArguments, claudeProgram } from "../../../src/agent/Kinds.live.ts"
import { makeAgent } from "../../../src/agent/Agent.live.ts"
import type { Start } from "../../../src/agent/Program.live.ts"
import { agentFiles } from "../../../src/run/Layout.live.ts"
import { textOf, withAgents } from "./agentBench.ts"

const common = ["-p", "--output-format=stream-json", "--verbose"]

describe("the arguments of Claude Code", () => {
  it("allow a writer what it needs, and forbid a reader to write", () =>
    withAgents(async ({ task }) => {
      const turn = { thread: null, prompt: "x" }
      assert.deepStrictEqual(claudeArguments({ task: task(), turn }), [
        ...common,
        "--allowedTools=Bash,Edit,NotebookEdit,Write"
      ])
      assert.deepStrictEqual(claudeArguments({ task: task({ sandbox: "read-only" }), turn }), [
        ...common,
        "--disallowedTools=Edit,NotebookEdit,Write",
        "--permission-mode=default"
      ])
    }))

  it("close the repository's own settings where the code may be somebody else's, also on a thread", () =>
    withAgents(async ({ task }) => {
      for (const thread of [null, "t-1"]) {
        const closed = [
          "--setting-sources=user",
          "--safe-mode",
          "--strict-mcp-config",
          "--disable-slash-commands",
          "--no-chrome"
        ]
        const turn = { thread, prompt: "x" }
        assert.includeMembers([...claudeArguments({ task: task({ untrusted: true }), turn })], closed)
        assert.notIncludeMembers([...claudeArguments({ task: task({ untrusted: false }), turn })], closed)
      }
    }))

  it("name effort, model, form and thread, each in one word that cannot pass for another option", () =>
    withAgents(async ({ task }) =>
      assert.deepStrictEqual(
        claudeArguments({
          task: task({ effort: "high", model: "m", answer: { type: "object" } }),
          turn: { thread: "--x", prompt: "x" }
        }).slice(4),
        ["--effort=high", "--model=m", '--json-schema={"type":"object"}', "--resume=--x"]
      )
    ))
})

describe("the variables of Claude Code", () => {
  it("keep its own keys alone, and those of the cloud that it is told to use", () =>
    withAgents(async (bench) => {
      const own = { ANTHROPIC_API_KEY: "1", ANTHROPIC_AUTH_TOKEN: "2", CLAUDE_CODE_OAUTH_TOKEN: "3" }
      const others = { AWS_SECRET_ACCESS_KEY: "4", OPENAI_API_KEY: "5", CLAUDECODE: "1" }
      const start = (environment: Start["environment"]): Start => ({
        attempt: bench.ref(),
        task: bench.task(),
        turn: { thread: null, prompt: "x" },
        prepared: { prompt: "/p", schema: null, scratch: "/s" },
        environment
      })
      const { variables } = claudeProgram("claude")
      const always = { OODA_IN_AGENT: "1", CLAUDE_CODE_DISABLE_ATTACHMENTS: "1", ENABLE_TOOL_SEARCH: "false" }
      assert.deepStrictEqual(variables(start({ ...own, ...others })), { ...own, ...always })
      const bedrock = { CLAUDE_CODE_USE_BEDROCK: "1" }
      assert.deepStrictEqual(variables(start({ ...others, ...bedrock })), {
        AWS_SECRET_ACCESS_KEY: "4",
        ...bedrock,
        ...always
      })
      const contrary = { CLAUDE_CODE_DISABLE_ATTACHMENTS: "", ENABLE_TOOL_SEARCH: "true", MAX_THINKING_TOKENS: "9" }
      assert.deepStrictEqual(variables(start(contrary)), always)
    }))
})

describe("Claude Code", () => {
  it("never gets a prompt that is a command of its own", () =>
    withAgents(async ({ ended, ref, script, start, task }) => {
      const echo = { ...script("cat"), literal: claudeProgram("claude").literal ?? assert.fail("it has none") }
      const prompts = {
        "/clear all": "Your task:\n\n/clear all",
        " \n/x": "Your task:\n\n \n/x",
        "Fix a/b.": "Fix a/b."
      }
      for (const [nth, [prompt, said]] of Object.entries(prompts).entries()) {
        const attempt = ref(1, nth + 1)
        await start(makeAgent(echo), attempt, task({ prompt }))
        await ended(attempt)
        assert.strictEqual(textOf(agentFiles(attempt).prompt), said)
      }
    }))

  it("is not confined by this program", () => {
    const { confined, kind } = claudeProgram("claude")
    assert.deepStrictEqual([kind, confined], ["claude", false])
    assert.deepInclude(makeAgent(claudeProgram("claude")), { kind: "claude", confined: false })
  })
})
