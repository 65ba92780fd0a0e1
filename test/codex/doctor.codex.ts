// `doctor` and the real Codex CLI: its version, its login, and what it says when it is not whole.
// Codex is asked, never imitated; a key is known by its name alone.
import { cpSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import * as scenarios from "../../fixtures/stand-in-model/scenarios.mjs"
import { only, recorded } from "./recorded.ts"
import { type Bench, CODEX, VERSION, withBench } from "./support.ts"

interface Check {
  readonly name: string
  readonly state: string
  readonly found: string
  readonly fix: string | null
}

const doctor = async ({ command }: Bench, codex: string) => {
  const { exit, stderr, stdout } = await command("doctor", "--json", "--codex-bin", codex)
  assert.strictEqual(stderr, "")
  const { checks }: { readonly checks: ReadonlyArray<Check> } = JSON.parse(stdout)
  return { exit, check: (name: string) => checks.find((one) => one.name === name) }
}

describe("doctor beside the real codex", () => {
  it("knows its version, and a provider of its own that may need no login", () =>
    withBench(() => scenarios.clean, async (bench) => {
      const { check, exit } = await doctor(bench, CODEX)
      assert.deepInclude(check("codex"), { state: "Fine", found: `codex-cli ${VERSION} (${CODEX})` })
      assert.deepInclude(check("login"), { state: "Note", fix: "codex login" })
      assert.match(check("login")?.found ?? "", /^Not logged in; config\.toml names the provider stand-in/)
      assert.strictEqual(exit, 0)
      assert.lengthOf(bench.requests, 0)
      assert.deepStrictEqual(bench.running(), [])
    }))

  it("knows that it is not logged in", () =>
    withBench(() => scenarios.clean, async (bench) => {
      rmSync(join(bench.codexHome, "config.toml"))
      const { check, exit } = await doctor(bench, CODEX)
      const fix = "codex login, or set CODEX_API_KEY"
      assert.deepStrictEqual(check("login"), { name: "login", state: "Wrong", found: "Not logged in", fix })
      assert.strictEqual(exit, 1)
    }))

  it("knows a launcher without its native program", () =>
    withBench(() => scenarios.clean, async (bench) => {
      // As after an installation without optional dependencies.
      const lonely = join(bench.codexHome, "alone")
      cpSync(dirname(dirname(CODEX)), lonely, { recursive: true })
      const codex = join(lonely, "bin", "codex.js")
      const { check, exit } = await doctor(bench, codex)
      assert.strictEqual(check("codex")?.state, "Wrong")
      assert.match(check("codex")?.found ?? "", /Missing optional dependency @openai\/codex/)
      assert.match(check("codex")?.fix ?? "", /^npm install -g @openai\/codex@latest/)
      assert.strictEqual(exit, 1)
      // A step says the same of its reviewers, and tries none of them again.
      const step = await bench.command("--uncommitted", "-n", "2", "--codex-bin", codex)
      assert.strictEqual(step.exit, 6)
      assert.match(step.stderr, /^BinaryError: 2 review\(s\) .* slot 1(?: exited \d+)?: MissingBinary: .*install codex/)
      assert.lengthOf(only(recorded(bench.stateRoot, "uncommitted"), "ReviewStarted"), 2)
    }))
})
