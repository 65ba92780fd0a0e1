// Loop steps: the built CLI killed at its file calls, and before each program it starts, on the way to an Outcome.
// The next step ends as if nothing had happened, with every review that was made, made once.
import { assert, describe, it } from "vitest"
import type { Ending } from "../program.ts"
import { tried } from "../tried.ts"
import { type Place, useBench } from "./bench.ts"
import { deadly, endingBadly, freely, label, type Step, undisturbed, writes } from "./gate.ts"
import { allSound, continues, noReviewTwice, linesIn, keepsLines } from "./looping.ts"
import { trials } from "./pool.ts"

const bench = useBench()

interface Case {
  readonly name: string
  /** What the place goes through first. */
  readonly start: Step
  readonly step: Step
  /** The step that follows a death; by default the same one. */
  readonly next?: Step
  readonly header: string
  readonly newRuns: number
  readonly every: number
}

const opened = ["--mark-address-failed", "x"]
const cases: ReadonlyArray<Case> = [
  {
    name: "a handoff",
    start: { args: opened },
    step: { args: ["-n", "2"], scenario: "issues 1", spawns: true },
    header: "HandoffAgent: AddressBatch",
    newRuns: 0,
    every: 12
  },
  {
    name: "the fixed point",
    start: { args: ["--level", "xhigh", ...opened] },
    step: { args: ["--level", "xhigh", "-n", "2"], spawns: true },
    header: "DoneFixedPoint",
    newRuns: 0,
    every: 12
  },
  {
    name: "a fresh run",
    start: { args: ["-n", "1"], scenario: "issues 1" },
    step: { args: ["-n", "1", "--fresh"], scenario: "issues 1", spawns: true },
    next: { args: ["-n", "1"], scenario: "issues 1" },
    header: "HandoffAgent: AddressBatch",
    newRuns: 1,
    every: 12
  }
]

describe.each(cases)("a step killed on its way to $name", ({ every, header, name, newRuns, next, start, step }) => {
  it("loses no review and makes none twice", async () => {
    const from = bench().place()
    const begun = await freely(bench(), from, start)
    assert.include(["HandoffHuman: TestsFailedTriage", "HandoffAgent: AddressBatch"], begun.header, begun.stderr)
    const before = linesIn(from)
    const whole = await undisturbed(bench(), from, step)
    assert.strictEqual(whole.ended.header, header, whole.ended.stderr)
    noReviewTwice(whole.place, "undisturbed")
    const all = tried<{ readonly at: number; readonly how: Ending }>([
      ...deadly(whole.calls, every).map((at) => ({ at, how: "kill" as const })),
      ...writes(whole.calls).map((at) => ({ at, how: "half" as const }))
    ])
    const places: Array<Place> = []
    let deaths = 0
    await trials(all, async ({ at, how }) => {
      const place = bench().place(from)
      const ended = await endingBadly(bench(), place, step, at, how)
      const where = label(whole.calls, at, how, ended)
      // How often a step looks at its reviewers varies, so the last calls may not be made.
      if (ended.signal === null) assert.strictEqual(ended.header, header, where)
      else deaths++
      keepsLines(place, before, newRuns, where)
      await continues(bench(), place, next ?? step, whole.ended, where)
      places.push(place)
    })
    assert.isAtLeast(deaths, all.length * 0.8)
    await allSound(bench(), places)
    console.log(`${name}: ${deaths} deaths in ${all.length} trials at ${whole.calls.length} calls`)
  })
})
