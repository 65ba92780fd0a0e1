// The argument after a value flag is its value, whatever it looks like; `--flag=value` works too.
// What the caller passed arrives unchanged where it belongs.
import { existsSync, mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { handoff, idle, outcome } from "./expect.ts"
import { events, logText, runs } from "./log.ts"
import { clean } from "./plans.ts"
import { it } from "./support.ts"

describe.concurrent("values", () => {
  const reasons = [
    "--fresh",
    "-n 3",
    "--",
    "-",
    "--level",
    "a=b",
    'say "no"',
    "",
    "  ",
    "$HOME `x` \\n",
    "naïve → ✓",
    "'"
  ]
  it("REASON is taken verbatim, into the line and into the log", { tags: "slow" }, async ({ world }) => {
    for (const reason of reasons) {
      const line = `retrospective surfaced changes at low ("${reason}"); restarted from floor: low -> low`
      idle(await world.step("--uncommitted", "--mark-retro-changes", reason), line)
    }
    const recorded = events(world, "LevelOutcomeRecorded").map((event) => event["outcome"])
    assert.deepEqual(recorded, reasons.map((text) => ({ _tag: "RetrospectiveChanges", reason: { text } })))
  })

  it("DETAILS is taken verbatim", { tags: "slow" }, async ({ world }) => {
    for (const details of ["-n failed", "--fresh", "exit=1", 'got Err("x")', "<LEVEL>"]) {
      const ended = await world.step("--uncommitted", "--mark-address-failed", details)
      const prompt = handoff(ended, 3, "TestsFailedTriage")
      assert.match(prompt.first, / Details: /)
      assert.strictEqual(prompt.first.split(" Details: ")[1], details)
    }
  })

  it("REASON and DETAILS may be longer than a line of the log", async ({ world }) => {
    const long = 'say "→" '.repeat(8_000)
    const line = `retrospective surfaced changes at low ("${long}"); restarted from floor: low -> low`
    idle(await world.step("--uncommitted", "--mark-retro-changes", long), line)
    const prompt = handoff(await world.step("--uncommitted", "--mark-address-failed", long), 3, "TestsFailedTriage")
    assert.strictEqual(prompt.first.split(" Details: ")[1], long)
    for (const raw of logText(world).split("\n")) assert.isAtMost(Buffer.byteLength(raw), 64 * 1024)
    idle(await world.step("--uncommitted", "--drop-level"), "at floor (low); no drop")
  })

  it("--flag=value is the same as --flag value", async ({ world }) => {
    const argv = ["--base=main", "--level=medium", "--ceiling=high", `--state-root=${world.stateRoot}`, "--max-iter=2"]
    const line = 'retrospective surfaced changes at medium ("x=y"); restarted from floor: medium -> medium'
    idle(await world.stepFrom({ stateRoot: null }, ...argv, "--mark-retro-changes=x=y"), line)
    assert.lengthOf(runs(world, "base/main"), 1)
  })

  it("--max-iter is parsed and ignored beside a side-effect flag", { tags: "slow" }, async ({ world }) => {
    idle(await world.step("--uncommitted", "--max-iter", "1", "--advance-level"), "advanced level: low -> medium")
  })

  it("the order of flags does not matter", { tags: "slow" }, async ({ world }) => {
    idle(await world.step("--drop-level", "-n", "2", "--level", "high", "--uncommitted"), "at floor (high); no drop")
  })

  it("a state root that looks like a flag is a directory", async ({ world }) => {
    const from = { cwd: world.repo, stateRoot: null }
    const ended = await world.stepFrom(from, "--uncommitted", "--state-root", "--fresh", "--advance-level")
    idle(ended, "advanced level: low -> medium")
    assert.isTrue(existsSync(join(world.repo, "--fresh", "repo-noremote", "uncommitted", "latest")))
  })

  it(
    "branch names that only a shell would mind reach the path and codex unchanged",
    { tags: "slow" },
    async ({ world }) => {
      world.plan("default", clean)
      const branches = ["feature/x", "it's", "a;b", "$HOME", 'ünï"code', "x@(y)&z|"]
      for (const branch of branches) {
        outcome(await world.step("--base", branch, "-n", "1", "--ceiling", "low"), 0, "DoneFixedPoint")
        assert.lengthOf(runs(world, `base/${branch}`), 1, branch)
      }
      assert.deepEqual(world.calls().map((call) => call.argv[2]), branches)
    }
  )

  it("a --codex-bin with a slash is relative to the caller's directory", { tags: "slow" }, async ({ world }) => {
    world.plan("default", clean)
    const sub = join(world.repo, "sub dir")
    mkdirSync(join(sub, "tools"), { recursive: true })
    symlinkSync(join(world.dir, "bin", "codex"), join(sub, "tools", "my codex"))
    const way = { cwd: sub, env: { PATH: world.pathWithout("codex") } }
    outcome(
      await world.stepFrom(way, "--uncommitted", "-n", "1", "--ceiling", "low", "--codex-bin", "tools/my codex"),
      0,
      "DoneFixedPoint"
    )
    assert.strictEqual(world.calls()[0]?.cwd, world.repo, "codex itself runs in the worktree's root")
  })

  it("OODA_STATE_ROOT names the state root, and the flag wins over it", async ({ world }) => {
    const env = { OODA_STATE_ROOT: join(world.dir, "from-env") }
    await world.stepFrom({ env }, "--uncommitted", "--advance-level")
    assert.isFalse(existsSync(env.OODA_STATE_ROOT))
    assert.lengthOf(runs(world), 1)
    await world.stepFrom({ env, stateRoot: null }, "--uncommitted", "--advance-level")
    assert.isTrue(existsSync(join(env.OODA_STATE_ROOT, "repo-noremote", "uncommitted", "latest")))
  })
})
