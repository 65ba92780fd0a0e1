// Marked: what each side-effect flag comes to, by the contract's tables.
import { assert, describe, it } from "vitest"
import { type Flag, marked, moved, type Run, type Rung } from "../../../../src/testing/model/Model.ts"
import { clean, flawed, run, runs, world } from "./someRuns.ts"

const after = (flag: Flag, one: Run | null, ceiling: Rung = "xhigh", now = 0) => {
  const { outcome, run } = marked(world(one, { now }), flag, one?.floor ?? "low", ceiling)
  return [`${run.level}/${run.batch}`, outcome, run.history.at(-1) ?? "", run.fixed] as const
}

const medium = moved(run(null), "medium")
const top = moved(moved(medium, "high"), "xhigh")

describe("a flag", () => {
  const cases: ReadonlyArray<readonly [Flag, Run, readonly [string, string, string, boolean]]> = [
    ["mark-retro-clean", run([clean]), ["medium/1", "Idle", "low/1 Clean", false]],
    ["mark-retro-clean", top, ["xhigh/1", "DoneFixedPoint", "xhigh/1 Clean", true]],
    ["mark-retro-changes", medium, ["low/2", "Idle", "medium/1 RetrospectiveChanges", false]],
    ["mark-address-passed", { ...medium, slots: [flawed, flawed, clean] }, [
      "low/2",
      "Idle",
      "medium/1 Addressed 2",
      false
    ]],
    ["mark-address-passed", run([flawed]), ["low/2", "Idle", "low/1 Addressed 1", false]],
    ["mark-address-failed", run([flawed]), ["low/1", "HandoffHuman", "", false]],
    ["advance-level", medium, ["high/1", "Idle", "", false]],
    ["advance-level", top, ["xhigh/1", "Idle", "", false]],
    ["drop-level", medium, ["low/2", "Idle", "", false]],
    ["drop-level", run([clean]), ["low/1", "Idle", "", false]],
    ["restart-from-floor", medium, ["low/2", "Idle", "", false]]
  ]
  it.each(cases)("--%s", (flag, one, expected) => assert.deepStrictEqual(after(flag, one), expected))

  it("--mark-retro-clean is the fixed point at the ceiling, and above it climbs on to the ladder's end", () => {
    assert.strictEqual(after("mark-retro-clean", medium, "medium")[1], "DoneFixedPoint")
    assert.deepStrictEqual(after("mark-retro-clean", medium, "low").slice(0, 2), ["high/1", "Idle"])
    assert.deepStrictEqual(after("mark-retro-clean", top, "low").slice(0, 3), ["xhigh/1", "Idle", "xhigh/1 Clean"])
  })

  it("--mark-address-passed counts what has ended by then", () => {
    const running = run([runs("issues", 5), runs("issues", 9)])
    assert.strictEqual(after("mark-address-passed", running, "xhigh", 5)[2], "low/1 Addressed 1")
  })

  it("creates the run where there is none", () =>
    assert.deepStrictEqual(after("advance-level", null), ["medium/1", "Idle", "", false]))
})
