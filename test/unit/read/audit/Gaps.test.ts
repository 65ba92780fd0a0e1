// Gaps: what a claimed fixed point lacks, at its ceiling in every run and at every level in a strict one.
import { assert, describe, it } from "vitest"
import type { Event } from "../../../../src/run/Event.ts"
import type { Identity } from "../../../../src/run/Identity.ts"
import { gapsOf, proofOf } from "../../../../src/read/audit/Proof.ts"
import { batchCompleted, batchStarted, finished, opened, started, tree } from "../../run/events.ts"
import { advanced, cleanBatch, reached, shownBy } from "./cleanRuns.ts"

const gaps = (strict: boolean, ...events: ReadonlyArray<Event>) =>
  gapsOf(proofOf(shownBy(...events), { floor: "low", strict }, "borne out") ?? assert.fail("no fixed point"))
const unknown: Identity = { _tag: "Unknown", why: "git is gone" }
const climb = (
  low: Identity,
  medium = tree("t1")
) => [...cleanBatch("low", low), ...advanced("low", "medium"), ...cleanBatch("medium", medium), reached("medium")]

describe("a fixed point", () => {
  it("lacks nothing where every level was reviewed clean on the same code", () => {
    for (const strict of [true, false]) assert.deepStrictEqual(gaps(strict, ...climb(tree("t1"))), [])
  })

  it("that a mark declared lacks a clean batch: none ran, or it had issues", () => {
    const lacks = ["low batch 1: a mark declared the fixed point, and not every review of that batch was clean"]
    assert.deepStrictEqual(gaps(false, reached("low", "Mark")), lacks)
    const issues = [batchStarted({ size: 1 }), started(), finished("HasIssues"), batchCompleted(tree("t1"))]
    assert.deepStrictEqual(gaps(false, ...issues, reached("low", "Mark")), lacks)
  })

  it("lacks the batch it names where another one of the ceiling was clean", () =>
    assert.deepStrictEqual(
      gaps(false, ...cleanBatch("low"), opened("low", 2), { ...reached("low", "Mark"), batch: 2 } as Event),
      ["low batch 2: a mark declared the fixed point, and not every review of that batch was clean"]
    ))

  it("lacks a name of what was reviewed, or one state of it", () => {
    assert.deepStrictEqual(gaps(false, ...cleanBatch("low", unknown), reached("low")), [
      "low batch 1: what it reviewed is not known"
    ])
    assert.deepStrictEqual(
      gaps(false, ...cleanBatch("low", tree("t2"), { then: tree("t1") }), reached("low", "Mark")),
      [
        "low batch 1: it saw more than one state of the code"
      ]
    )
  })

  it("lacks what the levels below did not see, in a strict run alone", () => {
    const seen = [
      [tree("t2"), "low batch 1: it saw other code than the last clean batch"],
      [{ ...tree("t1"), head: "b".repeat(40) }, "low batch 1: it saw another HEAD or base than the last clean batch"],
      [unknown, "low batch 1: it is not known what it saw"]
    ] as const
    for (const [low, text] of seen) {
      assert.deepStrictEqual(gaps(true, ...climb(low)), [text])
      assert.deepStrictEqual(gaps(false, ...climb(low)), [])
    }
    const skipped = [opened("medium", 1), ...cleanBatch("medium"), reached("medium")]
    assert.deepStrictEqual(gaps(true, ...skipped), ["low: no batch with every review clean"])
    assert.deepStrictEqual(gaps(false, ...skipped), [])
  })

  it("lacks a level where its ceiling lies below the floor", () => {
    const shown = shownBy(...cleanBatch("low"), reached("low"))
    const proof = proofOf(shown, { floor: "high", strict: false }, "borne out") ?? assert.fail("no fixed point")
    assert.deepStrictEqual(gapsOf(proof), ["the ceiling low lies below the floor"])
  })
})
