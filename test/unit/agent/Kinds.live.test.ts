// Kinds.live: what Codex, Claude Code and any other program get on their command lines and in their variables.
// What the real ones make of it is seen in test/codex and test/claude.
import { mkdirSync, writeFileSync } from "node:fs"
import { Effect, Stream } from "effect"
import { assert, describe, it } from "vitest"
import {
  claudeArguments,
  claudeProgram,
  codexArguments,
  codexLayer,
  codexProgram,
  commandLayer,
  commandProgram
} from "../../../src/agent/Kinds.live.ts"
import { type AgentTask, defaultLimits } from "../../../src/agent/Task.ts"
import { Agent } from "../../../src/agent/Agent.ts"
import type { Start } from "../../../src/agent/Program.live.ts"
import { makeAgent } from "../../../src/agent/Agent.live.ts"
import { runDirectory } from "../../../src/log/LogFile.live.ts"
import { agentFiles } from "../../../src/run/Layout.live.ts"
import type { AgentRef } from "../../../src/log/Refs.ts"
import { type AgentBench, endOf, textOf, withAgents } from "../../support/agentBench.ts"

const start = (
  bench: AgentBench,
  change: Parameters<AgentBench["task"]>[0] = {},
  thread: string | null = null
): Start => ({
  attempt: bench.ref(),
  task: bench.task(change),
  turn: { thread, prompt: "Do it." },
  prepared: { prompt: "/p", schema: null, scratch: '/s/a "b"' },
  environment: {}
})

describe("the arguments of codex", () => {
  it("of a writer open its worktree and one private directory, and nothing else", () =>
    withAgents(async (bench) =>
      assert.deepStrictEqual(codexArguments(start(bench, { effort: "high", model: "m-1" })), [
        "exec",
        "-s",
        "workspace-write",
        "--json",
        "-c",
        'approval_policy="never"',
        "-c",
        "features.unbounded_connection_retries=false",
        "-c",
        "sandbox_workspace_write.exclude_slash_tmp=true",
        "-c",
        "sandbox_workspace_write.exclude_tmpdir_env_var=true",
        "-c",
        'sandbox_workspace_write.writable_roots=["/s/a \\"b\\""]',
        "-c",
        "shell_environment_policy.ignore_default_excludes=false",
        "-c",
        'model_reasoning_effort="high"',
        "--model=m-1",
        "-"
      ])
    ))

  it("keep instructions in a stranger's change from an agent", () =>
    withAgents(async (bench) => {
      const asked = start(bench, { untrusted: true })
      const settings = codexArguments(asked).filter((_, i, all) => all[i - 1] === "-c")
      assert.includeMembers([...settings], [
        "skills.include_instructions=false",
        "project_doc_max_bytes=0",
        `projects={"${asked.task.cwd}"={trust_level="untrusted"}}`
      ])
    }))

  it("of a reader open nothing, and of one that continues name its thread behind all options", () =>
    withAgents(async (bench) => {
      const reader = { ...start(bench, { sandbox: "read-only" }, "--last") }
      assert.deepStrictEqual(codexArguments({ ...reader, prepared: { ...reader.prepared, schema: "/s.json" } }), [
        "exec",
        "resume",
        "-c",
        'sandbox_mode="read-only"',
        "--json",
        "-c",
        'approval_policy="never"',
        "-c",
        "features.unbounded_connection_retries=false",
        "-c",
        "skills.include_instructions=false",
        "-c",
        "project_doc_max_bytes=0",
        "-c",
        `projects={"${reader.task.cwd}"={trust_level="untrusted"}}`,
        "-c",
        "shell_environment_policy.ignore_default_excludes=false",
        "--output-schema=/s.json",
        "--",
        "--last",
        "-"
      ])
    }))
})

describe("the variables of codex", () => {
  it("keep the keys that are codex's own, and those that its configuration names", () =>
    withAgents(async (bench) => {
      const home = bench.path("codex-home")
      mkdirSync(home)
      writeFileSync(`${home}/config.toml`, '[model_providers.x]\nenv_key = "X_KEY"\n')
      const kept = { CODEX_API_KEY: "1", OPENAI_API_KEY: "2", X_KEY: "3", CODEX_HOME: home }
      const { variables } = codexProgram("codex")
      const one = start(bench)
      const writer = variables({ ...one, environment: { ...kept, Y_KEY: "4", TMPDIR: "/t" } })
      assert.deepStrictEqual(writer, { ...kept, TMPDIR: one.prepared.scratch, OODA_IN_AGENT: "1" })
      const reader = variables({ ...start(bench, { sandbox: "read-only" }), environment: { ...kept, TMPDIR: "/t" } })
      assert.deepStrictEqual(reader, { ...kept, TMPDIR: "/t", OODA_IN_AGENT: "1" })
    }))
})

describe("a codex that is missing", () => {
  it("ends the attempt as Missing, and the ending says what was looked for", () =>
    withAgents(async (bench) => {
      const attempt = bench.ref()
      const updates = await bench.run1(
        Agent.use((agent) =>
          Effect.andThen(
            agent.start(attempt, bench.task(), { thread: null, prompt: "x" }),
            Stream.runCollect(agent.follow(attempt, defaultLimits))
          )
        ).pipe(Effect.provide(codexLayer("no-such-codex")))
      )
      const { ending } = endOf(updates)
      assert.strictEqual(ending._tag, "Missing")
      assert.match(ending.message, /^the program no-such-codex of the agent is missing: not found in PATH/)
    }))
})

const common = ["-p", "--output-format=stream-json", "--verbose"]

describe("the arguments of Claude Code", () => {
  it("name the tools of a writer and of a reader, whom nothing in the code configures either", () =>
    withAgents(async (bench) => {
      assert.deepStrictEqual(claudeArguments(start(bench)), [
        ...common,
        "--tools=Bash,Edit,NotebookEdit,Write,Glob,Grep,Read",
        "--allowedTools=Bash,Edit,NotebookEdit,Write"
      ])
      const reader = start(bench, { sandbox: "read-only" })
      assert.deepStrictEqual(claudeArguments(reader), [
        ...common,
        "--tools=Glob,Grep,Read",
        "--permission-mode=default",
        `--add-dir=${runDirectory(reader.attempt.run)}`,
        "--safe-mode",
        "--disable-slash-commands",
        "--setting-sources=user",
        "--strict-mcp-config",
        "--no-chrome"
      ])
    }))

  it("ignore the repository's own settings if the code may be a stranger's, also on a thread", () =>
    withAgents(async (bench) => {
      for (const thread of [null, "t-1"]) {
        const closed = [
          "--setting-sources=user",
          "--safe-mode",
          "--strict-mcp-config",
          "--disable-slash-commands",
          "--no-chrome"
        ]
        assert.includeMembers([...claudeArguments(start(bench, { untrusted: true }, thread))], closed)
        assert.notIncludeMembers([...claudeArguments(start(bench, { untrusted: false }, thread))], closed)
      }
    }))

  it("name effort, model, form and thread, each in one word that cannot pass for another option", () =>
    withAgents(async (bench) =>
      assert.deepStrictEqual(
        claudeArguments(start(bench, { effort: "high", model: "m", answer: { type: "object" } }, "--x")).slice(5),
        ["--effort=high", "--model=m", '--json-schema={"type":"object"}', "--resume=--x"]
      )
    ))
})

describe("the variables of Claude Code", () => {
  it("keep only its own keys and the configured cloud's", () =>
    withAgents(async (bench) => {
      const own = { ANTHROPIC_API_KEY: "1", ANTHROPIC_AUTH_TOKEN: "2", CLAUDE_CODE_OAUTH_TOKEN: "3" }
      const others = { AWS_SECRET_ACCESS_KEY: "4", OPENAI_API_KEY: "5", CLAUDECODE: "1" }
      const certificate = { CLAUDE_CODE_CLIENT_CERT: "/c.pem", CLAUDE_CODE_CLIENT_KEY: "/k.pem" }
      const variables = (environment: Start["environment"], change = {}) =>
        claudeProgram("claude").variables({ ...start(bench, change), environment })
      const always = {
        OODA_IN_AGENT: "1",
        CLAUDE_CODE_DISABLE_ATTACHMENTS: "1",
        CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
        ENABLE_TOOL_SEARCH: "false"
      }
      assert.deepStrictEqual(variables({ ...own, ...certificate, ...others }), { ...own, ...certificate, ...always })
      const clouds = {
        AWS_SECRET_ACCESS_KEY: "4",
        GOOGLE_APPLICATION_CREDENTIALS: "/g.json",
        AZURE_CLIENT_SECRET: "6"
      }
      for (
        const [provider, name] of [
          ["BEDROCK", "AWS_SECRET_ACCESS_KEY"],
          ["VERTEX", "GOOGLE_APPLICATION_CREDENTIALS"],
          ["FOUNDRY", "AZURE_CLIENT_SECRET"]
        ] as const
      ) {
        const used = { [`CLAUDE_CODE_USE_${provider}`]: "1", [`CLAUDE_CODE_SKIP_${provider}_AUTH`]: "1" }
        const kept = { [name]: clouds[name], ...used, ...always }
        assert.deepStrictEqual(variables({ ...others, ...clouds, ...used }), kept)
      }
      const contrary = {
        CLAUDE_CODE_DISABLE_ATTACHMENTS: "",
        CLAUDE_CODE_DISABLE_AUTO_MEMORY: "0",
        ENABLE_TOOL_SEARCH: "true"
      }
      assert.deepStrictEqual(variables(contrary), always)
      // Other sessions have their sockets in the temporary directory.
      const { scratch } = start(bench).prepared
      for (const closed of [{ sandbox: "read-only" }, { untrusted: true }]) {
        assert.deepStrictEqual(variables({ TMPDIR: "/t" }, closed), { ...always, TMPDIR: scratch })
      }
      assert.deepStrictEqual(variables({ TMPDIR: "/t" }), { ...always, TMPDIR: "/t" })
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

const answer = async (bench: AgentBench, line: string, change: Partial<AgentTask> = {}, agent = 1) => {
  const attempt: AgentRef = { ...bench.ref(1, agent), kind: "command" }
  const updates = await bench.run1(
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
  return { attempt, ...endOf(updates) }
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
