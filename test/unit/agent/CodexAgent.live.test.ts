// Codex as an agent: what it is asked to do on its command line, and which variables it has.
// The one rule: what the real codex makes of them is seen in test/codex.
import { mkdirSync, writeFileSync } from "node:fs"
import { Effect, Stream } from "effect"
import { assert, describe, it } from "vitest"
import { codexArguments, codexProgram, codexLayer, providerKeys } from "../../../src/agent/Kinds.live.ts"
import { defaultLimits } from "../../../src/agent/Task.ts"
import { Agent } from "../../../src/agent/Agent.ts"
import type { Start } from "../../../src/agent/Program.live.ts"
import { type AgentBench, endOf, withAgents } from "./agentBench.ts"

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

  it("keep from who works on another's change what the change tells agents", () =>
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

  it("are named in its configuration in whatever form", () => {
    assert.deepStrictEqual(providerKeys('[a]\nenv_key = \'A\'\nb = { env_key="B" }\nenv_keys = "C"\n'), ["A", "B"])
    assert.deepStrictEqual(providerKeys(""), [])
  })
})

describe("a codex that is missing", () => {
  it("ends the attempt as Missing, and the ending says what was looked for", () =>
    withAgents(async (bench) => {
      const attempt = bench.ref()
      const told = await bench.run1(
        Agent.use((agent) =>
          Effect.andThen(
            agent.start(attempt, bench.task(), { thread: null, prompt: "x" }),
            Stream.runCollect(agent.follow(attempt, defaultLimits))
          )
        ).pipe(Effect.provide(codexLayer("no-such-codex")))
      )
      const { ending } = endOf(told)
      assert.strictEqual(ending._tag, "Missing")
      assert.match(ending.message, /^the program no-such-codex of the agent is missing: not found in PATH/)
    }))
})
