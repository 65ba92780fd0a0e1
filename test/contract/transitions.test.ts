// Drop, restart and advance, alone and inside the recording marks, from every level above a floor in the middle of the
// ladder; property/Mark holds them for every floor.
// <LEVEL> is the level before the mutation; nothing ever lands below the floor or above xhigh.
import { assert, describe } from "vitest"
import { idle } from "./expect.ts"
import { events } from "./log.ts"
import { type Ended, it, type World } from "./support.ts"

const LADDER = ["low", "medium", "high", "xhigh"]
type Say = (...command: ReadonlyArray<string>) => Promise<Ended>
const above = (level: string): string => LADDER[LADDER.indexOf(level) + 1] ?? ""
const below = (level: string): string => LADDER[LADDER.indexOf(level) - 1] ?? ""

/** From the floor up to `top`, one --advance-level a rung: the ladder's edge is its bound, not the ceiling. */
const climb = async (say: Say, floor: string, top: string): Promise<void> => {
  for (const level of LADDER.slice(LADDER.indexOf(floor), LADDER.indexOf(top))) {
    idle(await say("--advance-level"), `advanced level: ${level} -> ${above(level)}`)
  }
}
const outcomes = (world: World): ReadonlyArray<unknown> =>
  events(world, "LevelOutcomeRecorded").map(({ level, outcome }) => [level, outcome])

const floor = "medium"
const levels = LADDER.slice(LADDER.indexOf(floor))
const saying = (world: World): Say => (...command) =>
  world.step("--uncommitted", "--level", floor, "--ceiling", floor, ...command)

describe.concurrent("a run above its floor", () => {
  it("--advance-level climbs to the edge, --drop-level down to the floor; neither records", async ({ world }) => {
    const say = saying(world)
    await climb(say, floor, "xhigh")
    idle(await say("--advance-level"), "at ladder edge (xhigh); no advance")
    for (const level of levels.toReversed()) {
      const line = level === floor ? `at floor (${floor}); no drop` : `dropped level: ${level} -> ${below(level)}`
      idle(await say("--drop-level"), line)
    }
    assert.isEmpty(outcomes(world))
  })

  it(
    "--restart-from-floor lands at the floor from anywhere and says so even from there",
    { tags: "slow" },
    async ({ world }) => {
      const say = saying(world)
      for (const level of levels) {
        await climb(say, floor, level)
        idle(await say("--restart-from-floor"), `restarted from floor: ${level} -> ${floor}`)
      }
      idle(await say("--drop-level"), `at floor (${floor}); no drop`)
      assert.isEmpty(outcomes(world))
    }
  )

  it("--mark-retro-changes records REASON and lands at the floor from anywhere", async ({ world }) => {
    const say = saying(world)
    for (const level of levels) {
      await climb(say, floor, level)
      idle(
        await say("--mark-retro-changes", "N+1 pattern"),
        `retrospective surfaced changes at ${level} ("N+1 pattern"); restarted from floor: ${level} -> ${floor}`
      )
    }
    idle(await say("--drop-level"), `at floor (${floor}); no drop`)
    assert.deepEqual(
      outcomes(world),
      levels.map((level) => [level, { _tag: "RetrospectiveChanges", reason: { text: "N+1 pattern" } }])
    )
  })

  it(
    "--mark-address-passed drops one rung down to the floor; off the path with a count of 0",
    { tags: "slow" },
    async ({ world }) => {
      const say = saying(world)
      await climb(say, floor, "xhigh")
      for (const level of levels.toReversed()) {
        idle(
          await say("--mark-address-passed"),
          level === floor
            ? `address passed at floor ${floor} (0 review(s) with issues); no drop; advanced to batch 3`
            : `address passed at ${level} (0 review(s) with issues); dropped to ${below(level)}`
        )
      }
      assert.deepEqual(outcomes(world), levels.toReversed().map((level) => [level, { _tag: "Addressed", count: 0 }]))
    }
  )
})

describe.concurrent("--mark-retro-changes", () => {
  it("keeps its resolution line one line: control characters of REASON are escaped", async ({ world }) => {
    const reason = 'two\nlines\r\u2028\u2029\u0085\u001b[31m\u0000tab\t"quoted"'.replace("\u0000", "")
    const ended = await world.step("--uncommitted", "--mark-retro-changes", reason)
    assert.strictEqual(ended.exit, 7)
    assert.strictEqual(ended.stderr, "Idle\n")
    assert.match(ended.stdout, /^retrospective surfaced changes at low \("two.*"quoted""\); restarted from floor: low/)
    assert.isTrue(ended.stdout.endsWith(": low -> low\n"))
    assert.notMatch(ended.stdout.slice(0, -1), /[\x00-\x1f\x7f-\x9f\u2028\u2029]/)
    assert.deepEqual(events(world, "LevelOutcomeRecorded")[0]?.["outcome"], {
      _tag: "RetrospectiveChanges",
      reason: { text: reason }
    })
  })
})
