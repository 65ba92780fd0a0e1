// `runs --prune AGE`: takes away what is old and over, and nothing else.
// A run that is alive, that a step would continue, or that cannot be read is left untouched.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { made } from "./implementing.ts"
import { eventually, it, type World } from "./world.ts"

const prune = ["runs", "--prune", "1d"]
const loop = ["--uncommitted", "-n", "1", "--ceiling", "low"]
const days = 24 * 3600

/** Makes every run of a target look as if its log had been written `age` seconds ago. */
const aged = (world: World, age: number, runs = world.runs(), key = "uncommitted") => {
  const then = Date.now() / 1000 - age
  for (const run of runs) {
    const path = join(world.runDir(run, key), "manifest.jsonl")
    const { at } = JSON.parse(readFileSync(path, "utf8").split("\n")[0] ?? "")
    assert.isString(at)
    utimesSync(path, then, then)
  }
}

// The log's lines carry their own times, which cannot be changed; so runs are made on a clock that is set back.
const agoStart = (
  world: World,
  age: number,
  args: ReadonlyArray<string>,
  cwd = world.repo,
  env: Readonly<Record<string, string>> = {}
) => {
  const shim = world.path(`clock-${age}.mjs`)
  writeFileSync(
    shim,
    `const now = Date.now; Date.now = () => now() - ${age * 1000}
const origin = performance.timeOrigin - ${age * 1000}
Object.defineProperty(performance, "timeOrigin", { get: () => origin })`
  )
  return world.start(args, { ...env, NODE_OPTIONS: `--import ${shim}` }, cwd)
}
const ago = (world: World, age: number, args: ReadonlyArray<string>, cwd = world.repo) =>
  agoStart(world, age, args, cwd).ended

/** Makes a run that was last touched three days ago. */
const old = async (world: World, ...args: ReadonlyArray<string>) => {
  const ended = await ago(world, 3 * days, args)
  aged(world, 3 * days, world.runs().slice(-1))
  return ended
}

const tree = (path: string): ReadonlyArray<string> => readdirSync(path, { recursive: true, encoding: "utf8" }).sort()

const logOf = (world: World, batch: number) =>
  join(world.runDir(), "levels", "level-low", `batch-${batch}`, "low-1.log")

describe.concurrent("runs --prune --transcripts", () => {
  it(
    "cuts the transcripts of a finished run; audit then says so, and its fixed point is not proven",
    { tags: "slow" },
    async ({ world }) => {
      world.scenario("default", "huge 900000;clean")
      assert.strictEqual((await world.step(...loop)).header, "DoneFixedPoint")
      assert.strictEqual((await world.step("audit")).exit, 0)
      const dry = await world.step("runs", "--prune", "--transcripts", "--dry-run")
      assert.match(dry.stdout, /^would free 7\d\d kB of transcripts of .*\nwould free 7\d\d kB of transcripts\n$/)
      const { exit, stdout } = await world.step("runs", "--prune", "--transcripts")
      assert.deepEqual([exit, stdout], [0, dry.stdout.replaceAll("would free", "freed")])
      assert.isBelow(statSync(logOf(world, 1)).size, 140_000)
      const audit = await world.step("audit")
      assert.strictEqual(audit.exit, 1)
      assert.include(audit.stdout, "low batch 1 slot 1: its transcript was pruned")
      assert.include(
        audit.stdout,
        "low batch 1: the transcript of slot 1 was pruned, so that its review cannot be checked"
      )
      assert.lengthOf(world.runs(), 1)
      assert.strictEqual((await world.step("findings")).exit, 0)
      assert.strictEqual((await world.step("runs", "--prune", "--transcripts")).stdout, "freed 0 kB of transcripts\n")
    }
  )

  it(
    "leaves an unfinished run what its fixed point will rest on, and findings of what was cut",
    { tags: "slow" },
    async ({ world }) => {
      world.scenario("default", "huge 900000;issues 1")
      assert.strictEqual((await world.step(...loop)).exit, 5)
      await world.step(...loop, "--mark-address-passed")
      world.scenario("default", "huge 900000;clean")
      await world.step("--uncommitted", "-n", "1")
      assert.match((await world.step("runs", "--prune", "--transcripts")).stdout, /^freed 7\d\d kB of transcripts of /)
      assert.deepEqual([1, 2].map((batch) => statSync(logOf(world, batch)).size > 900_000), [false, true])
      assert.include((await world.step("findings", "--batch", "low/1")).stdout, "Finding 1")
      assert.strictEqual((await world.step(...loop)).header, "DoneFixedPoint")
      const audit = await world.step("audit")
      assert.strictEqual(audit.exit, 0, audit.stdout)
      assert.include(audit.stdout, "low batch 1 slot 1: its transcript was pruned")
    }
  )
})

describe.concurrent("runs --prune", () => {
  it("removes what is over: at its fixed point, or replaced by a newer run", async ({ world }) => {
    world.scenario("default", "clean")
    await old(world, "--uncommitted", "--advance-level")
    await old(world, "--uncommitted", "--fresh", "-n", "1", "--ceiling", "low")
    const [replaced = "", done = ""] = world.runs()
    const dry = (await world.step(...prune, "--dry-run")).stdout.split("\n")
    assert.strictEqual(dry[0], `would remove ${done} (repo-noremote/uncommitted, 3d00h old)`)
    assert.include(dry[1], `would remove ${replaced} `)
    assert.deepEqual(dry.slice(2), ["would remove 2 runs, kept 0", ""])
    assert.deepEqual(world.runs(), [replaced, done])
    const { exit, stderr, stdout } = await world.step(...prune)
    assert.deepEqual({ exit, stderr }, { exit: 0, stderr: "" })
    assert.strictEqual(stdout, dry.join("\n").replaceAll("would remove", "removed"))
    assert.deepEqual(world.runs(), [])
    assert.deepEqual(readdirSync(join(world.stateRoot, "repo-noremote", "uncommitted", "runs")), [])
    assert.strictEqual((await world.step(...prune)).stdout, "no run is older than 1d00h\n")
    // What comes next is a new run, as on the first day.
    assert.strictEqual((await world.step(...loop)).header, "DoneFixedPoint")
    assert.strictEqual(world.events("RunCreated")[0]?.["because"], "NoLatestPointer")
  })

  it("keeps what is younger, by its last line and by its file", { tags: "slow" }, async ({ world }) => {
    world.scenario("default", "clean")
    await world.step(...loop)
    aged(world, 3 * days)
    assert.strictEqual((await world.step(...prune)).stdout, "no run is older than 1d00h\n")
    await world.step(...loop, "--fresh")
    await ago(world, 3 * days, [...loop, "--fresh"])
    assert.strictEqual((await world.step(...prune)).stdout, "no run is older than 1d00h\n")
    assert.lengthOf(world.runs(), 3)
  })

  it(
    "keeps the run that the next step would continue, unless its worktree is gone",
    { tags: "slow" },
    async ({ world }) => {
      await old(world, "--uncommitted", "--advance-level")
      const { exit, stdout } = await world.step(...prune)
      assert.strictEqual(exit, 0)
      assert.match(stdout, /^kept \S+ \(.*\): unfinished: the next call continues it\nremoved 0 runs, kept 1\n$/)
      const worktree = world.path("tree")
      world.git("worktree", "add", "-q", worktree)
      await ago(world, 3 * days, ["--uncommitted", "--advance-level"], worktree)
      const runs = join(world.stateRoot, "tree-noremote", "uncommitted", "runs")
      const log = join(runs, readdirSync(runs)[0] ?? "", "manifest.jsonl")
      utimesSync(log, 0, 0)
      assert.match((await world.step(...prune, "--all")).stdout, /\nremoved 0 runs, kept 2\n$/)
      rmSync(worktree, { recursive: true })
      assert.match((await world.step(...prune, "--all")).stdout, /removed \S+ \(tree-noremote\/uncommitted, /)
      assert.deepEqual(readdirSync(runs), [])
      assert.lengthOf(world.runs(), 1)
    }
  )

  it(
    "removes the run of a plan that is done, and never one that is worked on or unfinished",
    { tags: "slow" },
    async ({ world }) => {
      const { args, asked, env, runs, wait } = made(world)
      writeFileSync(wait, "")
      const working = agoStart(world, 3 * days, args, world.repo, env)
      await eventually("an agent", () => asked().length === 1)
      const [run = ""] = runs()
      const old = () => {
        const log = join(
          world.runDir(run, `plan/${readdirSync(join(world.stateRoot, "repo-noremote", "plan"))[0]}`),
          "plan.jsonl"
        )
        utimesSync(log, Date.now() / 1000 - 3 * days, Date.now() / 1000 - 3 * days)
        return world.step(...prune)
      }
      const kept = new RegExp(`^kept ${run} .*: reviewers, agents or tests of it run\\nremoved 0 runs, kept 1\\n$`)
      assert.match((await old()).stdout, kept)
      working.signal("SIGINT")
      await working.ended
      const unfinished = new RegExp(`^kept ${run} .*: unfinished: .*\\nremoved 0 runs, kept 1\\n$`)
      assert.match((await old()).stdout, unfinished)
      rmSync(wait)
      assert.strictEqual((await agoStart(world, 3 * days, args, world.repo, env).ended).exit, 0)
      assert.match((await old()).stdout, new RegExp(`^removed ${run} .*\\nremoved 1 run, kept 0\\n$`))
      assert.deepStrictEqual(runs(), [])
    }
  )

  it("never removes a run whose reviewer lives, whatever its log and its age say", async ({ world }) => {
    world.scenario("default", `wait ${world.path("go")};clean`)
    const { ended, signal } = agoStart(world, 3 * days, loop)
    await eventually("the reviewer at work", () => world.calls().length === 1)
    signal("SIGKILL")
    await ended
    const [live = ""] = world.runs()
    // A newer run takes its place and knows nothing of it.
    renameSync(world.runDir(live), world.path("away"))
    rmSync(join(world.stateRoot, "repo-noremote", "uncommitted", "latest"))
    await world.step("--uncommitted", "--advance-level")
    renameSync(world.path("away"), join(world.runDir(), "..", live))
    aged(world, 3 * days, [live])
    const kept = await world.step(...prune)
    assert.match(
      kept.stdout,
      new RegExp(`^kept ${live} .*: reviewers, agents or tests of it run\\nremoved 0 runs, kept 1\\n$`)
    )
    world.release("go")
    await eventually("the reviewer's end", () => world.reviewers().length === 0)
    assert.match((await world.step(...prune)).stdout, new RegExp(`^removed ${live} `))
    assert.lengthOf(world.runs(), 1)
  })

  it("keeps what cannot be read, and says so", { tags: "slow" }, async ({ world }) => {
    await old(world, "--uncommitted", "--advance-level")
    await old(world, "--uncommitted", "--level", "high", "--advance-level")
    const [first = ""] = world.runs()
    const path = join(world.runDir(first), "manifest.jsonl")
    writeFileSync(path, readFileSync(path, "utf8").replace("Uncommitted", "Uncommittex"))
    aged(world, 3 * days)
    const { stdout } = await world.step(...prune)
    assert.match(stdout, new RegExp(`kept ${first} .*: cannot be read: .*damaged at line 1`))
    assert.lengthOf(world.runs(), 2)
  })

  it("removes a run that was never written, once it is old", { tags: "slow" }, async ({ world }) => {
    await world.step("--uncommitted", "--advance-level")
    const [run = ""] = world.runs()
    const empty = world.runDir(run.replace(/^\d{8}/, "20200101"))
    mkdirSync(empty)
    utimesSync(empty, 0, 0)
    assert.match((await world.step(...prune)).stdout, /^removed 20200101T\S+ /)
    assert.deepEqual(world.runs(), [run])
  })

  it("follows no link and touches nothing outside the state root", async ({ world }) => {
    world.scenario("default", "clean")
    await old(world, ...loop)
    const runs = join(world.stateRoot, "repo-noremote", "uncommitted", "runs")
    const [run = ""] = world.runs()
    // The same tree, reached through links: the run itself, a target, a repository.
    const outside = world.path("outside")
    renameSync(runs, outside)
    symlinkSync(outside, runs)
    symlinkSync(join(world.stateRoot, "repo-noremote"), join(world.stateRoot, "linked-noremote"))
    const before = tree(outside)
    const linked = await world.step(...prune, "--all")
    assert.strictEqual(linked.stdout, "no run is older than 1d00h\n")
    assert.deepEqual(tree(outside), before)
    rmSync(runs)
    mkdirSync(runs)
    symlinkSync(join(outside, run), join(runs, run))
    assert.strictEqual((await world.step(...prune)).stdout, "no run is older than 1d00h\n")
    assert.deepEqual(tree(outside), before)
    // A link inside a run is removed with it; what it leads to stays.
    rmSync(join(runs, run))
    renameSync(join(outside, run), join(runs, run))
    const treasure = world.path("treasure")
    mkdirSync(treasure)
    writeFileSync(join(treasure, "gold"), "")
    symlinkSync(treasure, join(runs, run, "levels", "treasure"))
    assert.match((await world.step(...prune)).stdout, /^removed /)
    assert.isTrue(existsSync(join(treasure, "gold")))
  })

  it("completes a removal that was cut short", { tags: "slow" }, async ({ world }) => {
    world.scenario("default", "clean")
    await old(world, ...loop)
    const runs = join(world.stateRoot, "repo-noremote", "uncommitted", "runs")
    const left = join(runs, `.removing-${world.runs()[0]?.replace(/^\d{8}/, "20200101")}`)
    mkdirSync(join(left, "levels"), { recursive: true })
    await world.step(...prune)
    assert.deepEqual(readdirSync(runs), [])
  })

  it("looks at this repository, or at all with --all", { tags: "slow" }, async ({ world }) => {
    world.scenario("default", "clean")
    await old(world, ...loop)
    const repos = () => readdirSync(world.stateRoot).sort()
    renameSync(join(world.stateRoot, "repo-noremote"), join(world.stateRoot, "other-noremote"))
    assert.strictEqual((await world.step(...prune)).stdout, "no run is older than 1d00h\n")
    // Its log says another repository, so it is not what its place says.
    assert.match((await world.step(...prune, "--all")).stdout, /^kept .*: its log is about another run\n/)
    renameSync(join(world.stateRoot, "other-noremote"), join(world.stateRoot, "repo-noremote"))
    assert.match((await world.step(...prune, "--all")).stdout, /^removed /)
    assert.deepEqual(repos(), ["repo-noremote"])
  })

  it("says the same as a document", { tags: "slow" }, async ({ world }) => {
    world.scenario("default", "clean")
    await old(world, ...loop)
    const dir = world.runDir()
    const { dryRun, runs, schema } = JSON.parse((await world.step(...prune, "--json")).stdout)
    assert.deepEqual({ dryRun, schema }, { dryRun: false, schema: 1 })
    assert.lengthOf(runs, 1)
    assert.deepInclude(runs[0].run, { repo: "repo-noremote", target: "uncommitted" })
    assert.deepInclude(runs[0], { directory: dir, removed: true, kept: null })
    assert.isFalse(existsSync(dir))
  })

  const misuses: ReadonlyArray<ReadonlyArray<string>> = [
    ["--prune"],
    ["--prune", ""],
    ["--prune", "30"],
    ["--prune", "0d"],
    ["--prune", "1h1d"],
    ["--prune", "-1d"],
    ["--prune", "99999d"],
    ["--dry-run"]
  ]
  it("is misused with anything else than an age", { tags: "slow" }, async ({ world }) => {
    for (const args of misuses) assert.strictEqual((await world.step("runs", ...args)).exit, 64, args.join(" "))
    assert.isUndefined(statSync(world.stateRoot, { throwIfNoEntry: false }))
  })
})
