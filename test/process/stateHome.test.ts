// Where runs are kept without a named state root: the user's own directory for state, and the old place.
// A step without --strict keeps to the contract's place, and no run is lost sight of.
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { it, type World } from "./world.ts"

const call = (world: World, line: string, env: Readonly<Record<string, string | undefined>> = {}) =>
  world.start(line.split(" "), { OODA_STATE_ROOT: undefined, ...env }).ended
const own = (world: World) => world.path("home/.local/state/ooda-codex-review")
const temporary = (world: World) => world.path("tmp/ooda-codex-review")
const holds = (root: string) => existsSync(join(root, "repo-noremote", "uncommitted"))
const converge = "converge --uncommitted --no-test -n 1 --ceiling low"
const change = (world: World) => writeFileSync(join(world.repo, "a.txt"), "two\n")
const fixed = /\nDoneFixedPoint\n$/

describe.concurrent("without a named state root", () => {
  it("converge makes the user's own, and every reader finds the run there", async ({ world }) => {
    change(world)
    world.scenario("default", "clean")
    assert.match((await call(world, converge)).stderr, fixed)
    assert.deepEqual([holds(own(world)), existsSync(temporary(world))], [true, false])
    for (const reader of ["status", "findings", "audit", "runs", "stop"]) {
      const { exit, stderr } = await call(world, reader)
      assert.deepEqual([exit, stderr], [0, ""], reader)
    }
    const { stdout } = await call(world, "doctor")
    assert.include(stdout, own(world))
  })

  it("doctor names the place that converge would make", async ({ world }) => {
    assert.include((await call(world, "doctor")).stdout, `${own(world)} (`)
    assert.isFalse(existsSync(own(world)))
  })

  it("a printed command names the root that the caller named", { tags: "slow" }, async ({ world }) => {
    change(world)
    world.scenario("default", "issues 5")
    const root = world.path("named")
    assert.match((await call(world, `--uncommitted --strict -n 1 --state-root ${root}`)).header, /^HandoffAgent/)
    const hint = `ooda-codex-review findings --all --state-root ${root}`
    assert.include((await call(world, `status --state-root ${root}`)).stdout, `and 2 more: ${hint}\n`)
    for (const name of ["9", "ffff0"]) {
      assert.include((await call(world, `findings ${name} --state-root ${root}`)).stderr, `[${hint} lists`)
    }
    const named = await call(world, `findings 9 --uncommitted --state-root ${root}`)
    assert.match(named.stderr, /\[ooda-codex-review findings --all --run \S+ --state-root /)
    const none = await call(world, `dismiss --undo ffff0 --state-root ${root}`)
    assert.include(none.stderr, `[ooda-codex-review dismiss --list --state-root ${root} lists them]`)
  })

  it("XDG_STATE_HOME says where that is, and a relative one nothing", { tags: "slow" }, async ({ world }) => {
    change(world)
    world.scenario("default", "clean")
    assert.match((await call(world, converge, { XDG_STATE_HOME: world.path("xdg") })).stderr, fixed)
    assert.isTrue(holds(world.path("xdg/ooda-codex-review")))
    assert.match((await call(world, converge, { XDG_STATE_HOME: "xdg" })).stderr, fixed)
    assert.isTrue(holds(own(world)))
  })

  it("a step keeps to the contract's place without --strict, always", async ({ world }) => {
    change(world)
    world.scenario("default", "clean")
    mkdirSync(own(world), { recursive: true, mode: 0o700 })
    const step = "--uncommitted -n 1 --ceiling low"
    assert.strictEqual((await call(world, step)).header, "DoneFixedPoint")
    assert.deepEqual([holds(own(world)), holds(temporary(world))], [false, true])
  })

  it("a strict step uses the user's own only where it is there", async ({ world }) => {
    change(world)
    world.scenario("default", "clean")
    const step = "--uncommitted --strict -n 1 --ceiling low"
    assert.strictEqual((await call(world, step)).header, "DoneFixedPoint")
    assert.deepEqual([existsSync(own(world)), holds(temporary(world))], [false, true])
  })

  it(
    "a run from before continues where it lies, and readers see both places, the newest first",
    { tags: "slow" },
    async ({ world }) => {
      change(world)
      world.scenario("default", "clean")
      const strict = "--uncommitted --strict -n 1"
      assert.strictEqual((await call(world, `${strict} --ceiling low`)).header, "DoneFixedPoint")
      assert.match((await call(world, `${converge} --fresh`)).stderr, fixed)
      // The target's newest run lies in the old place, so a new one of it does, too.
      assert.isFalse(existsSync(own(world)))
      world.git("branch", "other", "HEAD")
      world.git("commit", "-qam", "Two")
      const base = "converge --base other --no-test -n 1 --ceiling low"
      assert.match((await call(world, base)).stderr, fixed)
      assert.isTrue(existsSync(join(own(world), "repo-noremote", "base")))
      const { stdout } = await call(world, "runs --json")
      const runs = stdout.trim().split("\n").flatMap((line) => {
        const document = JSON.parse(line)
        return document.runs ?? [document]
      })
      const targets = runs.map(({ run }) => run.target)
      assert.deepEqual(targets, ["base/other", "uncommitted", "uncommitted"])
      assert.include((await call(world, "status")).stdout, runs[0].run.run)
    }
  )
})
