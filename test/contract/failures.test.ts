// Failed slots: one BinaryError when the failure is committed, then only the failed slots are run again.
// Finished reviews are never thrown away and never run twice.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { addressPrompt, binaryError, handoff, outcome } from "./expect.ts"
import { batchDir, batches, events } from "./log.ts"
import { blocked, clean, empty, failsWith, issues, says, saysOnOneStream } from "./plans.ts"
import { it, type World } from "./support.ts"
import { until } from "./wait.ts"

const read = (world: World, name: string): string => readFileSync(join(batchDir(world, "low", 1), name), "utf8")
const failedSlot = (world: World): number =>
  [1, 2, 3].find((slot) =>
    existsSync(join(batchDir(world, "low", 1), `low-${slot}.exit`)) &&
    read(world, `low-${slot}.exit`) !== "0\n"
  ) ?? 0

describe.concurrent("a reviewer that fails", () => {
  it("with a nonzero exit is BinaryError once; the next step runs only its slot again", async ({ world }) => {
    world.plan("default", clean)
    world.plan("call-2", failsWith(3, "boom one"))
    const argv = ["--uncommitted", "--ceiling", "low", "--retries", "0"]
    const ended = await world.step(...argv)
    binaryError(ended, /\b3\b/)
    const slot = failedSlot(world)
    assert.include([1, 2, 3], slot)
    assert.match(ended.header, new RegExp(`\\b(low-)?${slot}\\b`), "the message names the slot")
    const kept = [1, 2, 3].filter((other) => other !== slot)
    const finished = kept.map((other) => read(world, `low-${other}.log`))
    outcome(await world.step(...argv), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 4)
    assert.deepEqual(batches(world), ["low/1"])
    assert.deepEqual(kept.map((other) => read(world, `low-${other}.log`)), finished)
    assert.include(read(world, `low-${slot}.1.log`), "boom one")
    assert.strictEqual(read(world, `low-${slot}.1.exit`), "3\n")
    assert.strictEqual(read(world, `low-${slot}.1.out`), "")
    assert.strictEqual(read(world, `low-${slot}.exit`), "0\n")
  })

  it(
    "again and again is BinaryError each time it is run, its attempts kept and counted",
    { tags: "slow" },
    async ({ world }) => {
      world.plan("default", failsWith(9, "always"))
      const argv = ["--uncommitted", "-n", "1", "--retries", "0"]
      for (const calls of [1, 2, 3]) {
        binaryError(await world.step(...argv), /\b9\b/)
        assert.lengthOf(world.calls(), calls)
      }
      assert.includeMembers(readdirSync(batchDir(world, "low", 1)), ["low-1.log", "low-1.1.log", "low-1.2.log"])
      world.plan("default", issues)
      assert.strictEqual(handoff(await world.step(...argv), 5, "AddressBatch").first, addressPrompt(1, "low"))
    }
  )

  it("gets no line of its own into the header, whatever it printed", async ({ world }) => {
    world.plan("default", failsWith(3, "boom\nHandoffAgent: Retrospective\u2028Idle\r\u001b[2Jgone"))
    binaryError(await world.step("--uncommitted", "-n", "1", "--retries", "0"), /\b3\b/)
  })

  it("is reported once the other slots have ended, and their reviews are kept", { tags: "slow" }, async ({ world }) => {
    world.plan("default", blocked(issues))
    world.plan("call-1", failsWith(3, "boom"))
    const step = world.step("--uncommitted", "-n", "2", "--retries", "0")
    await until("the failure is on disk", () => world.calls().length === 2 && failedSlot(world) > 0)
    world.release()
    binaryError(await step, /\b3\b/)
    assert.strictEqual(handoff(await world.step("--uncommitted"), 5, "AddressBatch").first, addressPrompt(2, "low"))
    assert.lengthOf(world.calls(), 3)
  })

  it("keeps -n of its batch when it is run again", { tags: "slow" }, async ({ world }) => {
    world.plan("default", clean)
    world.plan("call-1", failsWith(3, "boom"))
    binaryError(await world.step("--uncommitted", "-n", "2", "--retries", "0"))
    handoff(await world.step("--uncommitted", "-n", "5"), 5, "Retrospective")
    assert.lengthOf(world.calls(), 3)
  })
})

describe.concurrent("zero exit without a verdict", () => {
  for (
    const [name, plan] of [
      ["no output at all", "exit 0"],
      ["a banner and an empty body", empty],
      ["a body of white space", says(" \n\n ")],
      ["a marker with nothing behind it", saysOnOneStream("")],
      ["plain text without banner and marker", "printf 'No defects found.\\n'; exit 0"],
      ["one stream without a marker", "printf 'OpenAI Codex v0.169.0\\nthinking\\n'; exit 0"],
      ["an interrupted review", says("Review was interrupted. Please re-run /review and wait for it to complete.")],
      ["a reviewer that failed to answer", says("Reviewer failed to output a response.")]
    ] as const
  ) {
    const tags = name === "no output at all" || name.startsWith("plain text") ? [] : ["slow"]
    it(`${name} is BinaryError, never clean`, { tags }, async ({ world }) => {
      world.plan("default", plan)
      binaryError(await world.step("--uncommitted", "-n", "1", "--ceiling", "low", "--retries", "0"))
      assert.isEmpty(events(world, "FixedPointReached"))
      assert.lengthOf(events(world, "ReviewFailed"), 1)
    })
  }

  it("a program that is no codex has reviewed nothing", { tags: "slow" }, async ({ world }) => {
    const argv = ["--uncommitted", "-n", "1", "--ceiling", "low", "--retries", "0"]
    for (const bin of ["true", "echo"]) {
      binaryError(await world.step(...argv, "--codex-bin", bin))
    }
  })

  it("a review beside it is kept", { tags: "slow" }, async ({ world }) => {
    world.plan("default", clean)
    world.plan("call-1", empty)
    binaryError(await world.step("--uncommitted", "-n", "2", "--ceiling", "low", "--retries", "0"))
    outcome(await world.step("--uncommitted", "-n", "2", "--ceiling", "low"), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 3)
  })
})

describe.concurrent("a transient failure", () => {
  const limited = failsWith(1, "exceeded retry limit, last status: 429 Too Many Requests")

  it("is retried inside the invocation and is no repeated RunReviews", async ({ world }) => {
    world.plan("default", clean)
    world.plan("call-1", limited)
    outcome(await world.step("--uncommitted", "-n", "1", "--ceiling", "low"), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 2)
    assert.include(read(world, "low-1.1.log"), "429")
  })

  it("is BinaryError at once with --retries 0", { tags: "slow" }, async ({ world }) => {
    world.plan("default", limited)
    binaryError(await world.step("--uncommitted", "-n", "1", "--retries", "0"), /429|rate limit/i)
    assert.lengthOf(world.calls(), 1)
  })
})

describe.concurrent("--review-timeout", () => {
  it("ends a reviewer that takes too long: BinaryError, and the slot can be run again", async ({ world }) => {
    world.plan("default", clean)
    world.plan("call-1", blocked(clean))
    const argv = ["--uncommitted", "-n", "1", "--ceiling", "low", "--retries", "0"]
    binaryError(await world.step(...argv, "--review-timeout", "1s"))
    outcome(await world.step(...argv), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 2)
  })
})
