// Decide.complete: given a batch whose reviews are all in, and what the code is now, then this halt or another batch.
// The one rule: a clean batch is acted on only for the code it saw; a batch with issues whatever the code.
import { assert, describe, it } from "vitest"
import { decide, type Decision, needsIdentity, targetChanged } from "../../../src/run/Decide.ts"
import { differs, type Identity } from "../../../src/run/Identity.ts"
import type { Event } from "../../../src/run/Event.ts"
import { addressPrompt, retrospectivePrompt } from "../../../src/run/words.ts"
import { capped, context, decided } from "./decided.ts"
import {
  batchCompleted,
  batchStarted,
  created,
  failed,
  finished,
  given,
  opened,
  reviewed,
  started,
  stopped,
  tree
} from "./events.ts"

const { paths } = context
const done: Decision = { _tag: "Halt", outcome: { _tag: "DoneFixedPoint" } }
const retrospective: Decision = {
  _tag: "Halt",
  outcome: {
    _tag: "HandoffAgent",
    action: "Retrospective",
    prompt: retrospectivePrompt("low", "low", paths)
  }
}

describe("when a review has issues", () => {
  const address: Decision = {
    _tag: "Halt",
    outcome: { _tag: "HandoffAgent", action: "AddressBatch", prompt: addressPrompt(2, "low", paths) }
  }
  const lines = [reviewed("HasIssues", "Clean", "HasIssues")]

  it("hands the batch off with the count of such reviews", () => assert.deepStrictEqual(decided(lines), address))

  it.each(["low", "medium", "xhigh"] as const)(
    "does so with the ceiling %s",
    (ceiling) => assert.deepStrictEqual(decided(lines, { ceiling }), address)
  )

  it("does so whatever the tree", () => assert.deepStrictEqual(decided(lines, { identity: tree("t2") }), address))
})

describe("when all reviews are clean", () => {
  const lines = [reviewed("Clean", "Clean")]

  it("is the fixed point at the ceiling exactly", () =>
    assert.deepStrictEqual(decided(lines, { ceiling: "low" }), done))

  it("is a retrospective below the ceiling", () => assert.deepStrictEqual(decided(lines), retrospective))

  it("is a retrospective above the ceiling as well, never the fixed point", () => {
    const above = given([created()], [
      opened("high", 1),
      batchStarted({ level: "high", size: 1 }),
      started({ level: "high" }),
      finished("Clean", { level: "high" })
    ])
    assert.deepStrictEqual(decide(above, { ...context, ceiling: "medium" }), {
      _tag: "Halt",
      outcome: { _tag: "HandoffAgent", action: "Retrospective", prompt: retrospectivePrompt("high", "low", paths) }
    })
  })

  it("is reviewed anew where the target has changed since the batch began", () => {
    const changed: Decision = { _tag: "RunReviews", cause: "target-changed", key: "low/target-changed" }
    assert.deepStrictEqual(decided(lines, { identity: tree("t2") }), changed)
    assert.deepStrictEqual(decided(lines, { identity: tree("t2"), ceiling: "low" }), changed)
  })

  it("is reviewed anew where it changed while the reviews ran, and back or on", () => {
    const moved = [[...reviewed("Clean"), batchCompleted(tree("t2"))]]
    for (const now of ["t1", "t2", "t3"]) {
      assert.deepInclude(decided(moved, { identity: tree(now) }), { cause: "target-changed" }, now)
    }
  })

  it("has the same key in the next batch: code that keeps changing is no progress", () => {
    const next = [reviewed("Clean"), [opened("low", 2), batchStarted({ batch: 2, size: 1 }), started({ batch: 2 })], [
      finished("Clean", { batch: 2 })
    ]]
    assert.deepInclude(decided(next, { identity: tree("t2") }), { key: "low/target-changed" })
  })

  it.each<[string, Identity | null]>([["unknown", { _tag: "Unknown", why: "no git" }], ["not computed", null]])(
    "stands where the identity is %s",
    (_, identity) => assert.deepStrictEqual(decided(lines, { identity, ceiling: "low" }), done)
  )

  it("stands where the identity at the start was unknown", () => {
    const unknown: Identity = { _tag: "Unknown", why: "no git" }
    const blind = [[batchStarted({ size: 1, identity: unknown }), started(), finished("Clean")]]
    assert.deepStrictEqual(decided(blind, { ceiling: "low" }), done)
  })

  it("halts where no further batch may be started for the changed target", () =>
    assert.deepStrictEqual(
      decided(lines, { identity: tree("t2"), maxBatches: 1 }),
      capped("low/target-changed/max-batches")
    ))
})

describe("differs", () => {
  const base: Identity = { _tag: "Known", head: "h", tree: "t", base: "b" }
  it("sees each of head, tree and base", () => {
    assert.isFalse(differs(base, { ...base }))
    for (const key of ["head", "tree", "base"] as const) {
      assert.isTrue(differs(base, { ...base, [key]: "x" }), key)
      assert.isTrue(differs(base, { ...base, [key]: null }), key)
    }
  })

  it("is not forced by what is unknown", () => {
    const unknown: Identity = { _tag: "Unknown", why: "" }
    for (const pair of [[base, unknown], [unknown, base], [unknown, unknown]] as const) {
      assert.isFalse(differs(pair[0], pair[1]))
    }
  })
})

describe("the identity now", () => {
  it("cannot make up for code that is known to have changed under review", () => {
    const clean = given([created()], [...reviewed("Clean"), batchCompleted(tree("t2"))])
    const unknown: Identity = { _tag: "Unknown", why: "no git" }
    for (const now of [unknown, tree("t1"), tree("t2"), null]) assert.isTrue(targetChanged(clean, now))
    assert.isFalse(targetChanged(given([created()], [...reviewed("Clean"), batchCompleted(unknown)]), unknown))
  })

  it("says nothing about a batch that is not started", () =>
    assert.isFalse(targetChanged(given([created()]), tree("t2"))))

  const cases: ReadonlyArray<readonly [string, ReadonlyArray<Event>, boolean]> = [
    ["a batch that is not started", [], false],
    ["reviewers that run", [batchStarted(), started()], false],
    ["a clean batch", reviewed("Clean"), true],
    ["a batch with issues", reviewed("Clean", "HasIssues"), false],
    ["slots that wait for their turn", [batchStarted(), started(), finished("Clean")], false],
    ["stopped slots", [batchStarted(), started(), stopped()], true],
    ["failed slots", [batchStarted({ size: 1 }), started(), failed()], true]
  ]
  for (const [name, events, needed] of cases) {
    it(`is ${needed ? "" : "not "}needed for ${name}`, () =>
      assert.strictEqual(needsIdentity(given([created()], events), 2), needed))
  }
})
