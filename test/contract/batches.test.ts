// Batch numbers: every recording mark and every transition opens the next unused batch at its destination.
// No verdict from before a mark is ever used again.
import { readdirSync } from "node:fs"
import { assert, describe } from "vitest"
import { addressPrompt, handoff, idle, outcome } from "./expect.ts"
import { batchDir, batches, events } from "./log.ts"
import { clean, issues } from "./plans.ts"
import { it, type World } from "./support.ts"

/** One loop step with one clean reviewer below the ceiling: the batch it ran is the newest one. */
const review = async (world: World, ...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  world.plan("default", clean)
  handoff(await world.step("--uncommitted", "-n", "1", ...args), 5, "Retrospective")
  return batches(world)
}

describe.concurrent("batch numbers", () => {
  it("batch 1 is the current batch of a new run; a loop step starts it", async ({ world }) => {
    assert.deepEqual(await review(world), ["low/1"])
  })

  it("a handoff is repeated from the finished batch; nothing runs twice", async ({ world }) => {
    await review(world)
    assert.deepEqual(await review(world), ["low/1"])
    assert.lengthOf(world.calls(), 1)
  })

  it("--mark-address-passed at the floor moves to the next unused batch and names it", async ({ world }) => {
    const line = (batch: number) =>
      `address passed at floor low (0 review(s) with issues); no drop; advanced to batch ${batch}`
    for (const batch of [2, 3, 4]) idle(await world.step("--uncommitted", "--mark-address-passed"), line(batch))
    assert.deepEqual(await review(world), ["low/4"])
  })

  it(
    "--mark-retro-changes and --restart-from-floor at the floor open a new batch there, too",
    { tags: "slow" },
    async ({ world }) => {
      assert.deepEqual(await review(world), ["low/1"])
      await world.step("--uncommitted", "--mark-retro-changes", "x")
      assert.deepEqual(await review(world), ["low/1", "low/2"])
      await world.step("--uncommitted", "--restart-from-floor")
      assert.deepEqual(await review(world), ["low/1", "low/2", "low/3"])
    }
  )

  it(
    "a level that is reached again gets a new batch: its old verdicts are not reread",
    { tags: "slow" },
    async ({ world }) => {
      await review(world)
      await world.step("--uncommitted", "--advance-level")
      assert.deepEqual(await review(world), ["low/1", "medium/1"])
      await world.step("--uncommitted", "--drop-level")
      assert.deepEqual(await review(world), ["low/1", "low/2", "medium/1"])
      await world.step("--uncommitted", "--mark-retro-clean")
      assert.deepEqual(await review(world), ["low/1", "low/2", "medium/1", "medium/2"])
      await world.step("--uncommitted", "--mark-address-passed")
      idle(
        await world.step("--uncommitted", "--mark-address-passed"),
        "address passed at floor low (0 review(s) with issues); no drop; advanced to batch 4"
      )
    }
  )

  it(
    "edge no-ops and a --mark-retro-clean that changes no level keep the batch",
    { tags: "slow" },
    async ({ world }) => {
      const floor = ["--uncommitted", "--level", "xhigh"]
      world.plan("default", clean)
      outcome(await world.step(...floor, "-n", "1"), 0, "DoneFixedPoint")
      idle(await world.step(...floor, "--drop-level"), "at floor (xhigh); no drop")
      idle(await world.step(...floor, "--advance-level"), "at ladder edge (xhigh); no advance")
      outcome(
        await world.step(...floor, "--mark-retro-clean"),
        0,
        "DoneFixedPoint",
        "retrospective clean at ceiling (xhigh); fixed point reached\n"
      )
      outcome(await world.step(...floor, "-n", "1"), 0, "DoneFixedPoint")
      assert.deepEqual(batches(world), ["xhigh/1"])
      assert.lengthOf(world.calls(), 1)
    }
  )
})

describe.concurrent("<COUNT>", () => {
  it("is the number of reviews with issues, in the prompt, the resolution line and the log", async ({ world }) => {
    world.plan("default", issues)
    world.plan("call-2", clean)
    const prompt = handoff(await world.step("--uncommitted"), 5, "AddressBatch")
    assert.strictEqual(prompt.first, addressPrompt(2, "low"))
    idle(
      await world.step("--uncommitted", "--mark-address-passed"),
      "address passed at floor low (2 review(s) with issues); no drop; advanced to batch 2"
    )
    assert.deepEqual(events(world, "LevelOutcomeRecorded")[0]?.["outcome"], { _tag: "Addressed", count: 2 })
  })

  it("above the floor the line drops instead", { tags: "slow" }, async ({ world }) => {
    world.plan("default", issues)
    await world.step("--uncommitted", "--advance-level")
    handoff(await world.step("--uncommitted", "-n", "1"), 5, "AddressBatch")
    idle(
      await world.step("--uncommitted", "--mark-address-passed"),
      "address passed at medium (1 review(s) with issues); dropped to low"
    )
  })
})

describe.concurrent("-n", () => {
  it("is 3 by default and sizes new batches only", { tags: "slow" }, async ({ world }) => {
    world.plan("default", issues)
    handoff(await world.step("--uncommitted", "-n", "2"), 5, "AddressBatch")
    const repeated = handoff(await world.step("--uncommitted", "-n", "5"), 5, "AddressBatch")
    assert.strictEqual(repeated.first, addressPrompt(2, "low"))
    assert.lengthOf(world.calls(), 2)
    await world.step("--uncommitted", "--mark-address-passed")
    assert.strictEqual(handoff(await world.step("--uncommitted"), 5, "AddressBatch").first, addressPrompt(3, "low"))
    const files = [1, 2, 3].flatMap((slot) => ["exit", "log", "out"].map((kind) => `low-${slot}.${kind}`))
    assert.includeMembers(readdirSync(batchDir(world, "low", 2)), files)
    assert.notInclude(readdirSync(batchDir(world, "low", 2)), "low-4.log")
  })
})
