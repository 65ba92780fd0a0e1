// Reviews: a review is asked for once and told again; an analysis that fails leaves the whole review to be fixed.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import type { PlanEvent } from "../../../src/core/implement/Event.ts"
import { analysis, instructionsFor, review } from "../../../src/implement/Reviews.ts"
import { cycleOf, planNow, type Working } from "../../../src/implement/Working.ts"
import { ScriptedAgent } from "../../../src/testing.ts"
import { cycleStarted, taken, worked } from "../core/implement/histories.ts"
import { content, type Doing, inWorld, issue, review as answers } from "./plans.ts"
import { workingRun } from "./workings.ts"

const events: ReadonlyArray<PlanEvent> = [cycleStarted(), ...worked(1, "cycle-1/implement"), taken(1, [0])]
const refused = { ...content, "review-0": answers("NEEDS_FIXES", [issue]) }

const reviewed = Effect.fnUntraced(function*(working: Working) {
  const { plan } = yield* planNow(working)
  return yield* review(working, plan, yield* cycleOf(working, 1), { round: 0, after: 0 })
})

const analysed = Effect.fnUntraced(function*(working: Working) {
  const { plan } = yield* planNow(working)
  const { working: now } = yield* reviewed(working)
  return yield* analysis(now, plan, yield* cycleOf(now, 1))
})

const inRun = <A>(
  doing: Doing,
  use: (working: Working) => ReturnType<typeof reviewed> | ReturnType<typeof analysed>,
  then: (now: Working) => A
) =>
  inWorld(doing, Effect.flatMap(workingRun(events), use)).then(({ unfinished, working }) => ({
    unfinished,
    seen: then(working)
  }))

describe("a review", () => {
  it("is recorded with its verdict, its issues and what it saw", async () => {
    const { seen, unfinished } = await inRun(
      { agents: refused },
      reviewed,
      ({ driver }) => driver.state.cycles[0]?.reviews
    )
    assert.isNull(unfinished)
    assert.deepStrictEqual(seen?.map(({ issues, round, verdict }) => [round, verdict, issues.length]), [[
      0,
      "NEEDS_FIXES",
      1
    ]])
  })

  it("is told again, and nobody is asked twice", async () => {
    const agents = await inWorld(
      { agents: refused },
      Effect.gen(function*() {
        const working = yield* workingRun(events)
        const { working: now } = yield* reviewed(working)
        // A call that was killed before it recorded the review has read no more than this.
        const { working: again } = yield* reviewed({ ...now, driver: { ...now.driver, state: now.driver.state } })
        return again.driver.state.agents.agents.length
      })
    )
    assert.strictEqual(agents, 2)
  })

  it("that nobody can make now ends the call", async () => {
    const agents = { ...content, "review-0": () => ScriptedAgent.fails({ _tag: "Login", message: "please log in" }) }
    const { unfinished } = await inRun({ agents }, reviewed, () => null)
    assert.strictEqual(unfinished?._tag, "Halted")
  })
})

describe("an analysis", () => {
  it("that cannot be read leaves the whole review to be fixed", async () => {
    const agents = { ...refused, analysis: () => ScriptedAgent.answers("Looks fine to me.") }
    const { seen } = await inRun({ agents }, analysed, ({ driver }) => driver.state.cycles[0]?.analysed)
    assert.isTrue(seen?.needsFixes)
    assert.include(seen?.instructions.text, "It adds one too many.")
    assert.notDeepEqual(seen?.problems, [])
  })

  it("that nobody can make now ends the call", async () => {
    const agents = { ...refused, analysis: () => ScriptedAgent.fails({ _tag: "Login", message: "please log in" }) }
    assert.strictEqual((await inRun({ agents }, analysed, () => null)).unfinished?._tag, "Halted")
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
        const { working } = yield* analysed(yield* workingRun(events))
        const { plan } = yield* planNow(working)
        const { working: now } = yield* review(working, plan, yield* cycleOf(working, 1), { round: 1, after: 0 })
        const cycle = yield* cycleOf(now, 1)
        return [yield* instructionsFor(now, plan, cycle, 1), yield* instructionsFor(now, plan, cycle, 2)]
      })
    )
    assert.include(words[0], "Mend the sum.")
    assert.include(words[1], "NOT_ADDRESSED It adds two.")
  })
})
