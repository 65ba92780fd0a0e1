// Where codex keeps its sessions: codex's own rule, with the environment that is given to it.
// The one rule: the variables of this process are set to something else, and never count.
import { userInfo } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { codexHome } from "../../../../src/adapters/codex/SessionFile.ts"
import { Environment, type Variables } from "../../../../src/services/Environment.ts"

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
  })
})
