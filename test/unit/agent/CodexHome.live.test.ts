// Codex's home: where it is by codex's own rule, with the environment that is given, and what it is like.
// The variables of this process are set to something else, and never count.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { codexHome, codexHomeFacts, codexHomeIn } from "../../../src/agent/CodexHome.live.ts"
import { Environment, type Variables } from "../../../src/platform/Environment.ts"

beforeEach(() => {
  vi.stubEnv("CODEX_HOME", "/of/the/process")
  vi.stubEnv("HOME", "/home/of/the/process")
})
afterEach(() => vi.unstubAllEnvs())

const listed = join(userInfo().homedir, ".codex")

describe("codex's home", () => {
  const homes: ReadonlyArray<readonly [Variables, string]> = [
    [{ CODEX_HOME: "/codex", HOME: "/home/me" }, "/codex"],
    [{ HOME: "/home/me" }, "/home/me/.codex"],
    [{ CODEX_HOME: "", HOME: "/home/me" }, "/home/me/.codex"],
    [{ HOME: "" }, listed],
    [{}, listed]
  ]
  it.each(homes)("with %j is %s", async (env, home) => {
    assert.strictEqual(await Effect.runPromise(Effect.provideService(codexHome, Environment, env)), home)
    assert.strictEqual(codexHomeIn(env), home)
  })
})

describe("what codex's home is like", () => {
  const within = async (use: (home: string) => Promise<void>): Promise<void> => {
    const dir = mkdtempSync(join(tmpdir(), "ooda-home-"))
    try {
      await use(join(dir, ".codex"))
    } finally {
      rmSync(dir, { recursive: true })
    }
  }
  const facts = (home: string) =>
    Effect.runPromise(Effect.provideService(codexHomeFacts, Environment, { HOME: dirname(home) }))
  const nothing = {
    exists: true,
    own: true,
    sessionsProblem: null,
    writeProblem: null,
    sessions: 0,
    provider: null,
    named: false
  }

  it("is empty if the directory is missing", () =>
    within(async (home) => {
      assert.deepStrictEqual(await facts(home), { ...nothing, home, exists: false })
      const named = await Effect.runPromise(Effect.provideService(codexHomeFacts, Environment, { CODEX_HOME: home }))
      assert.deepStrictEqual(named, { ...nothing, home, exists: false, named: true })
    }))

  it("is its newest session, down the years, months and days", () =>
    within(async (home) => {
      const day = join(home, "sessions", "2026", "11", "20")
      mkdirSync(day, { recursive: true })
      assert.deepStrictEqual(await facts(home), { ...nothing, home })
      writeFileSync(join(day, "rollout-1.jsonl"), "")
      assert.deepStrictEqual(await facts(home), { ...nothing, home, sessions: 1 })
      mkdirSync(join(home, "sessions", "2026", "12"))
      assert.deepInclude(await facts(home), { sessions: 0, sessionsProblem: null })
    }))

  it.skipIf(process.getuid?.() === 0)("is why its newest session cannot be read", () =>
    within(async (home) => {
      const day = join(home, "sessions", "2026", "11", "20")
      mkdirSync(day, { recursive: true })
      writeFileSync(join(day, "rollout-1.jsonl"), "", { mode: 0 })
      assert.deepInclude(await facts(home), {
        sessions: 0,
        sessionsProblem: { kind: "Denied", text: "no permission (EACCES: open)" }
      })
      chmodSync(day, 0)
      assert.deepInclude(await facts(home), {
        sessions: 0,
        sessionsProblem: { kind: "Denied", text: "no permission (EACCES: scandir)" }
      })
      chmodSync(day, 0o700)
    }))

  it("is a problem where its sessions are a file", () =>
    within(async (home) => {
      mkdirSync(home)
      writeFileSync(join(home, "sessions"), "")
      const { sessionsProblem } = await facts(home)
      assert.strictEqual(sessionsProblem?.kind, "Broken")
      assert.match(sessionsProblem?.text ?? "", /ENOTDIR/)
    }))

  it.each([
    ['model_provider = "azure"\n', "azure"],
    ["model = 'x'\n  model_provider='local'\n[profiles.a]\nmodel_provider = 'b'\n", "local"],
    ['[profiles.a]\nmodel_provider = "b"\n', null],
    ['# model_provider = "b"\n', null],
    ["", null]
  ])("is the provider of %j", (config, provider) =>
    within(async (home) => {
      mkdirSync(home)
      writeFileSync(join(home, "config.toml"), config)
      assert.strictEqual((await facts(home)).provider, provider)
    }))
})
