// DecideRound: a round that goes on, and one about a clean level.
import { assert, describe, it } from "vitest"
import { addressed, decide, type Decision, lookedOver } from "../../../../src/drive/converge/Decide.ts"
import {
  after,
  answered,
  closed,
  concluded,
  content,
  driverStarted,
  type Facts,
  lookOver,
  roundStarted,
  settings,
  tested,
  view,
  worked
} from "./streams.ts"

const decided = (events: Facts, now = view(), set = settings()): Decision => decide(after(...events), now, set)

describe("a round", () => {
  it("asks again for the mending that an agent could not finish, not for a further one", () => {
    const state = after(
      driverStarted(),
      roundStarted(),
      worked(1, "round-1/address"),
      { _tag: "RoundAnswered", round: 1, agent: 1, answers: [], protectedFiles: [] },
      tested(1, 1, 1),
      tested(2, 1, 1),
      worked(2, "round-1/mend-1", "remediate")
    )
    const [round] = state.rounds
    assert.isDefined(round)
    if (round === undefined) return
    const next = addressed(state, round, settings())
    assert.deepStrictEqual(next, { _tag: "Ask", round: 1, task: "mend-1" })
    const clean = lookedOver(state, round, settings({ retro: "never" }), true)
    assert.deepStrictEqual(clean, { _tag: "Skip", round: 1, because: "Never" })
  })
})

describe("a round about a clean level", () => {
  const clean = view({ handoff: lookOver })
  const round = roundStarted({ kind: "Retrospective", findings: [] })
  const green = [driverStarted(), round, ...tested(1, 0, 0)]
  const gaps = [...green, ...worked(1, "round-1/retrospective", "remediate")]
  const implemented = [...gaps, ...worked(2, "round-1/patterns"), answered(1, 2)]
  const unasked = view({ handoff: null, content: content("c"), driver: "d2" })

  it.each<[string, Decision, Partial<ReturnType<typeof settings>>, boolean]>([
    ["nobody wants one", { _tag: "Skip", round: 1, because: "Never" }, { retro: "never" }, true],
    ["nothing was ever found", { _tag: "Skip", round: 1, because: "NoFindings" }, {}, false]
  ])("is without an agent where %s", (_, decision, change, anyFinding) => {
    const now = view({ handoff: { ...lookOver, anyFinding } })
    assert.deepStrictEqual(decided([driverStarted(), round], now, settings(change)), decision)
  })

  it("is without an agent where one was asked about the same history", () => {
    const before = [driverStarted(), round, ...worked(1, "round-1/retrospective"), concluded(1, "a", "RetroClean")]
    const next = [...before, closed(1), { ...round, round: 2 }]
    assert.deepStrictEqual(decided(next, clean), { _tag: "Skip", round: 2, because: "AskedBefore" })
    assert.deepInclude(decided([...next.slice(0, -1), { ...round, round: 2, history: "h2" }], clean), { _tag: "Ask" })
    // What it found was implemented; it would find the same history again.
    const changed = [...implemented, concluded(1, "b", "RetroChanges"), closed(1), { ...round, round: 2 }]
    assert.deepStrictEqual(decided(changed, clean), { _tag: "Skip", round: 2, because: "AskedBefore" })
  })

  it("ends clean, or has the patterns implemented and tested", () => {
    assert.deepStrictEqual(decided(green, clean), { _tag: "Ask", round: 1, task: "retrospective" })
    const pass = decided([...green, ...worked(1, "round-1/retrospective")], clean)
    assert.deepStrictEqual(pass, { _tag: "Conclude", round: 1, mark: "RetroClean" })
    assert.deepStrictEqual(decided(gaps, clean), { _tag: "Ask", round: 1, task: "patterns" })
    assert.deepInclude(decided(implemented, clean), { _tag: "Test", round: 1 })
    const done = decided([...implemented, ...tested(2, 1, 0)], clean)
    assert.deepStrictEqual(done, { _tag: "Conclude", round: 1, mark: "RetroChanges" })
    const red = [...implemented, ...tested(2, 1, 1), ...tested(3, 1, 1)]
    assert.deepStrictEqual(decided(red, clean, settings({ fixAttempts: 0 })), {
      _tag: "Close",
      round: 1,
      because: "TestsRed"
    })
  })

  it("goes on without a step once an agent changes the code, whose half a step would have reviewed", () => {
    const next = driverStarted("d2")
    assert.deepStrictEqual(decided([...implemented, next], unasked), { _tag: "Resume", round: 1 })
    assert.deepStrictEqual(decided([...gaps, next], unasked), { _tag: "Step" })
    const marked = [...implemented, ...tested(2, 1, 0), concluded(1, "c", "RetroChanges"), closed(1), next]
    assert.deepStrictEqual(decided(marked, unasked), { _tag: "Step" })
  })

  it.each(["TestsRed", "Rejected", "Protected", "AnsweredElsewhere"] as const)(
    "lets no step follow where it ended as %s, until the tests are green",
    (because) => {
      const left = [...implemented, closed(1, because), driverStarted("d2")]
      const test: Decision = { _tag: "Test", round: 0, command: "npm test", running: null }
      // They were green before that agent; that says nothing of its work.
      const elsewhere = [...implemented, closed(1, "AnsweredElsewhere")]
      assert.deepStrictEqual(decided(elsewhere, { ...unasked, driver: "d1" }), test)
      assert.deepStrictEqual(decided(left, unasked), test)
      assert.deepStrictEqual(decided([...left, ...tested(2, 0, 0)], unasked), { _tag: "Step" })
      const red = [...left, ...tested(2, 0, 1), ...tested(3, 0, 1)]
      assert.deepInclude(decided(red, unasked), {
        end: { _tag: "RedBaseline", test: 3, command: "npm test" } as const
      })
      const set = settings({ allow: ["red-baseline"] })
      assert.deepStrictEqual(decided(red, unasked, set), { _tag: "Step" })
    }
  )
})
