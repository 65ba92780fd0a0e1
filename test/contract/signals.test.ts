// Steps end, reviewers do not: signals, a step's own timeout, a kill, and leaving a batch on purpose.
// What still runs is picked up by the next step and never started twice.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { handoff, idle, outcome } from "./expect.ts"
import { batchDir, batches, events, runs } from "./log.ts"
import { blocked, clean, issues } from "./plans.ts"
import { it, type World } from "./support.ts"
import { alive, until } from "./wait.ts"

const ARGV = ["--uncommitted", "-n", "2", "--ceiling", "low"]
const running = (world: World): ReadonlyArray<boolean> => world.calls().map(({ pid }) => alive(pid))
const started = (world: World, count: number): Promise<void> =>
  until(`${count} reviewers run`, () => world.calls().length === count)
const gone = (world: World): Promise<void> => until("the reviewers are gone", () => !running(world).includes(true))

describe.concurrent("a step that waits", () => {
  for (const signal of ["SIGTERM", "SIGHUP"] as const) {
    const tags = signal === "SIGHUP" ? ["slow"] : []
    it(`ends with DoneAborted on ${signal} and leaves its reviewers to the next step`, { tags }, async ({ world }) => {
      world.plan("default", blocked(clean))
      const step = world.start({}, ...ARGV)
      await started(world, 2)
      step.signal(signal)
      outcome(await step.ended, 8, "DoneAborted")
      assert.deepEqual(running(world), [true, true])
      assert.deepEqual(events(world, "StepAborted").map((event) => event["signal"]), [signal])
      const next = world.step(...ARGV)
      world.release()
      outcome(await next, 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 2)
    })
  }

  it("ends at once on SIGTERM, however long it would sleep", async ({ world }) => {
    world.plan("default", blocked(clean))
    const step = world.start({ env: { OODA_AWAIT_SECS: undefined } }, ...ARGV)
    await started(world, 2)
    const began = Date.now()
    step.signal("SIGTERM")
    outcome(await step.ended, 8, "DoneAborted")
    assert.isBelow(Date.now() - began, 10_000)
  })

  it("ends with DoneAborted on SIGINT and stops its reviewers; only these are run again", async ({ world }) => {
    world.plan("default", blocked(clean))
    world.plan("call-1", issues)
    const step = world.start({}, ...ARGV)
    await until("one has finished, one runs", () => world.calls().length === 2 && running(world).includes(false))
    await until("the review is recorded", () => events(world, "ReviewFinished").length === 1)
    step.signal("SIGINT")
    outcome(await step.ended, 8, "DoneAborted")
    await gone(world)
    world.release()
    handoff(await world.step(...ARGV), 5, "AddressBatch")
    assert.lengthOf(world.calls(), 3)
    assert.deepEqual(batches(world), ["low/1"])
  })

  it(
    "ends with DoneAborted also when many are asked at once, each with its record",
    { tags: "slow" },
    async ({ world }) => {
      world.plan("default", blocked(clean))
      const through = `echo "$$" >>"${world.dir}/pids"; exec "$@"`
      const steps = Array.from({ length: 6 }, () => world.start({ through }, ...ARGV))
      await started(world, 2)
      const pids = () => readFileSync(join(world.dir, "pids"), "utf8").split("\n").slice(0, -1)
      // Node itself catches SIGTERM from its start on. SIGHUP (bit 0) is caught by a step that listens alone.
      await until(
        "all listen",
        () =>
          pids().length === 6 &&
          pids().every((pid) => /^SigCgt:.*[13579bdf]$/m.test(readFileSync(`/proc/${pid}/status`, "utf8")))
      )
      for (const step of steps) step.signal("SIGTERM")
      for (const step of steps) outcome(await step.ended, 8, "DoneAborted")
      assert.lengthOf(events(world, "StepAborted"), 6)
    }
  )

  it("ends with DoneAborted also while it has not opened its run yet", { tags: "slow" }, async ({ world }) => {
    world.plan("default", clean)
    outcome(await world.step(...ARGV), 0, "DoneFixedPoint")
    const slow = join(world.dir, "slow")
    mkdirSync(slow)
    const waiting = `touch ${slow}/adds; while [ ! -e ${slow}/go ]; do sleep 0.05; done`
    const script = `#!/bin/sh\nPATH=\${PATH#*:}\ncase " $* " in *" ls-files "*) ${waiting} ;; esac\nexec git "$@"\n`
    writeFileSync(join(slow, "git"), script, { mode: 0o755 })
    const through = `PATH=${slow}:$PATH exec "$@"`
    const step = world.start({ through }, ...ARGV)
    await until("the tree is looked at", () => existsSync(join(slow, "adds")))
    step.signal("SIGTERM")
    writeFileSync(join(slow, "go"), "")
    outcome(await step.ended, 8, "DoneAborted")
    assert.lengthOf(events(world, "StepAborted"), 1)
  })

  it("ends with Idle after --step-timeout; the reviewers live on", async ({ world }) => {
    world.plan("default", blocked(clean))
    outcome(await world.step(...ARGV, "--step-timeout", "1s"), 7, "Idle")
    await started(world, 2)
    assert.deepEqual(running(world), [true, true])
    outcome(await world.step(...ARGV, "--step-timeout", "500ms"), 7, "Idle")
    world.release()
    outcome(await world.step(...ARGV, "--step-timeout", "8m"), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 2)
  })

  it("is WouldAdvance: AwaitReviews to --inspect", async ({ world }) => {
    world.plan("default", blocked(clean))
    outcome(await world.step(...ARGV, "--step-timeout", "500ms"), 7, "Idle")
    await started(world, 2)
    const before = events(world)
    outcome(await world.step(...ARGV, "--inspect"), 4, "WouldAdvance: AwaitReviews")
    assert.deepEqual(events(world), before)
  })
})

describe.concurrent("a reviewer that dies without an exit status", () => {
  it("is run again; nothing waits for it forever", { tags: "slow" }, async ({ world }) => {
    world.plan("default", clean)
    world.plan("call-1", "kill -KILL $PPID; kill -KILL $$")
    const ended = await world.step("--uncommitted", "-n", "1", "--ceiling", "low", "--retries", "0")
    if (ended.exit === 6) outcome(await world.step("--uncommitted", "-n", "1", "--ceiling", "low"), 0, "DoneFixedPoint")
    else outcome(ended, 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 2)
  })
})

describe.concurrent("leaving an undecided batch stops its reviewers", () => {
  for (
    const [argv, line] of [
      [["--advance-level"], "advanced level: low -> medium"],
      [["--mark-retro-clean", "--ceiling", "high"], "retrospective clean at low; advanced to medium"],
      [["--mark-address-passed"], "address passed at floor low (0 review(s) with issues); no drop; advanced to batch 2"]
    ] as const
  ) {
    it(argv[0], { tags: argv[0] === "--mark-retro-clean" ? [] : ["slow"] }, async ({ world }) => {
      world.plan("default", blocked(clean))
      outcome(await world.step("--uncommitted", "-n", "2", "--step-timeout", "500ms"), 7, "Idle")
      await started(world, 2)
      idle(await world.step("--uncommitted", ...argv), line)
      await gone(world)
    })
  }

  it("--fresh", { tags: "slow" }, async ({ world }) => {
    world.plan("default", clean)
    world.plan("call-1", blocked(clean))
    outcome(await world.step("--uncommitted", "-n", "1", "--step-timeout", "500ms"), 7, "Idle")
    await started(world, 1)
    outcome(await world.step("--uncommitted", "-n", "1", "--ceiling", "low", "--fresh"), 0, "DoneFixedPoint")
    await gone(world)
    assert.lengthOf(runs(world), 2)
    assert.lengthOf(world.calls(), 2)
  })
})

describe.concurrent("reviews that ended while no step waited", () => {
  it("are recorded as such in a run that --fresh leaves", { tags: "slow" }, async ({ world }) => {
    world.plan("default", clean)
    world.plan("call-1", blocked(clean))
    const step = world.start({}, ...ARGV, "--jobs", "1")
    await started(world, 1)
    step.signal("SIGKILL")
    await step.ended
    const [first] = runs(world)
    world.release()
    await until("it has ended", () => existsSync(join(batchDir(world, "low", 1), "low-1.exit")))
    outcome(await world.step(...ARGV, "--fresh"), 0, "DoneFixedPoint")
    assert.lengthOf(events(world, "ReviewFinished", undefined, first), 1)
  })

  it("count for a mark, and stay reviewed", { tags: "slow" }, async ({ world }) => {
    world.plan("default", blocked(issues))
    const step = world.start({}, ...ARGV)
    await started(world, 2)
    step.signal("SIGKILL")
    await step.ended
    world.release()
    const exits = ["low-1.exit", "low-2.exit"].map((name) => join(batchDir(world, "low", 1), name))
    await until("both have ended", () => exits.every((path) => existsSync(path)))
    const line = "address passed at floor low (2 review(s) with issues); no drop; advanced to batch 2"
    idle(await world.step(...ARGV, "--mark-address-passed"), line)
    assert.lengthOf(events(world, "ReviewFinished"), 2)
    assert.isEmpty(events(world, "ReviewStopped"))
  })
})

describe.concurrent("stop", () => {
  it("ends a step that waits, which ends in DoneAborted; the next loop runs the reviewers again", async ({ world }) => {
    world.plan("default", blocked(clean))
    const waiting = world.step(...ARGV)
    await started(world, 2)
    const stop = ["stop", "--uncommitted", "--state-root", world.stateRoot]
    const { exit, stderr } = await world.stepFrom({ stateRoot: null }, ...stop)
    assert.deepEqual([exit, stderr], [0, ""])
    outcome(await waiting, 8, "DoneAborted")
    await gone(world)
    world.release()
    outcome(await world.step(...ARGV), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 4)
    assert.deepEqual(batches(world), ["low/1"])
  })

  it("is a subcommand as the first argument alone", async ({ world }) => {
    assert.strictEqual((await world.step("--uncommitted", "stop")).exit, 64)
  })
})
