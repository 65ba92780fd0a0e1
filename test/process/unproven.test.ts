// How a run without --strict may end without a proof, and where that shows: audit, --json and runs.
// The marks themselves stay the contract's: their outcome and their exit code are not changed.
import { assert, describe } from "vitest"
import { clean, issues } from "../contract/plans.ts"
import { it, type World } from "../contract/support.ts"

const LOW = ["--uncommitted", "--ceiling", "low", "-n", "1"]
const ask = (world: World, ...args: ReadonlyArray<string>) =>
  world.stepFrom({ stateRoot: null, env: { OODA_STATE_ROOT: world.stateRoot } }, ...args)

const given = (world: World, plan: string): void => {
  world.write("tracked.txt", "two\n")
  world.plan("default", plan)
}

describe("a fixed point that a mark declared", () => {
  const refuted = async (world: World) => {
    assert.strictEqual((await world.step(...LOW, "--mark-retro-clean")).header, "DoneFixedPoint")
    const { exit, stdout } = await ask(world, "audit")
    assert.strictEqual(exit, 1)
    assert.notMatch(stdout, /^ *proven/m)
    assert.include(
      stdout,
      "finding  proof: low batch 1: a mark declared the fixed point, and not every review of that batch"
    )
    const [run] = JSON.parse((await ask(world, "audit", "--json")).stdout).runs
    assert.deepInclude(run.proof, { complete: false, worth: "Refuted", by: "Mark" })
  }

  it("is not proven where no reviewer ever ran", ({ world }) => refuted(world))

  it("is not proven where reviews found issues", { tags: "slow" }, async ({ world }) => {
    given(world, issues)
    assert.strictEqual((await world.step(...LOW)).header, "HandoffAgent: AddressBatch")
    await refuted(world)
  })

  it("is proven by the clean batch that it was given for", { tags: "slow" }, async ({ world }) => {
    given(world, clean)
    assert.strictEqual((await world.step(...LOW)).header, "DoneFixedPoint")
    assert.strictEqual((await world.step(...LOW, "--mark-retro-clean")).header, "DoneFixedPoint")
    const { exit, stdout } = await ask(world, "audit")
    assert.strictEqual(exit, 0, stdout)
    assert.include(stdout, "  proven: fixed point at low batch 1, ceiling low, declared by --mark-retro-clean\n")
  })
})

describe("code that is edited between levels", () => {
  it("is proven at the ceiling alone", { tags: "slow" }, async ({ world }) => {
    const ladder = ["--uncommitted", "--ceiling", "medium", "-n", "1"]
    given(world, clean)
    assert.strictEqual((await world.step(...ladder)).header, "HandoffAgent: Retrospective")
    assert.strictEqual((await world.step(...ladder, "--mark-retro-clean")).exit, 7)
    world.write("tracked.txt", "three\n")
    assert.strictEqual((await world.step(...ladder)).header, "DoneFixedPoint")
    const { exit, stdout } = await ask(world, "audit")
    assert.strictEqual(exit, 0, stdout)
    assert.include(stdout, "  proven at medium alone: fixed point at medium batch 1")
    assert.include(stdout, "NOT every level was reviewed clean on the same code\n")
  })
})

describe("a new run that a mark opened", () => {
  it("is named with its reason in --json and in runs", async ({ world }) => {
    given(world, issues)
    assert.strictEqual((await world.step("--uncommitted", "--level", "medium", "-n", "1")).exit, 5)
    const marked = await world.step("--uncommitted", "--mark-address-passed", "--json")
    assert.strictEqual(marked.exit, 7)
    assert.strictEqual(JSON.parse(marked.stdout).run.opened, "LevelMismatch")
    const again = await world.step("--uncommitted", "--mark-address-passed", "--json")
    assert.isNull(JSON.parse(again.stdout).run.opened)
    const other = await world.step("--base", "mian", "--mark-address-passed", "--json")
    assert.strictEqual(JSON.parse(other.stdout).run.opened, "NoLatestPointer")

    const { stdout } = await ask(world, "runs")
    const rows = stdout.split("\n").slice(1, -1).map((row) => row.split(/ {2,}/).at(-1))
    assert.deepStrictEqual(rows, [
      "empty: no review yet (opened by a mark: NoLatestPointer)",
      "empty: no review yet (opened by a mark: LevelMismatch)",
      "needs you: 1 of 1 review at medium found issues"
    ])
    const [, mine] = JSON.parse((await ask(world, "runs", "--json")).stdout).runs
    assert.deepStrictEqual(mine.opened, { because: "LevelMismatch", byMark: true })
  })
})
