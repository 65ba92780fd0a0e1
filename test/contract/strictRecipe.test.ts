// The recipe of docs/by-hand.md with --strict, driven by a program that knows the contract and nothing else.
// The fake's verdicts follow from the files of the worktree, as a reviewer's do; no call is scripted by its number.
import { assert, describe } from "vitest"
import { converge, type Orchestrator } from "./recipe.mjs"
import { clean, failsWith, issues } from "./plans.ts"
import { it, type World } from "./support.ts"

const FLAGS = ["--uncommitted", "--strict", "--step-timeout", "8m", "--ceiling", "medium", "-n", "1"]
const passed = { passed: true, summary: "" }

/** Issues at low until the worktree holds `fixed`; clean everywhere else. */
const untilFixed = (world: World): void => {
  world.write("tracked.txt", "two\n")
  world.plan("default", clean)
  world.plan("low", `if [ -e fixed ]; then\n${clean}\nelse\n${issues}\nfi`)
}

/** Runs the recipe. The trail is one entry an invocation: the mark that it gave, its exit and its header. */
const follow = async (world: World, agents: Partial<Orchestrator>): Promise<ReadonlyArray<string>> => {
  const trail: Array<string> = []
  const run = async (argv: ReadonlyArray<string>) => {
    const ended = await world.step(...argv)
    trail.push(`${argv.find((arg) => arg.startsWith("--mark-")) ?? "step"} ${ended.exit} ${ended.header}`)
    return { ...ended, argv }
  }
  const address = () => world.write("fixed", "")
  const usual = { run, address, runProjectTests: () => passed, retrospect: () => [], implement: () => undefined }
  await converge({ ...usual, ...agents }, FLAGS, 12)
  return trail
}

const ADDRESS = ["step 5 HandoffAgent: AddressBatch", "--mark-address-passed 7 Idle"]
const RETRO = ["step 5 HandoffAgent: Retrospective", "--mark-retro-clean 7 Idle"]
const FIXED_POINT = "step 0 DoneFixedPoint"

describe.concurrent("the recipe with --strict", () => {
  it("answers each hand-off by its batch, to the fixed point", async ({ world }) => {
    untilFixed(world)
    assert.deepEqual(await follow(world, {}), [...ADDRESS, ...RETRO, FIXED_POINT])
    assert.lengthOf(world.calls(), 3)
  })

  it("calls the step on a mark that was refused, because the code has changed", { tags: "slow" }, async ({ world }) => {
    untilFixed(world)
    let edits = 0
    const retrospect = (): ReadonlyArray<string> => {
      if (edits++ === 0) world.write("late.txt", "a file that no reviewer has seen\n")
      return []
    }
    const trail = await follow(world, { retrospect })
    assert.match(
      trail[3] ?? "",
      /^--mark-retro-clean 6 BinaryError: mark refused: reviews at level low; call the step$/
    )
    assert.deepEqual(trail.toSpliced(3, 1), [...ADDRESS, "step 5 HandoffAgent: Retrospective", ...RETRO, FIXED_POINT])
  })

  it("stops on every other BinaryError", { tags: "slow" }, async ({ world }) => {
    untilFixed(world)
    world.plan("medium", failsWith(1, "you are not logged in"))
    const trail = await follow(world, {})
    assert.match(trail.at(-1) ?? "", /^step 6 BinaryError: .*slot 1/)
    assert.deepEqual(trail.slice(0, -1), [...ADDRESS, ...RETRO])
  })

  it("hands red tests to a human", { tags: "slow" }, async ({ world }) => {
    untilFixed(world)
    const trail = await follow(world, { runProjectTests: () => ({ passed: false, summary: "1 failed" }) })
    assert.deepEqual(trail, [
      "step 5 HandoffAgent: AddressBatch",
      "--mark-address-failed 3 HandoffHuman: TestsFailedTriage"
    ])
  })
})
