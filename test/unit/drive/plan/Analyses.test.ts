// Analyses: an analysis is asked for once and told again; one that fails leaves the whole review to be fixed.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import type { PlanEvent } from "../../../../src/drive/plan/Event.ts"
import { analysis, instructionsFor, review } from "../../../../src/drive/plan/Reviews.ts"
import { roundOf } from "../../../../src/drive/Drive.ts"
import { planNow, type PlanDrive } from "../../../../src/drive/plan/Drive.ts"
import { ScriptedAgent } from "../../../../src/testing.ts"
import { cycleStarted, taken, worked } from "./histories.ts"
import { content, type Doing, inWorld, issue, review as answers, twoTasks, world } from "./plans.ts"
import { workingRun } from "./workings.ts"

const events: ReadonlyArray<PlanEvent> = [cycleStarted(), ...worked(1, "cycle-1/implement"), taken(1, [0])]
const refused = { ...content, "review-0": answers("NEEDS_FIXES", [issue]) }

const analysedOnce = Effect.fnUntraced(function*(working: PlanDrive) {
  const { plan } = yield* planNow(working)
  return yield* analysis(working, plan, yield* roundOf(working, 1))
})

const analysed = Effect.fnUntraced(function*(working: PlanDrive) {
  const { plan } = yield* planNow(working)
  const asked = { fix: 0, after: 0 }
  return yield* analysedOnce((yield* review(working, plan, yield* roundOf(working, 1), asked)).drive)
})

const inRun = <A>(doing: Doing, then: (now: PlanDrive) => A) =>
  inWorld(doing, Effect.flatMap(workingRun(events), analysed)).then(({ drive, unfinished }) => ({
    unfinished,
    seen: then(drive)
  }))

describe("an analysis", () => {
  it("of any size is recorded", async () => {
    const words = (i: number) => `${i} ${"x".repeat(3000)}`
    const issues = Array.from({ length: 30 }, (_, i) => ({ ...issue, severity: "minor", description: words(i) }))
    const dropped = issues.map((_, i) => ({ issue: `${i + 1}`, task: 1, quote: "y".repeat(3000) }))
    const answer = JSON.stringify({ needs_fixes: false, fix_instructions: "", dropped })
    const agents = {
      ...content,
      "review-0": answers("NEEDS_FIXES", issues),
      analysis: () => ScriptedAgent.answers(answer)
    }
    const plan = twoTasks.replace("Add up a list of numbers, with tests.", "y".repeat(3000))
    const { seen } = await inRun({ agents, plan }, ({ driver }) => driver.state.rounds[0]?.analysed)
    assert.deepStrictEqual([seen?.needsFixes, seen?.problems], [false, []])
    assert.isAbove(seen?.dropped.length ?? 0, 5)
  })

  it("that cannot be read leaves the whole review to be fixed", async () => {
    const agents = { ...refused, analysis: () => ScriptedAgent.answers("Looks fine to me.") }
    const { seen } = await inRun({ agents }, ({ driver }) => driver.state.rounds[0]?.analysed)
    assert.isTrue(seen?.needsFixes)
    assert.include(seen?.instructions.text, "It adds one too many.")
    assert.notDeepEqual(seen?.problems, [])
  })

  it("that nobody can make now ends the call", async () => {
    const agents = { ...refused, analysis: () => ScriptedAgent.fails({ _tag: "Login", message: "please log in" }) }
    assert.strictEqual((await inRun({ agents }, () => null)).unfinished?._tag, "Halted")
  })

  it("that nobody could make, or that was ended, is asked for anew by the next call", async () => {
    const agents = { ...refused, analysis: () => ScriptedAgent.fails({ _tag: "Login", message: "please log in" }) }
    const answer = () =>
      ScriptedAgent.answers(JSON.stringify({ needs_fixes: true, fix_instructions: "x", dropped: [] }))
    const next = await inWorld(
      { agents },
      Effect.gen(function*() {
        const { drive: working } = yield* analysed(yield* workingRun(events))
        yield* world({ agents: { ...refused, analysis: answer } })
        return yield* analysedOnce(working)
      })
    )
    assert.isNull(next.unfinished)
    assert.strictEqual(next.drive.driver.state.rounds[0]?.analysed?.agent, 4)
  })
})

describe("what a fixer is to do", () => {
  it("is what the analysis left first, and then the review before", async () => {
    const agents = {
      ...refused,
      analysis: () =>
        ScriptedAgent.answers(JSON.stringify({ needs_fixes: true, fix_instructions: "Mend the sum.", dropped: [] })),
      "review-1": answers("NEEDS_FIXES", [{ ...issue, description: "NOT_ADDRESSED It adds two." }])
    }
    const words = await inWorld(
      { agents },
      Effect.gen(function*() {
        const { drive: working } = yield* analysed(yield* workingRun(events))
        const { plan } = yield* planNow(working)
        const { drive: now } = yield* review(working, plan, yield* roundOf(working, 1), { fix: 1, after: 0 })
        const cycle = yield* roundOf(now, 1)
        return [yield* instructionsFor(now, plan, cycle, 1), yield* instructionsFor(now, plan, cycle, 2)]
      })
    )
    assert.include(words[0], "Mend the sum.")
    assert.include(words[1], "NOT_ADDRESSED It adds two.")
  })
})
