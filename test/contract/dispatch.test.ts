// The four-row dispatch of --mark-retro-clean; property/Mark holds it for every floor, every ceiling and every level.
// Clean is recorded whichever row fires; only `current == ceiling` halts.
import { assert, describe } from "vitest"
import { handoff, idle, outcome } from "./expect.ts"
import { batches, events } from "./log.ts"
import { issues } from "./plans.ts"
import { it } from "./support.ts"

const LADDER = ["low", "medium", "high", "xhigh"]
const next = (level: string): string => LADDER[LADDER.indexOf(level) + 1] ?? ""

describe.concurrent("--mark-retro-clean", () => {
  for (const [floor, ceiling] of [["low", "medium"], ["high", "xhigh"]] as const) {
    it(`floor ${floor}, ceiling ${ceiling}: below it, at it, above it and at the edge`, async ({ world }) => {
      const argv = ["--uncommitted", "--level", floor, "--ceiling", ceiling]
      const path = LADDER.slice(LADDER.indexOf(floor))
      for (const current of path) {
        const ended = await world.step(...argv, "--mark-retro-clean")
        if (current === ceiling) {
          outcome(ended, 0, "DoneFixedPoint", `retrospective clean at ceiling (${ceiling}); fixed point reached\n`)
          const line = `advanced level: ${current} -> ${next(current)}`
          const edge = "at ladder edge (xhigh); no advance"
          idle(await world.step(...argv, "--advance-level"), current === "xhigh" ? edge : line)
        } else if (current === "xhigh") {
          idle(ended, "retrospective clean at xhigh; ladder edge xhigh reached, no advance")
        } else {
          idle(ended, `retrospective clean at ${current}; advanced to ${next(current)}`)
        }
      }
      assert.deepEqual(
        events(world, "LevelOutcomeRecorded").map(({ ceiling, level, outcome }) => ({ level, outcome, ceiling })),
        path.map((level) => ({ level, outcome: { _tag: "Clean" }, ceiling })),
        "Clean is recorded whichever row fires, with the ceiling it was judged by"
      )
      assert.isEmpty(batches(world), "a mark starts no review")
    })
  }

  it(
    "walks from above the ceiling to the ladder's edge and never emits DoneFixedPoint there",
    { tags: "slow" },
    async ({ world }) => {
      const argv = ["--uncommitted", "--ceiling", "medium"]
      idle(await world.step(...argv, "--advance-level"), "advanced level: low -> medium")
      idle(await world.step(...argv, "--advance-level"), "advanced level: medium -> high")
      idle(await world.step(...argv, "--mark-retro-clean"), "retrospective clean at high; advanced to xhigh")
      for (let i = 0; i < 2; i++) {
        idle(
          await world.step(...argv, "--mark-retro-clean"),
          "retrospective clean at xhigh; ladder edge xhigh reached, no advance"
        )
      }
      idle(await world.step(...argv, "--restart-from-floor"), "restarted from floor: xhigh -> low")
      idle(await world.step(...argv, "--mark-retro-clean"), "retrospective clean at low; advanced to medium")
      outcome(
        await world.step(...argv, "--mark-retro-clean"),
        0,
        "DoneFixedPoint",
        "retrospective clean at ceiling (medium); fixed point reached\n"
      )
    }
  )

  it(
    "takes the default ceiling xhigh when none is given, whatever an earlier invocation passed",
    { tags: "slow" },
    async ({ world }) => {
      const line = "retrospective clean at low; advanced to medium"
      outcome(
        await world.step("--uncommitted", "--ceiling", "low", "--mark-retro-clean"),
        0,
        "DoneFixedPoint",
        "retrospective clean at ceiling (low); fixed point reached\n"
      )
      idle(await world.step("--uncommitted", "--mark-retro-clean"), line)
    }
  )

  it("at the ceiling is no review: a loop step that follows runs the level's batch", async ({ world }) => {
    world.plan("default", issues)
    const argv = ["--uncommitted", "-n", "1", "--ceiling", "low"]
    const line = "retrospective clean at ceiling (low); fixed point reached\n"
    outcome(await world.step(...argv, "--mark-retro-clean"), 0, "DoneFixedPoint", line)
    handoff(await world.step(...argv), 5, "AddressBatch")
    assert.lengthOf(world.calls(), 1)
  })
})
