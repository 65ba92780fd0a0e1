// Reviews are bounded: the deadline, the idle limit, a transcript without end, a network that is not there.
// The process is gone and the slot has failed with its reason, even if no step was watching.
import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { eventually, it, living } from "./world.ts"

const argv = ["--uncommitted", "-n", "1", "--retries", "0"]

describe.concurrent("a reviewer", () => {
  it("that makes no progress is ended by the step after --idle-timeout", async ({ world }) => {
    world.scenario("default", "log thinking;children 2;sleep 3600;clean")
    const ended = await world.step(...argv, "--idle-timeout", "1s")
    assert.strictEqual(ended.exit, 6, ended.stderr)
    assert.match(
      ended.header,
      /^BinaryError: 1 review\(s\) of low batch 1 failed: slot 1(?: exited \d+)?: Idle: .*--idle-timeout/
    )
    assert.deepEqual(world.reviewers(), [])
    assert.deepInclude(world.events("ReviewFailed")[0], { kind: "Idle", transient: false })
  })

  it(
    "that made no progress under an earlier step is ended by the next one at once",
    { tags: "slow" },
    async ({ world }) => {
      world.scenario("default", "log thinking;children 2;sleep 3600")
      const first = world.start(argv)
      await eventually("the reviewer at work", () => world.reviewers().length >= 5)
      first.signal("SIGTERM")
      assert.strictEqual((await first.ended).exit, 8)
      // As if its transcript had last grown an hour ago.
      const log = join(world.runDir(), "levels", "level-low", "batch-1", "low-1.log")
      const then = Date.now() / 1000 - 3600
      for (const path of [log, log.replace(/log$/, "out")]) utimesSync(path, then, then)
      const next = await world.step(...argv)
      assert.match(next.header, /^BinaryError: .* slot 1: Idle: no progress for 1h00m/)
      assert.deepEqual(world.reviewers(), [])
      assert.lengthOf(world.calls(), 1)
    }
  )

  const review = `session {"findings":[],"overall_correctness":"patch is correct","overall_explanation":"Fine."}`

  it("whose review codex had recorded when its deadline came has reviewed, and its proof holds", async ({ world }) => {
    world.scenario("default", `${review};children 1;sleep 3600`)
    writeFileSync(join(world.repo, "b.txt"), "new\n")
    const limits = ["--review-timeout", "2s", "--ceiling", "low", "--strict"]
    const ended = await world.step(...argv, ...limits)
    assert.strictEqual(ended.header, "DoneFixedPoint", ended.stderr)
    assert.deepInclude(world.events("ReviewFinished")[0], { verdict: "Clean", source: "session" })
    const audit = await world.step("audit")
    assert.strictEqual(audit.exit, 0, audit.stdout + audit.stderr)
  })

  it(
    "that does not exit once its review is recorded is ended, though it keeps printing",
    { tags: "slow" },
    async ({ world }) => {
      world.scenario("default", `${review};children 2;talk ${world.path("never")}`)
      const ended = await world.step(...argv, "--ceiling", "low")
      assert.strictEqual(ended.header, "DoneFixedPoint", ended.stderr)
      assert.deepEqual(world.reviewers(), [])
      assert.lengthOf(world.calls(), 1)
    }
  )

  it("that continues writing is not idle", async ({ world }) => {
    world.scenario("default", `${"log working;sleep 0.5;".repeat(6)}clean`)
    const ended = await world.step(...argv, "--idle-timeout", "2s", "--ceiling", "low")
    assert.strictEqual(ended.header, "DoneFixedPoint")
  })

  it("is ended by its deadline with the step killed", async ({ world }) => {
    world.scenario("default", "children 2;stubborn;sleep 3600;clean")
    const step = world.start([...argv, "--review-timeout", "2s"])
    await eventually("the reviewer at work", () => world.calls().length === 1)
    step.signal("SIGKILL")
    await step.ended
    const exit = join(world.runDir(), "levels", "level-low", "batch-1", "low-1.exit")
    await eventually("the exit file", () => existsSync(exit))
    await eventually("the end of everything the reviewer started", () => world.reviewers().length === 0)
    assert.match(readFileSync(exit, "utf8"), /^(143|137)\n$/)
    const next = await world.step(...argv)
    assert.match(next.header, /^BinaryError: .* slot 1(?: exited \d+)?: Deadline: .*raise --review-timeout/)
    assert.lengthOf(world.calls(), 1)
  })

  it(
    "that only waits for the network makes no progress, and fails for want of that network",
    { tags: "slow" },
    async ({ world }) => {
      const waits = "log ERROR: Reconnecting... waiting for network;"
      world.scenario("default", `log thinking;${waits}${waits}reconnect 0.2`)
      const ended = await world.step(...argv, "--idle-timeout", "5s")
      assert.match(
        ended.header,
        /^BinaryError: .* slot 1(?: exited \d+)?: NetworkWait: waited \d+s for the network .*check the connection/
      )
      assert.deepEqual(world.reviewers(), [])
    }
  )

  it("whose wrapper is killed has died and is not awaited forever", async ({ world }) => {
    world.scenario("default", "children 1;sleep 3600;clean")
    const step = world.start([...argv])
    await eventually("the reviewer at work", () => world.calls().length === 1)
    const [codex = 0] = world.calls()
    const run = readFileSync(join(world.runDir(), "levels", "level-low", "batch-1", "low-1.1.run"), "utf8")
    const wrapper = Number(run.split(" ")[2])
    process.kill(wrapper, "SIGKILL")
    const ended = await step.ended
    assert.match(ended.header, /^BinaryError: .* slot 1: Lost: .*died without a trace/)
    assert.isFalse(living(codex))
    assert.deepEqual(world.reviewers(), [])
    // The next call runs the slot again, in the same batch.
    world.scenario("default", "clean")
    assert.strictEqual((await world.step(...argv, "--ceiling", "low")).header, "DoneFixedPoint")
    assert.deepEqual(world.events("ReviewStarted").map(({ attempt, batch, slot }) => ({ attempt, batch, slot })), [
      { attempt: 1, batch: 1, slot: 1 },
      { attempt: 2, batch: 1, slot: 1 }
    ])
  })

  it("whose wrapper is killed once its review is recorded counts, and its run is sound", async ({ world }) => {
    const review = {
      findings: [],
      overall_correctness: "patch is correct",
      overall_explanation: "The change is correct.",
      overall_confidence_score: 1
    }
    world.scenario("default", `session ${JSON.stringify(review)}\nsleep 3600\nclean`)
    const step = world.start([...argv, "--ceiling", "low"])
    const sessions = join(world.path("home"), ".codex", "sessions")
    await eventually("the recorded review", () => existsSync(sessions))
    const run = readFileSync(join(world.runDir(), "levels", "level-low", "batch-1", "low-1.1.run"), "utf8")
    process.kill(Number(run.split(" ")[2]), "SIGKILL")
    assert.strictEqual((await step.ended).header, "DoneFixedPoint")
    assert.deepInclude(world.events("ReviewFinished")[0], { verdict: "Clean", source: "session", attempt: 1 })
    assert.deepEqual(world.reviewers(), [])
    const audit = await world.step("audit")
    assert.strictEqual(audit.exit, 0, audit.stdout + audit.stderr)
  })

  it("whose wrapper is killed while no step runs is found out by the next one", { tags: "slow" }, async ({ world }) => {
    world.scenario("default", "sleep 3600;clean")
    const step = world.start(argv)
    await eventually("the reviewer at work", () => world.calls().length === 1)
    step.signal("SIGTERM")
    assert.strictEqual((await step.ended).header, "DoneAborted")
    const run = readFileSync(join(world.runDir(), "levels", "level-low", "batch-1", "low-1.1.run"), "utf8")
    process.kill(Number(run.split(" ")[2]), "SIGKILL")
    assert.match((await world.step(...argv)).header, /^BinaryError: .* slot 1: Lost: /)
    assert.deepEqual(world.reviewers(), [])
  })
})
