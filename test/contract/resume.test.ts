// Resume: the run `latest` names, when (target, start_level) matches; else silently a new run, for a reason.
// The reason is the log's business (RunCreated.because); no invocation fails over it.
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { handoff, idle, outcome } from "./expect.ts"
import { batches, events, latest, logPath, reasons, runDir, runs, targetDir } from "./log.ts"
import { clean, editing } from "./plans.ts"
import { it } from "./support.ts"

describe.concurrent("resume", () => {
  it("keeps one run over loop steps, marks, -n and --ceiling", async ({ world }) => {
    world.plan("default", clean)
    handoff(await world.step("--uncommitted", "-n", "1"), 5, "Retrospective")
    const first = latest(world)
    const marked = await world.step("--uncommitted", "--level", "low", "--mark-retro-clean")
    idle(marked, "retrospective clean at low; advanced to medium")
    outcome(await world.step("--uncommitted", "-n", "2", "--ceiling", "medium"), 0, "DoneFixedPoint")
    assert.deepEqual(runs(world), [first])
    assert.strictEqual(latest(world), first)
    assert.deepEqual(reasons(world), ["NoLatestPointer"])
    assert.deepEqual(batches(world), ["low/1", "medium/1"])
  })

  it(
    "NoLatestPointer: the first invocation for a target; another mode flag is another target",
    { tags: "slow" },
    async ({ world }) => {
      await world.step("--uncommitted", "--advance-level")
      for (
        const argv of [["--base", "main"], ["--pr", "42"], ["--commit", "0123456789abcdef0123456789abcdef01234567"]]
      ) {
        idle(await world.step(...argv, "--advance-level"), "advanced level: low -> medium")
      }
      const keys = ["uncommitted", "base/main", "pr/42", "commit/0123456789abcdef0123456789abcdef01234567"]
      for (const key of keys) assert.deepEqual(reasons(world, key), ["NoLatestPointer"], key)
    }
  )

  it("Forced: --fresh, in loop mode", { tags: "slow" }, async ({ world }) => {
    world.plan("default", clean)
    handoff(await world.step("--uncommitted", "-n", "1"), 5, "Retrospective")
    await world.step("--uncommitted", "--mark-retro-clean")
    assert.match(handoff(await world.step("--uncommitted", "-n", "1", "--fresh"), 5, "Retrospective").first, /\blow\b/)
    assert.deepEqual(reasons(world), ["NoLatestPointer", "Forced"])
    assert.strictEqual(latest(world), runs(world)[1])
    assert.lengthOf(world.calls(), 2)
  })

  it("LatestDangling: latest names a run that no longer exists", { tags: "slow" }, async ({ world }) => {
    await world.step("--uncommitted", "--advance-level")
    rmSync(runDir(world), { recursive: true })
    idle(await world.step("--uncommitted", "--advance-level"), "advanced level: low -> medium")
    assert.deepEqual(reasons(world), ["LatestDangling"])
  })

  it("ManifestUnreadable: the log is missing or does not read, in loop mode", { tags: "slow" }, async ({ world }) => {
    world.plan("default", clean)
    await world.step("--uncommitted", "--advance-level")
    rmSync(logPath(world))
    handoff(await world.step("--uncommitted", "-n", "1"), 5, "Retrospective")
    assert.strictEqual(events(world, "RunCreated")[0]?.["because"], "ManifestUnreadable")
    assert.lengthOf(runs(world), 2)
  })

  it("LevelMismatch: another --level, explicit or by default; no older run is dug out", async ({ world }) => {
    await world.step("--uncommitted", "--level", "medium", "--advance-level")
    idle(await world.step("--uncommitted", "--advance-level"), "advanced level: low -> medium")
    idle(await world.step("--uncommitted", "--level", "medium", "--advance-level"), "advanced level: medium -> high")
    assert.deepEqual(reasons(world), ["NoLatestPointer", "LevelMismatch", "LevelMismatch"])
    assert.deepEqual(
      runs(world).map((run) => events(world, "RunCreated", undefined, run)[0]?.["startLevel"]),
      ["medium", "low", "medium"]
    )
  })

  it("latest is read with surrounding white space trimmed", { tags: "slow" }, async ({ world }) => {
    await world.step("--uncommitted", "--advance-level")
    writeFileSync(join(targetDir(world), "latest"), `${latest(world)}\n`)
    idle(await world.step("--uncommitted", "--advance-level"), "advanced level: medium -> high")
    assert.lengthOf(runs(world), 1)
  })

  it("latest that names no run id never leads out of runs/", { tags: "slow" }, async ({ world }) => {
    await world.step("--uncommitted", "--advance-level")
    const before = readFileSync(logPath(world), "utf8")
    const [run = ""] = runs(world)
    writeFileSync(join(targetDir(world), "latest"), `../runs/${run}`)
    idle(await world.step("--uncommitted", "--advance-level"), "advanced level: low -> medium")
    assert.strictEqual(readFileSync(logPath(world, undefined, run), "utf8"), before)
  })
})

describe.concurrent("a fixed point", () => {
  it("says nothing about code that has changed since: a new run, FixedPointStale", async ({ world }) => {
    world.plan("default", clean)
    const argv = ["--uncommitted", "-n", "1", "--ceiling", "low"]
    outcome(await world.step(...argv), 0, "DoneFixedPoint")
    outcome(await world.step(...argv), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 1)
    world.write("tracked.txt", "changed\n")
    outcome(await world.step(...argv), 0, "DoneFixedPoint")
    assert.deepEqual(reasons(world), ["NoLatestPointer", "FixedPointStale"])
    assert.lengthOf(world.calls(), 2)
  })

  it("holds over what changes no content: a touched file, a staged one", { tags: "slow" }, async ({ world }) => {
    world.plan("default", clean)
    world.write("tracked.txt", "changed\n")
    const argv = ["--uncommitted", "-n", "1", "--ceiling", "low"]
    outcome(await world.step(...argv), 0, "DoneFixedPoint")
    world.write("tracked.txt", "changed\n")
    outcome(await world.step(...argv), 0, "DoneFixedPoint")
    world.git("add", "tracked.txt")
    outcome(await world.step(...argv), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 1)
    world.git("commit", "-qm", "Two")
    outcome(await world.step(...argv), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 2, "another HEAD is another target")
  })

  it("against a base ends when the base moves", { tags: "slow" }, async ({ world }) => {
    world.plan("default", clean)
    world.git("branch", "base")
    world.git("commit", "-q", "--allow-empty", "-m", "Two")
    const argv = ["--base", "base", "-n", "1", "--ceiling", "low"]
    outcome(await world.step(...argv), 0, "DoneFixedPoint")
    outcome(await world.step(...argv), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 1)
    world.git("branch", "-f", "base", "HEAD")
    outcome(await world.step(...argv), 0, "DoneFixedPoint")
    assert.deepEqual(reasons(world, "base/base"), ["NoLatestPointer", "FixedPointStale"])
  })

  it("holds over ignored files and over files of the state root", { tags: "slow" }, async ({ world }) => {
    world.write(".gitignore", "ignored\n")
    world.plan("default", `${clean}`)
    const argv = ["--uncommitted", "-n", "1", "--ceiling", "low", "--state-root", "state"]
    outcome(await world.stepFrom({ stateRoot: null }, ...argv), 0, "DoneFixedPoint")
    world.write("ignored", "x")
    outcome(await world.stepFrom({ stateRoot: null }, ...argv), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 1)
  })

  it(
    "an all-clean batch below the ceiling that is no longer about the code is run again",
    { tags: "slow" },
    async ({ world }) => {
      world.plan("default", clean)
      handoff(await world.step("--uncommitted", "-n", "1"), 5, "Retrospective")
      world.write("untracked.txt", "new\n")
      handoff(await world.step("--uncommitted", "-n", "1"), 5, "Retrospective")
      assert.deepEqual(batches(world), ["low/1", "low/2"])
      assert.deepEqual(events(world, "BatchOpened").map(({ cause }) => cause), ["TargetChanged"])
    }
  )

  it(
    "a commit does not change under its reviewers: edits of the worktree force nothing",
    { tags: "slow" },
    async ({ world }) => {
      world.plan("default", editing(clean))
      const argv = ["--commit", world.git("rev-parse", "HEAD"), "-n", "1", "--ceiling", "low"]
      outcome(await world.step(...argv), 0, "DoneFixedPoint")
      outcome(await world.step(...argv), 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 1)
    }
  )
})
