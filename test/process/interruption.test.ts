// How a step that waits is ended: by a person, from outside, by a newer run. What becomes of its reviewers.
// A person's interruption ends all of them, however often it is repeated; anything else ends none.
import { assert, describe } from "vitest"
import { type Ended, eventually, handlesSignals, it } from "./world.ts"

const argv = ["--uncommitted", "-n", "3", "--ceiling", "low"]

const aborted = ({ exit, stderr, stdout }: Ended) =>
  assert.deepEqual({ exit, stderr, stdout }, { exit: 8, stderr: "DoneAborted\n", stdout: "" })

describe.concurrent("a step that waits", () => {
  it("ends when --fresh replaces its run, and starts nothing there again", async ({ world }) => {
    world.scenario("default", "sleep 3600")
    const waiting = world.start(argv)
    await eventually("the reviewers at work", () => world.calls().length === 3)
    const fresh = world.start([...argv, "--fresh"])
    aborted(await waiting.ended)
    await eventually("the new run's reviewers at work", () => world.calls().length === 6)
    const [first, second] = world.runs()
    assert.lengthOf(world.events("ReviewStarted", first), 3)
    assert.lengthOf(world.events("ReviewStarted", second), 3)
    fresh.signal("SIGINT")
    aborted(await fresh.ended)
    assert.deepEqual(world.reviewers(), [])
  })

  it("that is interrupted again and again ends in order all the same", { tags: "slow" }, async ({ world }) => {
    world.scenario("default", "ignore TERM;children 2;stubborn;sleep 3600")
    const step = world.start(argv)
    await eventually("the reviewers at work", () => world.calls().length === 3 && handlesSignals(step.pid))
    step.signal("SIGINT")
    await eventually("a stop under way", () => world.events("ReviewStopped").length === 3)
    for (const signal of ["SIGINT", "SIGINT", "SIGTERM"] as const) step.signal(signal)
    aborted(await step.ended)
    assert.deepEqual(world.reviewers(), [])
    assert.lengthOf(world.events("StepAborted"), 1)
  })

  it("that is ended from outside leaves its reviewers to the next one, never run twice", async ({ world }) => {
    world.scenario("default", `wait ${world.path("go")};clean`)
    for (const signal of ["SIGTERM", "SIGHUP", "SIGKILL"] as const) {
      const step = world.start(argv)
      await eventually("the reviewers at work", () => world.calls().length === 3 && handlesSignals(step.pid))
      step.signal(signal)
      assert.strictEqual((await step.ended).exit, signal === "SIGKILL" ? null : 8)
      assert.isAtLeast(world.reviewers().length, 6)
    }
    const last = world.start(argv)
    world.release("go")
    assert.strictEqual((await last.ended).header, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 3)
  })
})
