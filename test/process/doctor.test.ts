// `doctor`: what it finds on machines made up of a few programs.
// It leaves nothing behind: no file, no process.
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { assert, describe } from "vitest"
import { it, processesWith, type World } from "./world.ts"
import { basics, loggedIn, loggedOut, machine } from "./doctorMachines.ts"

const doctor = async (
  world: World,
  env: Readonly<Record<string, string | undefined>>,
  ...args: ReadonlyArray<string>
) => {
  const ended = await world.start(["doctor", "--json", ...args], { CODEX_API_KEY: "", OPENAI_API_KEY: "", ...env })
    .ended
  const { checks, ok } = JSON.parse(ended.stdout)
  const found: Record<string, { readonly state: string; readonly found: string; readonly fix: string | null }> = Object
    .fromEntries(checks.map((check: { readonly name: string }) => [check.name, check]))
  assert.strictEqual(ended.exit, ok ? 0 : 1)
  assert.strictEqual(ended.stderr, "")
  return { ok, found, ended }
}

describe.concurrent("doctor", () => {
  it("finds everything fine, with gh or without", async ({ world }) => {
    mkdirSync(world.path("home/.codex/sessions/2026/01/02"), { recursive: true })
    writeFileSync(world.path("home/.codex/sessions/2026/01/02/rollout-1.jsonl"), "")
    const bin = machine(world, basics, { codex: loggedIn, gh: "echo gh version 2.0.0" })
    const { found, ok } = await doctor(world, { PATH: bin })
    assert.isTrue(ok)
    assert.deepEqual(Object.values(found).map(({ state }) => state), Array.from({ length: 9 }, () => "Fine"))
    assert.strictEqual(found["codex"]?.found, `codex-cli 0.169.0 (${bin}/codex)`)
    assert.strictEqual(found["login"]?.found, "Logged in using ChatGPT")
    assert.strictEqual(found["repository"]?.found, world.repo)
    const without = await doctor(world, { PATH: machine(world, basics, { codex: loggedIn }) })
    assert.isTrue(without.ok)
    assert.strictEqual(without.found["gh"]?.state, "Note")
    assert.isFalse(existsSync(world.stateRoot))
    assert.deepEqual(readdirSync(world.dir).filter((name) => name.startsWith(".")), [])
  })

  it("looks at the store that the environment names, and repeats no address", async ({ world }) => {
    const PATH = machine(world, basics, { codex: loggedIn })
    const away = "postgres://annabel:s3cret@localhost/x?host=/nowhere"
    for (
      const [OODA_STORE, found] of [[away, /cannot be reached/], ["mysql://annabel:s3cret@h", /\$OODA_STORE/]] as const
    ) {
      const asked = await doctor(world, { PATH, OODA_STORE })
      assert.isFalse(asked.ok)
      assert.strictEqual(asked.found["store"]?.state, "Wrong")
      assert.match(asked.found["store"]?.found ?? "", found)
      assert.notMatch(asked.ended.stdout, /annabel|s3cret/)
    }
  })

  it("says what is missing: git, codex, a lock program", { tags: "slow" }, async ({ world }) => {
    const { found, ok } = await doctor(world, { PATH: machine(world, ["sh"], {}) })
    assert.isFalse(ok)
    for (const name of ["git", "codex", "lock"]) {
      assert.strictEqual(found[name]?.state, "Wrong", name)
      assert.isNotNull(found[name]?.fix)
    }
    assert.match(found["lock"]?.found ?? "", /flock, perl and python3/)
  })

  it("knows a login from a key, and a codex that is named", { tags: "slow" }, async ({ world }) => {
    const bin = machine(world, basics, { "my-codex": loggedOut })
    const out = await doctor(world, { PATH: bin }, "--codex-bin", `${bin}/my-codex`)
    assert.deepInclude(out.found["login"], { state: "Wrong", found: "Not logged in" })
    assert.strictEqual(out.found["codex"]?.state, "Fine")
    const key = await doctor(world, { PATH: bin, CODEX_API_KEY: "secret-of-mine" }, "--codex-bin", `${bin}/my-codex`)
    assert.isTrue(key.ok)
    assert.notInclude(key.ended.stdout, "secret-of-mine")
    mkdirSync(world.path("home/.codex"))
    writeFileSync(world.path("home/.codex/config.toml"), `model_provider = "local"\n[model_providers.local]\n`)
    const provider = await doctor(world, { PATH: bin }, "--codex-bin", `${bin}/my-codex`)
    assert.isTrue(provider.ok)
    assert.match(provider.found["login"]?.found ?? "", /names the provider local/)
  })

  it("waits for no one: a codex that hangs is ended with all it started", async ({ world }) => {
    const bin = machine(world, [...basics, "sleep"], { codex: "sleep 3600 & sleep 3600" })
    const { found } = await doctor(world, { PATH: bin, DOCTOR_TEST: world.dir })
    assert.match(found["codex"]?.found ?? "", /did not answer in time/)
    assert.deepEqual(processesWith((variables) => variables.includes(`DOCTOR_TEST=${world.dir}`)), [])
  })

  it("looks closely at the state root", { tags: "slow" }, async ({ world }) => {
    const PATH = machine(world, basics, { codex: loggedIn })
    const root = world.path("tmp/ooda-codex-review")
    mkdirSync(root)
    chmodSync(root, 0o777)
    const open = await doctor(world, { PATH, OODA_STATE_ROOT: "" })
    assert.deepInclude(open.found["state root"], { state: "Wrong", fix: `chmod 700 ${root}` })
    chmodSync(root, 0o700)
    assert.isTrue((await doctor(world, { PATH, OODA_STATE_ROOT: "" })).ok)
    writeFileSync(world.path("file"), "")
    const file = await doctor(world, { PATH }, "--state-root", world.path("file"))
    assert.strictEqual(file.found["state root"]?.state, "Wrong")
    assert.deepEqual(readdirSync(root), [])
  })

  it("looks for codex's own files where CODEX_HOME says", { tags: "slow" }, async ({ world }) => {
    const PATH = machine(world, basics, { codex: loggedIn })
    const { found, ok } = await doctor(world, { PATH, CODEX_HOME: world.path("nowhere") })
    assert.isFalse(ok)
    assert.strictEqual(found["sessions"]?.fix, `mkdir -p ${world.path("nowhere")}`)
  })

  it("prints one line for each check", { tags: "slow" }, async ({ world }) => {
    const PATH = machine(world, basics, { codex: loggedOut })
    const { exit, stderr, stdout } = await world.start(["doctor"], { PATH, CODEX_API_KEY: "", OPENAI_API_KEY: "" })
      .ended
    assert.deepEqual({ exit, stderr }, { exit: 1, stderr: "" })
    assert.match(stdout, /^ok {5}node {8}v\d/)
    assert.match(stdout, /\nwrong {2}login {7}Not logged in\n {19}fix: codex login, or set CODEX_API_KEY\n/)
    assert.strictEqual((await world.step("doctor", "--codex-bin")).exit, 64)
    const help = await world.step("doctor", "--help")
    assert.deepEqual({ exit: help.exit, stderr: help.stderr }, { exit: 0, stderr: "" })
    assert.include(help.stdout, "\nUSAGE\n  ooda-codex-review doctor ")
  })
})
