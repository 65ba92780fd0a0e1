// Invariants: each sentence of the contract is broken once, and said to be.
import { assert, describe, it } from "vitest"
import { attemptText } from "../../../../src/run/Refs.ts"
import type { Event } from "../../../../src/run/Event.ts"
import { Broken, check, type Observed, orphans } from "../../../../src/testing/model/Invariants.ts"
import { clean, issues, silence } from "../../../../src/testing/Scripted.ts"
import { batchStarted, created, finished, opened, started, stopped } from "../../run/events.ts"
import { attempt, run } from "../attempts.ts"
import { observed, reviewer, untouched } from "./observed.ts"

/** The sentence that is broken, or null. */
const broken = (after: Observed, before: Observed = untouched, known: ReadonlyArray<string> = []): string | null => {
  try {
    check(before, after, new Set(known))
    return null
  } catch (error) {
    return error instanceof Broken ? error.message : assert.fail(String(error))
  }
}

const running = [batchStarted({ size: 1 }), started()]
const living = [reviewer(1, silence, Number.POSITIVE_INFINITY)]
const done = [...running, finished("Clean")]

describe("a machine on which all is well", () => {
  it.each<readonly [string, Observed]>([
    ["nothing", untouched],
    ["a reviewer at work", observed([running], { reviewers: living })],
    ["a review that is over", observed([done], { reviewers: [reviewer()], now: 5 })],
    ["a batch left in order", observed([[...running, stopped()], [opened("medium", 1)]])]
  ])("breaks nothing: %s", (_, after) => assert.isNull(broken(after)))

  it("has a longer history than before", () =>
    assert.isNull(broken(observed([running], { reviewers: living }), observed([]))))

  it("may begin another run", () => {
    const other = { ...run, runId: "20300101T000009Z-000000001-p1" }
    assert.isNull(broken(observed([], { run: other }), observed([running])))
  })
})

describe("a sentence that does not hold", () => {
  const lines = (...of: ReadonlyArray<ReadonlyArray<Event>>): Observed => observed(of)
  const cases: ReadonlyArray<readonly [string, Observed]> = [
    ["a batch is started once", lines([batchStarted()], [batchStarted()])],
    ["batch low/4 is the next unused one at its level", lines([opened("low", 4)])],
    ["the end of low/1/1 is recorded", lines(running, [opened("medium", 1)])],
    ["a slot has one verdict", lines(done, [finished("HasIssues")])],
    ["low/1/1 is recorded as what its reviewer said", observed([done], { reviewers: [reviewer(1, issues())], now: 5 })],
    ["low/1/1 is recorded as what its reviewer said", lines(done)],
    [
      "a finished review is not run again",
      observed([done, [started({ attempt: 2 })]], { reviewers: [reviewer()], now: 5 })
    ],
    ["an attempt is started once", observed([running], { reviewers: [reviewer(), reviewer()] })],
    [
      "a slot has one reviewer at a time",
      observed([running], { reviewers: [...living, reviewer(1, clean(), 99, 2)] })
    ],
    ["lines are numbered from 1 without a gap", observed([], { commits: [{ seq: 2, at: "", events: [created()] }] })]
  ]
  it.each(cases)("is said: %s", (sentence, after) => assert.strictEqual(broken(after), sentence))

  it("is said of a history that was changed or cut", () => {
    const before = observed([running])
    assert.strictEqual(broken(observed([]), before), "the history of a run only grows")
    assert.strictEqual(broken(observed([[batchStarted({ size: 1 })]]), before), "the history of a run only grows")
  })

  it("is said of a batch below the floor", () => {
    const commits = [{ seq: 1, at: "", events: [created({ startLevel: "medium" })] }, {
      seq: 2,
      at: "",
      events: [opened("low", 1)]
    }]
    assert.strictEqual(
      broken(observed([], { commits, manifest: { ...observed([]).manifest ?? assert.fail(), start_level: "medium" } })),
      "no batch lies below the floor"
    )
  })
})

describe("an orphan", () => {
  const left = observed([[...running, stopped()], [opened("medium", 1)]], { reviewers: living })

  it("is a living reviewer that no step will look at again", () => {
    assert.deepStrictEqual(orphans(left).map((one) => one.attempt.id), ["1-1"])
    assert.deepStrictEqual(orphans(observed([running], { reviewers: living })), [])
    assert.deepStrictEqual(orphans({ ...left, reviewers: [reviewer(1, clean(), 0)] }), [])
  })

  it("is paid for by nobody, unless a killed command has left it behind", () => {
    assert.match(broken(left) ?? "", /^no orphaned reviewer lives on: /)
    assert.isNull(broken(left, untouched, [attemptText(attempt())]))
  })
})
