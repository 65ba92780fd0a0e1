// Partial results are kept, transient failures tried again, and limits on numbers hold.
// A finished review is never thrown away and never run twice.
import { readFileSync } from "node:fs"
import { assert, describe } from "vitest"
import { eventually, it, living, type LogEvent, type World } from "./world.ts"

const started = (world: World, slot: number): number =>
  world.events("ReviewStarted").filter((event) => event["slot"] === slot).length

const times = (world: World, slot: number): ReadonlyArray<{ readonly tag: string; readonly at: number }> =>
  readFileSync(`${world.runDir()}/manifest.jsonl`, "utf8").split("\n").filter((line) => line !== "").flatMap((text) => {
    const line: { readonly at: string; readonly events: ReadonlyArray<LogEvent> } = JSON.parse(text)
    const at = Date.parse(line.at)
    return line.events.filter((event) => event["slot"] === slot).map((event) => ({ tag: event._tag, at }))
  })

describe.concurrent("a transient failure", () => {
  it("is tried again after a growing wait, and the other reviews are kept", { tags: "slow" }, async ({ world }) => {
    const limited = "fail exceeded retry limit, last status: 429 Too Many Requests"
    for (const call of ["1", "4"]) world.scenario(call, limited)
    world.scenario("default", "clean")
    const ended = await world.step("--uncommitted", "-n", "3", "--ceiling", "low")
    assert.strictEqual(ended.header, "DoneFixedPoint", ended.stderr)
    assert.lengthOf(world.calls(), 5)
    const failures = world.events("ReviewFailed")
    assert.deepEqual(failures.map(({ kind, transient }) => ({ kind, transient })), [
      { kind: "RateLimited", transient: true },
      { kind: "RateLimited", transient: true }
    ])
    const slot = Number(failures[0]?.["slot"])
    assert.deepEqual([1, 2, 3].map((one) => started(world, one)), [1, 2, 3].map((one) => one === slot ? 3 : 1))
    const [, failed1, again1, failed2, again2] = times(world, slot).map(({ at }) => at)
    const first = (again1 ?? 0) - (failed1 ?? 0)
    const second = (again2 ?? 0) - (failed2 ?? 0)
    assert.isAtLeast(first, 2000)
    assert.isAtLeast(second, 4000)
  })

  it(
    "is kept as a failure once the retries are spent; the next call runs that slot alone",
    { tags: "slow" },
    async ({ world }) => {
      world.scenario("default", "clean")
      const overloaded = "fail We’re currently experiencing high demand, which may cause temporary errors."
      for (const call of ["2", "4", "5"]) world.scenario(call, overloaded)
      const argv = ["--uncommitted", "-n", "3", "--retries", "1", "--ceiling", "low"]
      const first = await world.step(...argv)
      assert.match(
        first.header,
        /^BinaryError: 1 review\(s\) of low batch 1 failed: slot \d exited 1: .* \[2 finished review/
      )
      assert.lengthOf(world.calls(), 4)
      // Twice failed, and once more by the fifth call: each invocation has retries of its own.
      assert.strictEqual((await world.step(...argv)).header, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 6)
      assert.lengthOf(world.events("BatchStarted"), 1)
      assert.lengthOf(world.events("ReviewFinished"), 3)
    }
  )
})

describe.concurrent("a permanent failure", () => {
  const permanent = {
    NotLoggedIn: "unexpected status 401 Unauthorized: Missing bearer, url: http://127.0.0.1/v1/responses",
    Quota: "Quota exceeded. Check your plan and billing details."
  }
  for (const [kind, message] of Object.entries(permanent)) {
    const tags = kind === "Quota" ? ["slow"] : []
    it(`(${kind}) is not tried again and says what to do`, { tags }, async ({ world }) => {
      world.scenario("default", `fail ${message}`)
      const ended = await world.step("--uncommitted", "-n", "2")
      assert.strictEqual(ended.exit, 6)
      assert.include(ended.header, kind)
      assert.match(ended.header, kind === "NotLoggedIn" ? /codex login/ : /usage limit/)
      assert.lengthOf(world.calls(), 2)
    })
  }
})

describe.concurrent("limits on numbers", () => {
  it("--jobs 2 of 5: never more than two at once, and all five done", { tags: "slow" }, async ({ world }) => {
    const peak = world.path("peak")
    world.scenario("default", `mark ${peak};sleep 0.4;clean`)
    const step = world.start(["--uncommitted", "-n", "5", "--jobs", "2", "--ceiling", "low"])
    let most = 0
    await eventually("all five calls", () => {
      const codex = new Set(world.calls())
      most = Math.max(most, world.reviewers().filter((pid) => codex.has(pid)).length)
      return codex.size === 5
    })
    assert.strictEqual((await step.ended).header, "DoneFixedPoint")
    assert.isAtMost(most, 2)
    assert.lengthOf(world.events("ReviewFinished"), 5)
    // The log shows it too: at most two are open at any line.
    let open = 0
    const counts = world.events().map(({ _tag }) =>
      open += _tag === "ReviewStarted" ? 1 : _tag === "ReviewFinished" ? -1 : 0
    )
    assert.strictEqual(Math.max(...counts), 2)
  })

  it("--max-batches ends the run before the batch too many", { tags: "slow" }, async ({ world }) => {
    world.scenario("default", "clean")
    const argv = ["--uncommitted", "-n", "1", "--max-batches", "1"]
    assert.strictEqual((await world.step(...argv)).header, "HandoffAgent: Retrospective")
    assert.strictEqual((await world.step("--uncommitted", "--mark-retro-clean")).exit, 7)
    const ended = await world.step(...argv)
    assert.strictEqual(ended.exit, 2)
    assert.match(ended.header, /^StuckCapReached: RunReviews:/)
    assert.lengthOf(world.calls(), 1)
  })

  it("sixty-four reviewers at once, one waiting for another", { tags: "slow" }, async ({ world }) => {
    world.scenario("default", `wait ${world.path("go")};clean`)
    const step = world.start(["--uncommitted", "-n", "64", "--ceiling", "low"])
    await eventually("all at work", () => world.calls().filter((pid) => living(pid)).length === 64, 80_000)
    world.release("go")
    const ended = await step.ended
    assert.strictEqual(ended.header, "DoneFixedPoint", ended.stderr)
    assert.lengthOf(world.calls(), 64)
    assert.lengthOf(world.events("ReviewFinished"), 64)
    assert.deepEqual(world.reviewers(), [])
  })

  it(
    "--jobs 4 of 12: what waits for its turn is in the log, and the next step continues with it",
    { tags: "slow" },
    async ({ world }) => {
      world.scenario("default", `wait ${world.path("go")};clean`)
      const argv = ["--uncommitted", "-n", "12", "--jobs", "4", "--ceiling", "low"]
      const first = world.start(argv)
      await eventually("four at work", () => world.calls().length === 4)
      first.signal("SIGKILL")
      await first.ended
      // The size of the batch is recorded, and of its slots only four have begun.
      assert.deepInclude(world.events("BatchStarted")[0], { size: 12 })
      assert.lengthOf(world.events("ReviewStarted"), 4)
      world.release("go")
      assert.strictEqual((await world.step(...argv)).header, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 12)
      assert.lengthOf(world.events("BatchStarted"), 1)
      const slots = world.events("ReviewStarted").map(({ slot }) => slot)
      assert.lengthOf(new Set(slots), 12)
      let open = 0
      const counts = world.events().map(({ _tag }) =>
        open += _tag === "ReviewStarted" ? 1 : _tag === "ReviewFinished" ? -1 : 0
      )
      assert.strictEqual(Math.max(...counts), 4)
    }
  )
})
