// runs, replay and audit as processes: the built program beside real steps, with a fake codex.
// Run as a person or an orchestrator runs them; the state root is compared byte for byte around them.
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, expect } from "vitest"
import { blocked, clean, issues } from "../contract/plans.ts"
import { it, type World } from "../contract/support.ts"
import { logOf } from "../support/writtenRuns.ts"
import { created } from "../unit/run/events.ts"

const top = fileURLToPath(new URL("../..", import.meta.url))
const cli = join(top, JSON.parse(fs.readFileSync(join(top, "package.json"), "utf8")).bin["ooda-codex-review"])

/** A subcommand in the world's repository, with its state root from the environment. */
const ask = (world: World, ...args: ReadonlyArray<string>) =>
  world.stepFrom({ stateRoot: null, env: { OODA_STATE_ROOT: world.stateRoot } }, ...args)

/** Every file of the state root with its bytes and times. */
const snapshot = (root: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fs.readdirSync(root, { recursive: true, encoding: "utf8" }).sort().map((name) => {
      const path = join(root, name)
      const { ino, mode, mtimeMs, size } = fs.lstatSync(path)
      const digest = fs.lstatSync(path).isFile() ? createHash("sha256").update(fs.readFileSync(path)).digest("hex") : ""
      return [name, [ino, mode, mtimeMs, size, digest].join(" ")]
    })
  )

const climb = async (world: World) => {
  world.write("tracked.txt", "two\n")
  world.plan("default", clean)
  const ladder = ["--uncommitted", "--ceiling", "medium", "-n", "2"]
  const step = (...args: ReadonlyArray<string>) => world.step(...ladder, ...args)
  assert.strictEqual((await step()).header, "HandoffAgent: Retrospective")
  assert.strictEqual((await step("--mark-retro-clean")).header, "Idle")
  assert.strictEqual((await step()).header, "DoneFixedPoint")
}

describe("after a climb to the fixed point", () => {
  it("every command reports it, reads only, and says the same to programs", async ({ world }) => {
    await climb(world)
    const before = snapshot(world.stateRoot)
    const [runs, replay, audit] = [await ask(world, "runs"), await ask(world, "replay"), await ask(world, "audit")]
    for (const { exit, stderr } of [runs, replay, audit]) assert.deepEqual([exit, stderr], [0, ""])
    assert.match(
      runs.stdout,
      /\n\S+ +uncommitted +low\.\.medium +0 +4 +\S+ +done: reviewed clean from low to medium\n$/
    )
    assert.match(replay.stdout, /FixedPointReached {5}medium batch 1 at the ceiling \(by Reviews\)\n/)
    assert.include(audit.stdout, "proven: fixed point at medium batch 1, ceiling medium, reached by reviews\n")
    assert.match(audit.stdout, /every level was reviewed clean, on the same code\n {2}sound\n$/)

    const [listed] = JSON.parse((await ask(world, "runs", "--json")).stdout).runs
    assert.deepInclude(listed, { state: "Done", reason: "FixedPoint", reviews: 4, floor: "low", level: "medium" })
    const events = (await ask(world, "replay", "--json")).stdout.trim().split("\n").map((line) => JSON.parse(line))
    const { head } = events.pop()
    assert.deepEqual(head, listed.head)
    assert.strictEqual(events[0].event._tag, "RunCreated")
    const manifest = JSON.parse((await ask(world, "replay", "--at", String(head.seq))).stdout)
    assert.deepInclude(manifest, { run_id: listed.run.run, current_level: "medium", batches: 2 })
    const report = JSON.parse((await ask(world, "audit", "--all", "--json", "--reclassify")).stdout)
    assert.deepInclude(report.runs[0], { run: listed.run, sound: true, findings: [] })
    assert.strictEqual(report.runs[0].proof.levels[0].completed.tree, report.runs[0].proof.levels[1].completed.tree)
    const expected = `${head.seq}:${head.hash}`
    assert.strictEqual((await ask(world, "audit", listed.run.run, "--expect-head", expected)).exit, 0)

    assert.deepEqual(snapshot(world.stateRoot), before)
  })

  it("what was changed since is found", { tags: "slow" }, async ({ world }) => {
    await climb(world)
    const [listed] = JSON.parse((await ask(world, "runs", "--json")).stdout).runs
    const out = join(listed.directory, "levels/level-low/batch-1/low-1.out")
    fs.appendFileSync(out, "one more word\n")
    const changed = await ask(world, "audit")
    assert.deepEqual([changed.exit, changed.stderr], [1, ""])
    assert.include(changed.stdout, "low batch 1 slot 1: its out file is not the one that was recorded\n")
    const log = join(listed.directory, "manifest.jsonl")
    fs.writeFileSync(log, fs.readFileSync(log, "utf8").replace('"FixedPointReached"', '"FixedPointReachec"'))
    const damaged = await ask(world, "audit", "--json")
    assert.strictEqual(damaged.exit, 1)
    const kinds = JSON.parse(damaged.stdout).runs[0].findings.map(({ kind }: { kind: string }) => kind)
    assert.deepEqual(kinds, ["Transcript", "Damage"])
    const shown = await ask(world, "replay")
    assert.strictEqual(shown.exit, 1)
    assert.match(
      shown.stderr,
      /^error: .*damaged at line \d+, byte \d+: bad hash \[audit says more; --fresh starts another run\]\n$/
    )
  })
})

describe("while a step runs", () => {
  it("nothing is disturbed, and the running work is shown", { tags: "slow" }, async ({ world }) => {
    world.write("tracked.txt", "two\n")
    world.plan("default", blocked(clean))
    const step = world.start({}, "--uncommitted", "--level", "xhigh", "-n", "2")
    await expect.poll(() => world.calls().length, { timeout: 20_000 }).toBe(2)
    const listed = await ask(world, "runs")
    assert.match(listed.stdout, /running: 2 of 2 reviewers at xhigh\n$/)
    const audit = await ask(world, "audit")
    assert.strictEqual(audit.exit, 0, audit.stdout)
    assert.include(audit.stdout, "note     xhigh batch 1 slot 1 attempt 1 is running\n")
    assert.strictEqual((await ask(world, "replay")).exit, 0)
    world.release()
    assert.strictEqual((await step.ended).header, "DoneFixedPoint")
    assert.match((await ask(world, "runs")).stdout, /done: reviewed clean at xhigh\n$/)
    assert.strictEqual((await ask(world, "audit")).exit, 0)
  })

  it("code that is edited under review is found", { tags: "slow" }, async ({ world }) => {
    world.write("tracked.txt", "two\n")
    world.plan("default", blocked(issues))
    const step = world.start({}, "--uncommitted", "-n", "1")
    await expect.poll(() => world.calls().length, { timeout: 20_000 }).toBe(1)
    world.write("tracked.txt", "three\n")
    world.release()
    assert.strictEqual((await step.ended).header, "HandoffAgent: AddressBatch")
    const audit = await ask(world, "audit")
    assert.strictEqual(audit.exit, 1)
    assert.match(audit.stdout, /finding {2}line \d+, tree-changed: low batch 1: the code changed while it was under/)
  })

  it("a live tail shows each commit, and ends with SIGINT", { tags: "slow" }, async ({ world }) => {
    const mark = () => world.step("--uncommitted", "--restart-from-floor")
    assert.strictEqual((await mark()).exit, 7)
    const child = spawn(process.execPath, [cli, "replay", "--follow", "--json"], {
      cwd: world.repo,
      env: { ...process.env, OODA_STATE_ROOT: world.stateRoot },
      stdio: ["ignore", "pipe", "pipe"]
    })
    try {
      let shown = ""
      child.stdout.setEncoding("utf8").on("data", (text: string) => (shown += text))
      const ended = new Promise((resolve) => child.once("close", (code, signal) => resolve([code, signal])))
      const opened = () => shown.split("\n").filter((line) => line.includes('"BatchOpened"')).length
      await expect.poll(opened, { timeout: 20_000 }).toBe(1)
      for (const count of [2, 3]) {
        assert.strictEqual((await mark()).exit, 7)
        await expect.poll(opened, { timeout: 20_000 }).toBe(count)
      }
      child.kill("SIGINT")
      assert.deepEqual(await ended, [0, null])
      const seqs = shown.trim().split("\n").map((line) => JSON.parse(line).seq)
      assert.deepEqual(seqs, [1, 2, 3, 4])
    } finally {
      child.kill("SIGKILL")
    }
  })
})

describe("a command whose reader goes away", () => {
  const long = (world: World): string => {
    const id = "20300101T000001Z-000000001-p1"
    const dir = join(world.stateRoot, "repo-noremote/uncommitted/runs", id)
    fs.mkdirSync(dir, { recursive: true, mode: 0o700 })
    const lines = Array.from({ length: 4000 }, () => [{ _tag: "StepAborted", signal: "SIGTERM" }])
    const first = created({ runId: id, worktree: world.repo })
    const forged = { _tag: "BatchOpened", level: "xhigh", batch: 1, from: "low", cause: "Advanced" }
    fs.writeFileSync(join(dir, "manifest.jsonl"), logOf([[first], ...lines, [forged]]).text)
    return id
  }
  const piped = (world: World, args: string) =>
    execFileSync("sh", ["-c", `{ node "$CLI" ${args}; echo "$?" >&3; } 3>status 2>errors | head -n 1`], {
      cwd: world.repo,
      env: { ...process.env, CLI: cli, OODA_STATE_ROOT: world.stateRoot },
      encoding: "utf8"
    })

  it("ends quietly, and an audit still gives its verdict", { tags: "slow" }, async ({ world }) => {
    const id = long(world)
    for (const args of ["replay", "replay --json", "replay --follow"]) {
      assert.match(piped(world, args), /^[^\n]+\n$/)
      assert.deepEqual(["status", "errors"].map((name) => fs.readFileSync(join(world.repo, name), "utf8")), ["0\n", ""])
    }
    assert.match(piped(world, `audit ${id}`), /^run .*\n$/)
    assert.strictEqual(fs.readFileSync(join(world.repo, "status"), "utf8"), "1\n")
  })

  it.skipIf(!fs.existsSync("/dev/full"))("or cannot be written to says so", { tags: "slow" }, async ({ world }) => {
    long(world)
    for (const name of ["runs", "replay", "audit"]) {
      const full = fs.openSync("/dev/full", "w")
      const { status, stderr } = spawnSync(process.execPath, [cli, name], {
        cwd: world.repo,
        env: { ...process.env, OODA_STATE_ROOT: world.stateRoot },
        stdio: ["ignore", full, "pipe"],
        encoding: "utf8"
      })
      fs.closeSync(full)
      assert.strictEqual(status, 6)
      assert.strictEqual(stderr, "error: standard output: the disk is full (ENOSPC: write)\n")
    }
  })
})

describe("how a command ends", () => {
  it(
    "64 on misuse, with its own usage; 0 for help; 6 when there is no such run",
    { tags: "slow" },
    async ({ world }) => {
      for (const name of ["runs", "replay", "audit"]) {
        const misuse = await ask(world, name, "--nonsense")
        assert.deepEqual([misuse.exit, misuse.stdout], [64, ""])
        const said = `error: unknown flag --nonsense\nsee 'ooda-codex-review ${name} --help'\n`
        assert.isTrue(misuse.stderr.startsWith(said), misuse.stderr)
        const help = await ask(world, name, "--help")
        assert.deepEqual([help.exit, help.stderr], [0, ""])
        assert.include(help.stdout, `\nUSAGE\n  ooda-codex-review ${name} `)
      }
      for (const args of [["replay"], ["audit"], ["replay", "2099"], ["audit", "--pr", "7"]]) {
        const { exit, stderr, stdout } = await ask(world, ...args)
        assert.deepEqual([exit, stdout], [6, ""])
        assert.match(stderr, /^error: .*no run.*\n$/)
      }
      const none = await ask(world, "runs")
      assert.deepEqual([none.exit, none.stdout, none.stderr], [0, "no runs\n", ""])
      assert.isFalse(fs.existsSync(world.stateRoot))
    }
  )
})
