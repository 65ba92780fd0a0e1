// How codex is called: argv, environment, standard input, working directory; and the files its output becomes.
// The fake's own record of each call is compared whole.
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { binaryError, handoff, outcome } from "./expect.ts"
import { batchDir } from "./log.ts"
import { clean, FLAWED, issues } from "./plans.ts"
import { it } from "./support.ts"

const SHA = "0123456789abcdef0123456789abcdef01234567"
const argvAt = (level: string, ...target: ReadonlyArray<string>): ReadonlyArray<string> => [
  "review",
  ...target,
  "-c",
  `model_reasoning_effort="${level}"`,
  "-c",
  'sandbox_mode="read-only"'
]

describe.concurrent("codex", () => {
  for (const target of [["--uncommitted"], ["--base", "feature/x"], ["--commit", SHA]]) {
    it(`is called as codex review ${target.join(" ")}, once for each of -n`, async ({ world }) => {
      world.plan("default", clean)
      outcome(await world.step(...target, "-n", "5", "--ceiling", "low"), 0, "DoneFixedPoint")
      const each = Array.from({ length: 5 }, () => argvAt("low", ...target))
      assert.deepEqual(world.calls().map((call) => call.argv), each)
    })
  }

  it(
    "is given the current level as model_reasoning_effort, three reviewers by default",
    { tags: "slow" },
    async ({ world }) => {
      world.plan("default", clean)
      await world.step("--uncommitted", "--level", "medium", "--advance-level")
      handoff(await world.step("--uncommitted", "--level", "medium"), 5, "Retrospective")
      const high = argvAt("high", "--uncommitted")
      assert.deepEqual(world.calls().map((call) => call.argv), [high, high, high])
    }
  )

  it("runs in the worktree's root with /dev/null as standard input", async ({ world }) => {
    world.plan("default", clean)
    mkdirSync(join(world.repo, "sub"))
    await world.stepFrom({ cwd: join(world.repo, "sub") }, "--uncommitted", "-n", "1")
    assert.deepEqual(world.calls().map(({ cwd, stdin }) => ({ cwd, stdin })), [{ cwd: world.repo, stdin: "/dev/null" }])
  })

  it(
    "has the caller's environment, without what spoils its output, and an attempt id",
    { tags: "slow" },
    async ({ world }) => {
      world.plan("default", clean)
      const env = {
        FORCE_COLOR: "1",
        CLICOLOR_FORCE: "1",
        RUST_LOG: "debug",
        RUST_BACKTRACE: "1",
        CODEX_HOME: "/some/where",
        OPENAI_API_KEY: "k",
        NO_COLOR: "1",
        ODD: " a=b "
      }
      await world.stepFrom({ env }, "--uncommitted", "-n", "3")
      for (const call of world.calls()) {
        assert.doesNotHaveAnyKeys(call.env, ["FORCE_COLOR", "CLICOLOR_FORCE", "RUST_LOG", "RUST_BACKTRACE"])
        assert.include(call.env, { CODEX_HOME: "/some/where", OPENAI_API_KEY: "k", NO_COLOR: "1", ODD: " a=b " })
        assert.isNotEmpty(call.env["OODA_ATTEMPT"])
      }
      assert.strictEqual(new Set(world.calls().map((call) => call.env["OODA_ATTEMPT"])).size, 3)
    }
  )

  it("is found on PATH, or where --codex-bin says", async ({ world }) => {
    world.plan("default", clean)
    const way = { env: { PATH: world.pathWithout("codex") } }
    const argv = ["--uncommitted", "-n", "1", "--ceiling", "low"]
    binaryError(await world.stepFrom(way, ...argv), /codex/)
    outcome(await world.stepFrom(way, ...argv, "--codex-bin", join(world.dir, "bin", "codex")), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 1)
  })
})

describe.concurrent("the files of a slot", () => {
  it(".log is standard error, then standard output; .out the latter alone; .exit the status", async ({ world }) => {
    world.plan("default", issues)
    handoff(await world.step("--uncommitted", "-n", "1"), 5, "AddressBatch")
    const read = (kind: string): string => readFileSync(join(batchDir(world, "low", 1), `low-1.${kind}`), "utf8")
    assert.strictEqual(read("out"), `${FLAWED}\n`)
    assert.strictEqual(read("exit"), "0\n")
    assert.match(read("log"), /^OpenAI Codex v0\.169\.0\n/)
    const transcript = read("log").slice(0, -read("out").length)
    assert.isTrue(transcript.endsWith(`\ncodex\n${FLAWED}\n`))
    assert.strictEqual(read("log"), `${transcript}${read("out")}`)
  })

  it(
    "a newline parts the two streams where one is missing; bytes are kept as they are",
    { tags: "slow" },
    async ({ world }) => {
      const body = "printf 'No defects found; \\377 sound'; exit 0"
      world.plan("default", `printf 'OpenAI Codex v0.169.0\\n\\377 err' >&2; ${body}`)
      await world.step("--uncommitted", "-n", "1")
      const read = (kind: string): string => readFileSync(join(batchDir(world, "low", 1), `low-1.${kind}`), "latin1")
      assert.strictEqual(read("out"), "No defects found; \u00ff sound")
      assert.strictEqual(read("log"), "OpenAI Codex v0.169.0\n\u00ff err\nNo defects found; \u00ff sound")
    }
  )

  for (const [status, plan] of [["7", "fail 7 boom"], ["143", "kill -TERM $$"], ["137", "kill -KILL $$"]] as const) {
    it(`.exit says ${status} after ${plan}`, { tags: status === "143" ? [] : ["slow"] }, async ({ world }) => {
      world.plan("default", plan)
      binaryError(await world.step("--uncommitted", "-n", "1", "--retries", "0"))
      assert.strictEqual(readFileSync(join(batchDir(world, "low", 1), "low-1.exit"), "utf8"), `${status}\n`)
    })
  }
})
