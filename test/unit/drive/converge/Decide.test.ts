// Decide: what the driver of a run does next.
import { assert, describe, it } from "vitest"
import {
  addressed,
  answerEvents,
  atFixedPoint,
  decide,
  type Decision,
  lookedOver
} from "../../../../src/drive/converge/Decide.ts"
import type { ConvergeEvent } from "../../../../src/drive/converge/Event.ts"
import type { PersonAnswer, RefusedBy } from "../../../../src/drive/State.ts"
import {
  after,
  answered,
  closed,
  concluded,
  content,
  driverStarted,
  type Facts,
  lookOver,
  ran,
  roundStarted,
  settings,
  tested,
  view,
  worked
} from "./streams.ts"

const begun = [driverStarted(), roundStarted()]
const decided = (events: Facts, now = view(), set = settings()): Decision => decide(after(...events), now, set)

describe("the driver", () => {
  it("runs the tests before the first review, and reviews nothing if they fail", () => {
    const now = view({ handoff: null })
    const test = { _tag: "Test", round: 0, command: "npm test" } as const
    assert.deepInclude(decided([], now), test)
    assert.deepInclude(decided([driverStarted(), ...tested(1, 0, 1)], now), test)
    const red = decided([driverStarted(), ...tested(1, 0, 1), ...tested(2, 0, 1)], now)
    assert.deepInclude(red, { _tag: "End" })
    const green = [driverStarted(), ...tested(1, 0, 0)]
    const same = view({ handoff: null, content: content("b") })
    assert.deepStrictEqual(decided(green, same), { _tag: "Step" })
    // Tests count for the content that they ran on, whoever ran them.
    assert.deepInclude(decided(green, view({ handoff: null, content: content("c") })), test)
    assert.deepStrictEqual(decided([...green, driverStarted("later")], same), { _tag: "Step" })
    assert.deepStrictEqual(decided([], now, settings({ tests: [] })), { _tag: "Step" })
  })

  it("asks for a step if there is no hand-off, and begins a round for one", () => {
    const now = view({ handoff: null, content: content("b") })
    assert.deepStrictEqual(decided([driverStarted(), ...tested(1, 0, 0)], now), { _tag: "Step" })
    assert.deepStrictEqual(decided([driverStarted()]), { _tag: "StartRound", round: 1 })
  })

  it("closes a round whose hand-off another process answered", () => {
    const other = view({ handoff: { ...lookOver, kind: "AddressBatch", batch: 2 } })
    assert.deepStrictEqual(decided(begun, other), { _tag: "Close", round: 1, because: "AnsweredElsewhere" })
    const marked = decided([...begun, concluded(1, "b")], other)
    assert.deepStrictEqual(marked, { _tag: "Close", round: 1, because: "Marked" })
    // An AddressFailed leaves the hand-off open.
    const failed = [...begun, concluded(1, "b", "AddressFailed")]
    assert.deepStrictEqual(decided(failed, other), { _tag: "Close", round: 1, because: "AnsweredElsewhere" })
    const left = [...failed, closed(1, "AnsweredElsewhere")]
    assert.deepStrictEqual(decided(left, other), { _tag: "StartRound", round: 2 })
  })

  it("ends after `stop`", () => {
    for (const now of [view(), view({ handoff: null })]) {
      const end = decided([...begun, { _tag: "StopAsked" }], now)
      assert.deepStrictEqual(end, { _tag: "End", end: { _tag: "StopAsked" } })
    }
  })

  it("ends in a circle, without another step", () => {
    const rounds = [roundStarted(), concluded(1, "b"), closed(1), roundStarted({ round: 2, content: content("b") })]
    const end = decided([...rounds, concluded(2, "a"), closed(2)], view({ handoff: null, content: content("a") }))
    assert.deepStrictEqual(end, { _tag: "End", end: { _tag: "Circle", content: content("a") } })
  })
})

describe("a round that addresses a batch", () => {
  const green = [...begun, tested(1, 0, 0)].flat()
  const address = [...green, ...worked(1, "round-1/address")]

  it("first runs the tests, then asks an agent, then runs them again", () => {
    assert.deepInclude(decided(begun), { _tag: "Test", round: 0, command: "npm test" })
    assert.deepStrictEqual(decided(green), { _tag: "Ask", round: 1, task: "address" })
    assert.deepStrictEqual(decided(address), { _tag: "Answer", round: 1, agent: 1 })
    assert.deepInclude(decided([...address, answered(1, 1)]), { _tag: "Test", round: 1 })
    const tests = decided([...address, answered(1, 1), ...tested(2, 1, 0)])
    assert.deepStrictEqual(tests, { _tag: "Conclude", round: 1, mark: "AddressPassed" })
    const mark = decided([...address, answered(1, 1), ...tested(2, 1, 0), concluded(1, "b")])
    assert.deepStrictEqual(mark, { _tag: "Mark", round: 1, mark: "AddressPassed" })
  })

  it("ends if the tests failed before any change, unless that is allowed", () => {
    const red = [...begun, ...tested(1, 0, 1), ...tested(2, 0, 1)]
    assert.deepStrictEqual(decided(red), {
      _tag: "End",
      end: { _tag: "RedBaseline", test: 2, command: "npm test" }
    })
    assert.deepInclude(decided(red, view(), settings({ allow: ["red-baseline"] })), { _tag: "Ask" })
    // Another driver runs the test again: a missing command may exist now.
    const second = view({ driver: "d2" })
    assert.deepInclude(decided([...red, driverStarted("d2")], second), { _tag: "Test", round: 0 })
    // A test that this driver waited for is not repeated, whoever started it.
    const [started, ended] = tested(1, 0, 0)
    assert.deepInclude(decided([...begun, started, driverStarted("d2"), ended], second), { _tag: "Ask" })
  })

  const red = [...address, answered(1, 1), ...tested(2, 1, 1), ...tested(3, 1, 1)]

  it("asks for as many fixes of failing tests as allowed, then is marked as failed", () => {
    assert.deepStrictEqual(decided(red), { _tag: "Ask", round: 1, task: "mend-1" })
    const failed = decided(red, view(), settings({ fixAttempts: 0 }))
    assert.deepStrictEqual(failed, { _tag: "Conclude", round: 1, mark: "AddressFailed" })
    const fixed = [...red, ...worked(2, "round-1/mend-1"), answered(1, 2)]
    assert.deepInclude(decided(fixed), { _tag: "Test", round: 1 })
  })

  it("is restored first on request", () => {
    const set = settings({ fixAttempts: 0, undoOnRed: true })
    assert.deepStrictEqual(decided(red, view(), set), { _tag: "Restore", round: 1 })
    const restored = decided([...red, { _tag: "WorktreeRestored", round: 1, snapshot: 1 }], view(), set)
    assert.deepInclude(restored, { _tag: "Conclude", mark: "AddressFailed" })
  })

  it("ends the call of the driver that marked it as failed; the next one begins another round", () => {
    const failed = [...red, concluded(1, "b", "AddressFailed"), closed(1)]
    assert.deepStrictEqual(decided(failed, view({ handoff: null })), {
      _tag: "End",
      end: { _tag: "TestsRed", round: 1, test: 3, command: "npm test" }
    })
    const next = decided([...failed, driverStarted("d2")], view({ driver: "d2" }))
    assert.deepStrictEqual(next, { _tag: "StartRound", round: 2 })
  })

  it("is committed once on request; a refusal counts as red", () => {
    const set = settings({ commitFixes: "Fix" })
    const tests = [...address, answered(1, 1), ...tested(2, 1, 0)]
    assert.deepStrictEqual(decided(tests, view(), set), { _tag: "Commit", round: 1, agent: 1 })
    const commit = (id: string | null) =>
      ({ _tag: "FixesCommitted", round: 1, agent: 1, commit: id, output: { text: "" } }) as const
    assert.deepInclude(decided([...tests, commit("c")], view(), set), { _tag: "Conclude", mark: "AddressPassed" })
    assert.deepInclude(decided([...tests, commit(null)], view(), set), { _tag: "Ask" })
  })

  it("is tested and committed once more if hooks changed files, whether or not they refused, before an agent is asked", () => {
    const set = settings({ commitFixes: "Fix" })
    const tests = [...address, answered(1, 1), ...tested(2, 1, 0)]
    const commit = { _tag: "FixesCommitted", round: 1, agent: 1, output: { text: "" }, changed: true } as const
    const refused = { ...commit, commit: null, refusedBy: "pre-commit" } as const
    for (const one of [refused, { ...commit, commit: "c" }]) {
      const next = (...facts: Facts) => decided([...tests, one, ...facts.flat()], view(), set)
      assert.deepStrictEqual(next(), { _tag: "Test", round: 1, command: "npm test", running: null })
      assert.deepStrictEqual(next(tested(3, 1, 0)), { _tag: "Commit", round: 1, agent: 1 })
      assert.deepInclude(next(tested(3, 1, 1), tested(4, 1, 1)), { _tag: "Ask" })
      assert.deepInclude(next(tested(3, 1, 0), refused), { _tag: "Ask" })
      assert.deepInclude(next(tested(3, 1, 0), { ...commit, commit: "d" }), { _tag: "Conclude" })
    }
    const message = decided([...tests, { ...refused, refusedBy: "commit-msg" }], view(), set)
    assert.deepInclude(message, { _tag: "End" })
  })

  it("ends with the failing test if an agent fixed why git refused to commit", () => {
    const refused = { _tag: "FixesCommitted", round: 1, agent: 1, commit: null, output: { text: "no" } } as const
    const fix = [...worked(2, "round-1/mend-1"), answered(1, 2), ...tested(3, 1, 1), ...tested(4, 1, 1)]
    const before = [...address, answered(1, 1), ...tested(2, 1, 0), refused]
    const end = [concluded(1, "b", "AddressFailed"), closed(1)]
    const next = (...facts: Facts) => decided(facts.flat(), view({ handoff: null }), settings({ commitFixes: "Fix" }))
    assert.deepInclude(next(before, fix, end), { end: { _tag: "TestsRed", round: 1, test: 4, command: "npm test" } })
    assert.deepInclude(next(before, end), { end: { _tag: "TestsRed", round: 1, test: null, command: "git commit" } })
  })

  it("asks again while the agent names gaps, and ends if its result is rejected", () => {
    const gaps = [...green, ...worked(1, "round-1/address", "remediate")]
    assert.deepInclude(decided(gaps), { _tag: "Ask", task: "address" })
    const blocked = [...green, ...worked(1, "round-1/address", "block")]
    assert.deepStrictEqual(decided(blocked), { _tag: "End", end: { _tag: "Rejected", agent: 1 } })
    const allowed = decided(blocked, view(), settings({ allow: ["rejected-result"] }))
    assert.deepStrictEqual(allowed, { _tag: "Close", round: 1, because: "Rejected" })
  })

  it("ends if protected files changed", () => {
    const changed = [...address, answered(1, 1, ["schema.sql"])]
    assert.deepStrictEqual(decided(changed), { _tag: "Close", round: 1, because: "Protected" })
    assert.deepStrictEqual(decided([...changed, closed(1, "Protected")], view({ handoff: null })), {
      _tag: "End",
      end: { _tag: "Protected", round: 1, files: ["schema.sql"] }
    })
  })

  it("is not begun over budget or without patience, but a running agent is followed", () => {
    const over = view({ used: { rounds: 0, time: 0, tokens: 100 } })
    const twenty = { ...over, used: { rounds: 20, time: 0, tokens: 0 } }
    // A review may be clean, and then no round is needed.
    const untested = settings({ tests: [] })
    assert.deepStrictEqual(decided([], { ...twenty, handoff: null }, untested), { _tag: "Step" })
    assert.deepInclude(decided(green, twenty), {
      end: { _tag: "Budget", budget: "rounds", action: "AddressBatch" } as const
    })
    assert.deepInclude(
      decided([...green, { _tag: "BudgetWarned", budget: "rounds", used: 19, limit: 20 }], {
        ...twenty,
        used: { ...twenty.used, rounds: 19 }
      }),
      { _tag: "Ask" }
    )
    const set = settings({ maxTokens: 100 })
    assert.deepStrictEqual(decided(green, over, set), {
      _tag: "End",
      end: { _tag: "Budget", budget: "tokens", action: "AddressBatch" }
    })
    const started = worked(1, "round-1/address").slice(0, 1)
    assert.deepInclude(decided([...green, ...started], over, set), { _tag: "Ask" })
    assert.deepInclude(decided([], { ...over, handoff: null }, set), { _tag: "End" })
    const rounds = [1, 2, 3].flatMap((round) => [roundStarted({ round }), closed(round)])
    const stuck = decided([...rounds, roundStarted({ round: 4 })], view(), settings({ patience: 3 }))
    assert.deepStrictEqual(stuck, { _tag: "End", end: { _tag: "Patience", rounds: 3 } })
  })
})

describe("a fixed point", () => {
  const at = (events: Facts, letter = "b", driver = "d1", set = settings()) =>
    atFixedPoint(after(...events), { content: content(letter), driver }, set)
  const next: Decision = { _tag: "Test", round: 0, command: "npm test", running: null }

  it("is reported if the tests passed on the proven code, whichever driver ran them", () => {
    assert.deepStrictEqual(at([driverStarted()]), next)
    assert.isNull(at([driverStarted(), tested(1, 0, 0)]))
    assert.isNull(at([driverStarted(), roundStarted(), tested(1, 1, 0)]))
    assert.isNull(at([driverStarted(), tested(1, 0, 0), driverStarted("d2")], "b", "d2"))
    assert.isNull(at([driverStarted()], "b", "d1", settings({ tests: [], noTest: true })))
  })

  it("is not reported while the tests change the code; the third time ends the call", () => {
    const twice = [driverStarted(), ran(1, 0, "a", "b"), ran(2, 0, "b", "c")]
    assert.deepStrictEqual(at(twice, "c"), next)
    const red = { _tag: "End", end: { _tag: "RedBaseline", test: 3, command: "npm test" } } as const
    assert.deepStrictEqual(at([...twice, ran(3, 0, "c", "d")], "d"), red)
    assert.deepStrictEqual(at([...twice, driverStarted("d2"), ran(3, 0, "c", "d")], "d", "d2"), next)
  })

  it("is not reported if the code changed since the tests passed", () => {
    assert.deepStrictEqual(at([driverStarted(), tested(1, 0, 0)], "c"), next)
  })

  it("is not reported if the tests fail, unless that is allowed", () => {
    const red = [driverStarted(), tested(1, 0, 1), tested(2, 0, 1)]
    assert.deepStrictEqual(at(red), { _tag: "End", end: { _tag: "RedBaseline", test: 2, command: "npm test" } })
    assert.isNull(at(red, "b", "d1", settings({ allow: ["red-baseline"] })))
    assert.deepStrictEqual(at([...red, driverStarted("d2")], "b", "d2"), next)
  })

  it("waits for a test that was started outside of rounds", () => {
    const [started] = tested(1, 0, 0)
    assert.deepStrictEqual(at([driverStarted(), started]), { ...next, running: 1 })
  })
})

describe("a question of an earlier driver to the user", () => {
  const unknown = { _tag: "Unknown", why: "git refused" } as const
  const asks = (outcome: string, letter = "b") =>
    ({
      _tag: "DriverEnded",
      driver: "d1",
      outcome: `HandoffHuman: ${outcome}`,
      why: "why",
      content: content(letter)
    }) as const
  const red = [...begun, ...worked(1, "round-1/address"), ...tested(1, 1, 1), ...tested(2, 1, 1)]
  const failed = [...red, concluded(1, "b", "AddressFailed"), closed(1), asks("TestsFailedTriage"), driverStarted("d2")]
  const now = (letter: string, change: Partial<ReturnType<typeof view>> = {}) =>
    view({ handoff: null, driver: "d2", content: content(letter), ...change })

  it("stays while the code does, unless the user asks for another try", () => {
    const end = decided(failed, now("b"))
    assert.strictEqual(end._tag === "End" ? end.end._tag : end._tag, "Unchanged")
    assert.deepStrictEqual(decided(failed, now("b", { again: true })), { _tag: "TakeAnswer", answer: "Again" })
    const other = [...red, asks("AgentFailed"), driverStarted("d2")]
    assert.deepStrictEqual(decided(other, now("b")), { _tag: "TakeAnswer", answer: "Unchanged" })
  })

  it("does not count as undone if the code at the start of the round is unknown", () => {
    const lost = [driverStarted(), roundStarted({ content: unknown }), closed(1)]
    const events = [...lost, asks("TaskBlocked"), driverStarted("d2")]
    assert.deepInclude(decided(events, now("c")), { _tag: "Test", round: 0 })
  })

  it("is closed by a consent to go on without the result", () => {
    const blocked = [...begun, ...worked(1, "round-1/address", "block"), asks("TaskBlocked"), driverStarted("d2")]
    const end = decided(blocked, now("b"))
    assert.strictEqual(end._tag === "End" ? end.end._tag : end._tag, "Unchanged")
    const allow = settings({ allow: ["rejected-result"] })
    assert.deepStrictEqual(decided(blocked, now("b"), allow), { _tag: "TakeAnswer", answer: "Unchanged" })
  })

  it("is closed with its round by an answer, unless nothing changed", () => {
    const closing = (answer: PersonAnswer, events: Facts = begun) =>
      answerEvents(after(...events), answer, content("b")).map(({ _tag }) => _tag)
    assert.deepStrictEqual(closing("Unchanged"), ["PersonAnswered"])
    for (const answer of ["Again", "Fixed", "Undone"] as const) {
      assert.deepStrictEqual(closing(answer), ["RoundClosed", "PersonAnswered"])
    }
    assert.deepStrictEqual(closing("Again", [...begun, closed(1)]), ["PersonAnswered"])
  })

  it("stays if the present code is unknown", () => {
    const of = (change: Partial<ReturnType<typeof view>>) => decided(failed, now("b", { content: unknown, ...change }))
    assert.deepInclude(of({}), { _tag: "End" })
    assert.deepStrictEqual(of({ again: true }), { _tag: "TakeAnswer", answer: "Again" })
  })

  it("is answered by code that the user changed, once its tests pass, and by the reviewed code", () => {
    assert.deepStrictEqual(decided(failed, now("a")), { _tag: "TakeAnswer", answer: "Undone" })
    assert.deepStrictEqual(decided(failed, now("c")), { _tag: "Test", round: 0, command: "npm test", running: null })
    const ended = (exit: number) => [...failed, ...tested(3, 0, exit), ...(exit === 0 ? [] : tested(4, 0, exit))]
    assert.deepStrictEqual(decided(ended(0), now("c")), { _tag: "TakeAnswer", answer: "Fixed" })
    const still = decided(ended(1), now("c"))
    assert.deepInclude(still._tag === "End" ? still.end : {}, { _tag: "TestsRed", round: 1, test: 4 })
    assert.deepStrictEqual(decided(failed, now("c"), settings({ tests: [], noTest: true })), {
      _tag: "TakeAnswer",
      answer: "Fixed"
    })
  })

  it("is closed by an answer: circles and patience start again", () => {
    const answer = { _tag: "PersonAnswered", answer: "Fixed", content: content("c") } as const
    assert.deepStrictEqual(decided([...failed, answer], now("c")), { _tag: "Step" })
    assert.strictEqual(after(...failed, answer).since, 1)
    assert.strictEqual(after(...failed, { ...answer, answer: "Unchanged" }).since, 0)
  })

  it("makes git try again after an error that only the user can fix, without an agent", () => {
    const commit = (refusedBy: RefusedBy) => ({
      _tag: "FixesCommitted",
      round: 1,
      agent: 1,
      commit: null,
      refusedBy,
      output: { text: "error: gpg failed to sign the data" }
    } as const)
    const committing = settings({ commitFixes: "x", fixAttempts: 2 })
    const work = [...begun, ...worked(1, "round-1/address"), answered(1, 1), ...tested(1, 1, 0)]
    const refused = [...work, commit("signature")]
    const end = decided(refused, view(), committing)
    assert.deepStrictEqual(end, {
      _tag: "End",
      end: { _tag: "TestsRed", round: 1, test: null, command: "git commit" }
    })
    const later = decided([...refused, driverStarted("d2")], view({ driver: "d2" }), committing)
    assert.deepStrictEqual(later, { _tag: "Commit", round: 1, agent: 1 })
    assert.deepStrictEqual(decided([...work, commit("commit-msg")], view(), committing), end)
    // The words of a hook, which may be those of the project, decide nothing.
    assert.deepInclude(decided([...work, commit("pre-commit")], view(), committing), { _tag: "Ask" })
    assert.deepInclude(decided([...work, commit("git")], view(), committing), { _tag: "Ask" })
  })
})

describe("a round", () => {
  it("asks again for a fix that an agent could not finish, but not for another one", () => {
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
    ["no retrospective is wanted", { _tag: "Skip", round: 1, because: "Never" }, { retro: "never" }, true],
    ["nothing was ever found", { _tag: "Skip", round: 1, because: "NoFindings" }, {}, false]
  ])("has no agent if %s", (_, decision, change, anyFinding) => {
    const now = view({ handoff: { ...lookOver, anyFinding } })
    assert.deepStrictEqual(decided([driverStarted(), round], now, settings(change)), decision)
  })

  it("has no agent if one was asked about the same history", () => {
    const before = [driverStarted(), round, ...worked(1, "round-1/retrospective"), concluded(1, "a", "RetroClean")]
    const next = [...before, closed(1), { ...round, round: 2 }]
    assert.deepStrictEqual(decided(next, clean), { _tag: "Skip", round: 2, because: "AskedBefore" })
    assert.deepInclude(decided([...next.slice(0, -1), { ...round, round: 2, history: "h2" }], clean), { _tag: "Ask" })
    // Its patterns were implemented; it would find the same history again.
    const changed = [...implemented, concluded(1, "b", "RetroChanges"), closed(1), { ...round, round: 2 }]
    assert.deepStrictEqual(decided(changed, clean), { _tag: "Skip", round: 2, because: "AskedBefore" })
  })

  it("has an agent for a history that an earlier call skipped with `--retro never`", () => {
    const left: ConvergeEvent = { _tag: "RetrospectiveSkipped", round: 1, because: "Never" }
    const before = [driverStarted(), round, left, concluded(1, "a", "RetroClean"), closed(1)]
    const next = decided([...before, { ...round, round: 2 }, ...tested(1, 0, 0)], clean)
    assert.deepStrictEqual(next, { _tag: "Ask", round: 2, task: "retrospective" })
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

  it("continues without a step once an agent changed the code, since a step would review half of its work", () => {
    const next = driverStarted("d2")
    assert.deepStrictEqual(decided([...implemented, next], unasked), { _tag: "Resume", round: 1 })
    assert.deepStrictEqual(decided([...gaps, next], unasked), { _tag: "Step" })
    const marked = [...implemented, ...tested(2, 1, 0), concluded(1, "c", "RetroChanges"), closed(1), next]
    assert.deepStrictEqual(decided(marked, unasked), { _tag: "Step" })
  })

  it.each(["TestsRed", "Rejected", "Protected", "AnsweredElsewhere"] as const)(
    "that ended as %s allows no step before the tests pass",
    (because) => {
      const left = [...implemented, closed(1, because), driverStarted("d2")]
      const test: Decision = { _tag: "Test", round: 0, command: "npm test", running: null }
      // They passed before that agent; that does not count for its work.
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
