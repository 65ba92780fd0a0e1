// Whose run: what a checkout shows is about its own runs, and a pointer that is lost leaves no reviewer behind.
// The checkouts share a repository id, as two clones of one name do.
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { assert, describe } from "vitest"
import { atWork, oneOfThree } from "./halfDoneBatch.ts"
import { eventually, it, type World } from "./world.ts"

const ladder = ["--uncommitted", "--level", "low", "--ceiling", "low", "-n", "1"]

/** Another checkout of the same name, with a change to review. */
const neighbour = (world: World): string => {
  const path = join(world.dir, "other", "repo")
  mkdirSync(path, { recursive: true })
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", args, { cwd: path, env: world.env, stdio: "pipe" })
  git("init", "-q", "-b", "main")
  git("commit", "-q", "--allow-empty", "-m", "One")
  writeFileSync(join(path, "b.txt"), "two\n")
  return path
}

describe.concurrent("two checkouts that share a repository id", () => {
  it(
    "each see their own run, also with a mode flag, and the other's only by its name",
    { tags: "slow" },
    async ({ world }) => {
      const cwd = neighbour(world)
      writeFileSync(join(world.repo, "a.txt"), "two\n")
      world.scenario("default", "issues 2")
      assert.strictEqual((await world.step(...ladder)).header, "HandoffAgent: AddressBatch")
      world.scenario("default", "clean")
      assert.strictEqual((await world.start(ladder, {}, cwd).ended).header, "DoneFixedPoint")
      const [own = "", other = ""] = world.runs()
      for (const which of [[], ["--uncommitted"]]) {
        assert.strictEqual((await world.step("findings", ...which)).exit, 1)
        assert.include((await world.step("findings", "--sarif", ...which)).stdout, '"ruleId"')
        assert.include((await world.step("audit", "--json", ...which)).stdout, `"run":"${own}"`)
        assert.include((await world.step("replay", "--at", "1", ...which)).stdout, own)
        assert.include((await world.step("watch", ...which)).stdout, own)
        assert.strictEqual((await world.start(["findings", ...which], {}, cwd).ended).exit, 0)
      }
      assert.strictEqual((await world.step("findings", "--run", other)).exit, 0)
      const listed = (await world.step("runs", "--all")).stdout
      for (const path of [world.repo, cwd]) assert.include(listed, `  ${path}  `)
      // A checkout without a run of its own is given none.
      rmSync(world.runDir(own), { recursive: true })
      const refused = await world.step("findings", "--uncommitted")
      assert.deepEqual([refused.exit, refused.stdout], [6, ""])
      assert.match(refused.stderr, new RegExp(`^error: no such run of ${world.repo}; .*--run ${other}\n$`))
    }
  )

  it("are each shown and prune their own runs, and hear of the others", async ({ world }) => {
    const cwd = neighbour(world)
    writeFileSync(join(world.repo, "a.txt"), "two\n")
    const there = (...args: ReadonlyArray<string>) => world.start(args, {}, cwd).ended
    assert.strictEqual((await world.step(...ladder)).header, "DoneFixedPoint")
    assert.strictEqual(
      (await there("runs")).stdout,
      "no runs\n1 run of other worktrees of this name: ooda-codex-review runs --all\n"
    )
    assert.match((await there("status")).stderr, new RegExp(`^error: no such run of ${cwd}; name the run of another`))
    assert.strictEqual((await there(...ladder)).header, "DoneFixedPoint")
    const [own = "", other = ""] = world.runs()
    assert.match((await world.step("runs")).stdout, new RegExp(`^RUN .*\\n${own} .*\\n1 run of other worktrees`))
    const { elsewhere, runs } = JSON.parse((await there("runs", "--json")).stdout)
    assert.deepEqual([elsewhere, runs.map((one: { readonly worktree: string }) => one.worktree)], [1, [cwd]])
    assert.include((await there("status")).stdout, `run ${other}: uncommitted in ${cwd}`)
    await pause(1000)
    assert.match(
      (await there("runs", "--prune", "1s")).stdout,
      new RegExp(`^removed ${other} .*\\nremoved 1 run, kept 0\\n$`)
    )
    assert.deepEqual(world.runs(), [own])
  })

  it("stop without a name ends what runs here, and says so where several do", { tags: "slow" }, async ({ world }) => {
    const cwd = neighbour(world)
    world.scenario("default", "sleep 3600")
    const steps = [world.start(ladder), world.start(ladder, {}, cwd)]
    await eventually("both at work", () => world.calls().length === 2)
    const here = await world.step("stop")
    assert.deepEqual([here.exit, here.stdout], [0, "stopped 1 reviewer of low batch 1\n"])
    assert.lengthOf(
      world.events("ReviewStopped", world.runs()[0]).concat(world.events("ReviewStopped", world.runs()[1])),
      1
    )
    steps.push(world.start(["--base", "main", ...ladder.slice(1)], {}, cwd))
    await eventually("another at work", () => world.calls().length === 3)
    const several = await world.start(["stop"], {}, cwd).ended
    assert.strictEqual(several.exit, 6)
    assert.match(several.stderr, /^error: several runs of this worktree are under way: .*; name one\n$/)
    for (const key of ["--base=main", "--uncommitted"]) {
      assert.strictEqual((await world.start(["stop", key], {}, cwd).ended).exit, 0)
    }
    for (const step of steps) assert.strictEqual((await step.ended).exit, 8)
    assert.deepEqual(world.reviewers(), [])
  })
})

describe.concurrent("a lost pointer to the current run", () => {
  const lost: ReadonlyArray<readonly [string, (path: string) => void, string]> = [
    ["removed", (path) => rmSync(path), "NoLatestPointer"],
    ["emptied", (path) => writeFileSync(path, ""), "LatestDangling"]
  ]
  for (const [name, lose, because] of lost) {
    const tags = name === "removed" ? [] : ["slow"]
    it(
      `${name}: its reviewers are ended and recorded before a new run starts, what is finished kept`,
      { tags },
      async ({ world }) => {
        oneOfThree(world)
        const step = world.start(["--uncommitted", "-n", "3", "--ceiling", "low"])
        await atWork(world)
        step.signal("SIGKILL")
        await step.ended
        lose(join(world.runDir(), "..", "..", "latest"))
        world.scenario("default", "clean")
        const again = await world.step("--uncommitted", "-n", "1", "--ceiling", "low")
        assert.strictEqual(again.header, "DoneFixedPoint")
        const [left = "", next = ""] = world.runs()
        assert.deepEqual(world.events("ReviewStopped", left).map(({ cause }) => cause), ["Fresh", "Fresh"])
        assert.lengthOf(world.events("ReviewFinished", left), 1)
        assert.deepEqual(world.events("RunCreated", next).map((event) => event["because"]), [because])
        assert.deepEqual(world.reviewers(), [])
      }
    )
  }

  it("takes in what has finished since, and a stop finds what it left", { tags: "slow" }, async ({ world }) => {
    world.scenario("1", `wait ${world.path("go")};clean`)
    world.scenario("default", "sleep 3600")
    const step = world.start(["--uncommitted", "-n", "2", "--ceiling", "low"])
    await eventually("both at work", () => world.calls().length === 2)
    step.signal("SIGKILL")
    await step.ended
    rmSync(join(world.runDir(), "..", "..", "latest"))
    world.release("go")
    const batch = join(world.runDir(), "levels", "level-low", "batch-1")
    await eventually("an end", () => readdirSync(batch).some((name) => name.endsWith(".exit")))
    const stopped = await world.step("stop", "--uncommitted")
    assert.strictEqual(stopped.stdout, "stopped 1 reviewer of low batch 1\n")
    assert.lengthOf(world.events("ReviewFinished"), 1)
    assert.deepEqual(world.reviewers(), [])
  })
})
