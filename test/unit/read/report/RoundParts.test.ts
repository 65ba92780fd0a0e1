// The rounds of a converging run as parts of a report.
import { assert, describe, it } from "vitest"
import { begun, type ConvergeState, evolveConverge } from "../../../../src/drive/converge/State.ts"
import type { ConvergeEvent } from "../../../../src/drive/converge/Event.ts"
import { answersByName, driverPart, outsideOf, roundParts } from "../../../../src/read/report/Turns.ts"
import type { WorkRecords } from "../../../../src/read/report/ReportData.ts"
import { answered, closed, concluded, roundStarted, tested, worked } from "../../drive/converge/streams.ts"

const after = (...events: ReadonlyArray<ConvergeEvent>): ConvergeState =>
  events.reduce((state, event, i) => evolveConverge(state, event, i * 1000), begun("r"))

const bare: WorkRecords = { agents: new Map(), tests: new Map(), printed: new Map(), diffs: new Map() }
const name = "a".repeat(16)
const parts = (...events: ReadonlyArray<ConvergeEvent>) =>
  roundParts(after(...events), bare, new Map([[name, "Guard a null user"]]))
const verdict = (...events: ReadonlyArray<ConvergeEvent>) => {
  const one = parts(roundStarted(), ...events)[0]?.verdict
  return `${one?.tone}: ${one?.text}`
}

describe("a round", () => {
  it("tells what it answered, and its answers", () => {
    const [round] = parts(
      roundStarted(),
      ...worked(1, "round-1/address"),
      answered(1, 1, ["ci.yml"]),
      ...tested(1, 1, 0),
      concluded(1, "b"),
      closed(1)
    )
    assert.strictEqual(round?.title, "Round 1 answers the findings of low batch 1, 1 finding")
    assert.deepStrictEqual(round?.answers, [
      { fingerprint: name, title: "Guard a null user", answer: "fixed", why: "mended" }
    ])
    assert.deepStrictEqual(round?.facts, [
      { name: "Work", value: "1 agent, 1 test run" },
      { name: "Protected", value: "agent 1 changed ci.yml" }
    ])
    assert.deepStrictEqual(round?.verdict, { tone: "good", text: "answered, and the tests pass" })
  })

  it("ends in its mark, or in why there is none", () => {
    assert.strictEqual(verdict(), "open: not ended")
    assert.strictEqual(verdict(concluded(1, "b", "AddressFailed"), closed(1)), "bad: answered, and the tests fail")
    assert.strictEqual(verdict(closed(1, "TestsRed")), "bad: its tests stayed red")
    assert.strictEqual(verdict(concluded(1, "b"), closed(1, "AnsweredElsewhere")), "open: somebody else answered")
    const skipped: ConvergeEvent = { _tag: "RetrospectiveSkipped", round: 1, because: "NoFindings" }
    assert.strictEqual(
      verdict(skipped, concluded(1, "b", "RetroClean"), closed(1)),
      "neutral: skipped: nothing had been found"
    )
  })

  it("tells of commits, refusals and what was put back", () => {
    const commit = { _tag: "FixesCommitted", round: 1, agent: 1, commit: "c0ffee", output: { text: "" } } as const
    const [round] = parts(
      roundStarted(),
      { _tag: "WorktreeRestored", round: 1, snapshot: 2 },
      commit,
      { ...commit, commit: null, output: { text: "a hook failed" } }
    )
    assert.deepStrictEqual(round?.facts.slice(1).map(({ value }) => value), [
      "the worktree was put back to snapshot 2",
      "c0ffee",
      "git refused: a hook failed"
    ])
  })

  it("follows the tests that ran outside of any", () => {
    const [outside, round] = parts(...tested(1, 0, 1), roundStarted())
    assert.deepStrictEqual([outside?.id, round?.id], ["round-0", "round-1"])
    assert.strictEqual(outside?.verdict.tone, "bad")
    assert.strictEqual(outsideOf([], "round").verdict.tone, "neutral")
  })
})

it("answers are told by the names of findings, the last word of each round", () => {
  const again = { ...roundStarted(), round: 2 }
  const changed: ConvergeEvent = {
    _tag: "RoundAnswered",
    round: 2,
    agent: 2,
    answers: [{ fingerprint: name, answer: "not-done", why: "?" }, { fingerprint: name, answer: "refuted", why: "no" }],
    protectedFiles: []
  }
  const answers = answersByName(after(roundStarted(), answered(1, 1), again, changed))
  assert.deepStrictEqual(answers.get(name)?.map(({ answer, round }) => [round, answer]), [[1, "fixed"], [2, "refuted"]])
})

it("what a driver did is told by the names of batches", () => {
  const state = after(
    ...worked(1, "round-1/address"),
    roundStarted(),
    roundStarted({ round: 2 }),
    roundStarted({ round: 3, batch: 2 })
  )
  const { agents, rounds } = driverPart(state)
  assert.isAbove(agents.input, 0)
  assert.deepStrictEqual([...rounds], [["low batch 1", [1, 2]], ["low batch 2", [3]]])
})
