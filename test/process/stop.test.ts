// `stop`: ends a batch's reviewers from outside, whether or not a step waits for them.
// Nothing survives it, nothing finished is lost, and the next step runs only what was not finished.
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { assert, describe } from "vitest"
import { type Ended, eventually, handlesSignals, it, type World } from "./world.ts"
import { atWork, oneOfThree } from "./halfDoneBatch.ts"

const argv = ["--uncommitted", "-n", "3", "--ceiling", "low"]
const stop = ["stop", "--uncommitted"]

const stopped = ({ exit, stderr, stdout }: Ended, line: string) =>
  assert.deepEqual({ exit, stderr, stdout: stdout.trimEnd() }, { exit: 0, stderr: "", stdout: line })
const aborted = ({ exit, stderr, stdout }: Ended) =>
  assert.deepEqual({ exit, stderr, stdout }, { exit: 8, stderr: "DoneAborted\n", stdout: "" })

describe.concurrent("stop", () => {
  it("ends the reviewers and the step that waits for them, which ends DoneAborted", async ({ world }) => {
    oneOfThree(world)
    const waiting = world.start(argv, { OODA_AWAIT_SECS: "30" })
    await atWork(world)
    stopped(await world.step(...stop), "stopped 2 reviewers of low batch 1")
    assert.deepEqual(world.reviewers(), [])
    aborted(await waiting.ended)
    assert.deepEqual(world.events("ReviewStopped").map(({ cause }) => cause), ["Stop", "Stop"])
    // The next step runs only what was not finished.
    world.scenario("default", "clean")
    assert.strictEqual((await world.step(...argv)).header, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 5)
    assert.lengthOf(world.events("BatchStarted"), 1)
  })

  it("ends them when no step waits any more", { tags: "slow" }, async ({ world }) => {
    oneOfThree(world)
    const step = world.start(argv)
    await atWork(world)
    step.signal("SIGKILL")
    await step.ended
    stopped(await world.step(...stop, "--level", "low"), "stopped 2 reviewers of low batch 1")
    assert.deepEqual(world.reviewers(), [])
    world.scenario("default", "clean")
    assert.strictEqual((await world.step(...argv)).header, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 5)
  })

  it("keeps the reviews that ended while no one looked", { tags: "slow" }, async ({ world }) => {
    world.scenario("default", `wait ${world.path("go")};clean`)
    world.scenario("1", "sleep 3600")
    const step = world.start(["--uncommitted", "-n", "20", "--ceiling", "low"])
    await eventually("all at work", () => world.calls().length === 20)
    step.signal("SIGKILL")
    await step.ended
    world.release("go")
    const batch = join(world.runDir(), "levels", "level-low", "batch-1")
    const exits = Array.from({ length: 20 }, (_, i) => join(batch, `low-${i + 1}.exit`))
    await eventually("nineteen ends", () => exits.filter((path) => existsSync(path)).length === 19)
    stopped(await world.step(...stop), "stopped 1 reviewer of low batch 1")
    assert.lengthOf(world.events("ReviewFinished"), 19)
    world.scenario("default", "clean")
    assert.strictEqual((await world.step("--uncommitted", "--ceiling", "low")).header, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 21)
  })

  it("reaches a step that only waits to try again", { tags: "slow" }, async ({ world }) => {
    world.scenario("default", "fail exceeded retry limit, last status: 429 Too Many Requests")
    const waiting = world.start(["--uncommitted", "-n", "1", "--retries", "9"])
    // The third wait is of at least eight seconds.
    await eventually("a long wait", () => world.events("ReviewFailed").length === 3)
    const { stdout } = await world.step(...stop)
    assert.strictEqual(stdout, "stopped 0 reviewers of low batch 1\n")
    aborted(await waiting.ended)
    assert.lengthOf(world.calls(), 3)
  })

  it("has nothing to do, creates nothing and ends the same where nothing runs", async ({ world }) => {
    stopped(await world.step(...stop), "nothing to stop: no run of uncommitted")
    assert.isFalse(existsSync(world.stateRoot))
    world.scenario("default", "clean")
    await world.step(...argv)
    const log = () => readFileSync(join(world.runDir(), "manifest.jsonl"), "utf8")
    const before = log()
    stopped(await world.step(...stop), "nothing to stop: low batch 1 does not run")
    stopped(
      await world.step(...stop, "--level", "high"),
      "nothing to stop: the current run of uncommitted begins at low, not at high"
    )
    assert.strictEqual(log(), before)
    assert.lengthOf(world.runs(), 1)
  })

  it("is not cut short by signals to itself", { tags: "slow" }, async ({ world }) => {
    world.scenario("default", "ignore TERM;children 2;stubborn;sleep 3600")
    const waiting = world.start(argv)
    await eventually("the reviewers at work", () => world.calls().length === 3)
    const stopping = world.start(stop)
    await eventually("a stop under way", () => handlesSignals(stopping.pid))
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) stopping.signal(signal)
    stopped(await stopping.ended, "stopped 3 reviewers of low batch 1")
    assert.deepEqual(world.reviewers(), [])
    aborted(await waiting.ended)
  })

  it("completes a stop that was killed", { tags: "slow" }, async ({ world }) => {
    world.scenario("default", "ignore TERM;children 2;stubborn;sleep 3600")
    const step = world.start(argv)
    await eventually("the reviewers at work", () => world.calls().length === 3)
    step.signal("SIGKILL")
    await step.ended
    const killed = world.start(stop)
    await eventually("the record of a stop", () => world.events("ReviewStopped").length === 3)
    killed.signal("SIGKILL")
    await killed.ended
    const left = / does not run(; ended \d+ process(es)? that its reviewers had left)?\n$/
    assert.match((await world.step(...stop)).stdout, left)
    assert.deepEqual(world.reviewers(), [])
  })

  /** The processes of this command line. */
  const unbound = (world: World): ReadonlyArray<number> =>
    readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "latin1") === "sleep\u000098765\0" &&
          readlinkSync(`/proc/${pid}/fd/1`).startsWith(world.stateRoot)
      } catch {
        return false
      }
    })

  it(
    "has nothing to end once a reviewer has ended well: what it left behind ended with it",
    { tags: "slow" },
    async ({ world }) => {
      world.scenario("default", `unbound;wait ${world.path("go")};children 1;clean`)
      const { ended } = world.start(["--uncommitted", "-n", "1", "--ceiling", "low"])
      await eventually("the child in a session of its own", () => unbound(world).length === 1)
      world.release("go")
      assert.strictEqual((await ended).header, "DoneFixedPoint")
      assert.deepEqual(world.reviewers(), [])
      // Without /proc nothing recognises a process that cleared its variables; here it is ended by hand.
      if (process.env["OODA_NODE_WITHOUT_PROC"] === undefined) assert.deepEqual(unbound(world), [])
      for (const pid of unbound(world)) process.kill(pid, "SIGKILL")
      stopped(await world.step(...stop), "nothing to stop: low batch 1 does not run")
    }
  )

  it("says the same as a document", { tags: "slow" }, async ({ world }) => {
    oneOfThree(world)
    const waiting = world.start(argv)
    await atWork(world)
    const ended = await world.step(...stop, "--json")
    const { head, line, run } = JSON.parse(ended.stdout)
    assert.deepEqual({ line, run: run.run }, {
      line: "stopped 2 reviewers of low batch 1",
      run: basename(world.runDir())
    })
    assert.deepEqual([ended.exit, ended.stderr], [0, ""])
    await waiting.ended
    assert.strictEqual((await world.step(...stop, "--expect-head", `${head.seq}:${head.hash}`)).exit, 0)
  })

  it("refuses a damaged log: it cannot know what runs", async ({ world }) => {
    world.scenario("default", "clean")
    await world.step(...argv)
    const path = join(world.runDir(), "manifest.jsonl")
    writeFileSync(path, readFileSync(path, "utf8").replace("RunCreated", "RunCreatex"))
    const ended = await world.step(...stop)
    assert.strictEqual(ended.exit, 1)
    assert.match(ended.header, /^error: .*damaged/)
  })

  const misuses: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["--uncommitted and --base exclude each other", ["--uncommitted", "--base", "main"]],
    ["unknown flag -n", ["--uncommitted", "-n", "3"]],
    ["expected low, medium, high or xhigh", ["--uncommitted", "--level", "LOW"]]
  ]
  for (const [message, args] of misuses) {
    it(`is misused: ${message}`, async ({ world }) => {
      const ended = await world.step("stop", ...args)
      assert.strictEqual(ended.exit, 64)
      assert.include(ended.header, message)
      assert.include(ended.stderr, "\nsee 'ooda-codex-review stop --help'\n")
      assert.strictEqual(ended.stdout, "")
      assert.isFalse(existsSync(world.stateRoot))
    })
  }
})
