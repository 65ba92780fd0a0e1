// ReviewedBatch: where a review's text is, the cost of reading it, and when a missing finding is gone.
// A slot without a review is never skipped.
import { assert, describe, it } from "vitest"
import { verdictOf } from "../../../../src/review/findings/Report.ts"
import {
  firstRead,
  isSettled,
  readingCost,
  wholeFile,
  withoutReview
} from "../../../../src/review/findings/ReviewedBatch.ts"
import { batchOf, failed, finished, report, running, started, wrote } from "../../../support/reviewedBatches.ts"

describe("the full text of a review", () => {
  const file = (source: "session" | "stdout" | "marker", out: number, review: boolean) => {
    const slot = finished(2, "HasIssues", out)
    if (slot._tag !== "Finished") return assert.fail("a finished slot")
    const files = review ? { ...slot.files, review: slot.files.out } : slot.files
    return wholeFile(batchOf(1, [], { missing: [{ ...slot, source, files }] }), 2).split("/").at(-1)
  }

  it("is where the verdict was read", () => {
    assert.strictEqual(file("session", 10, true), "low-2.review.json")
    assert.strictEqual(file("session", 10, false), "low-2.out")
    assert.strictEqual(file("stdout", 10, false), "low-2.out")
    assert.strictEqual(file("marker", 10, false), "low-2.out")
    assert.strictEqual(file("marker", 0, false), "low-2.log")
  })

  it("is the transcript for a slot without a review", () =>
    assert.match(wholeFile(batchOf(1, [], { missing: [failed(2, "no")] }), 2), /low-2\.log$/))
})

describe("reading", () => {
  const sized = (...bytes: ReadonlyArray<number>) => started(bytes.map((size, i) => finished(i + 1, "HasIssues", size)))

  it("costs nothing for clean reviews, and a limited amount for large ones", () => {
    assert.strictEqual(readingCost(started([finished(1, "Clean", 10 ** 9), failed(2, "no"), running(3)])), 0)
    assert.strictEqual(readingCost(sized(10 ** 9)), readingCost(sized(8 * 1024 * 1024)))
    assert.isAbove(readingCost(sized(0)), 0)
  })

  it("begins with the oldest batch that fits the limit, and always includes the last", () => {
    const one = readingCost(sized(1000))
    const five = Array.from({ length: 5 }, () => sized(1000))
    assert.deepStrictEqual([5, 4, 2, 1, 0].map((n) => firstRead(five, n * one)), [0, 1, 3, 4, 4])
    assert.strictEqual(firstRead([], 0), 0)
  })
})

describe("a batch", () => {
  it("lists every slot without a review, and why", () =>
    assert.deepStrictEqual(
      withoutReview(started([
        finished(1, "Clean"),
        failed(2, "Quota: used up"),
        running(3),
        { _tag: "Queued", slot: 4, attempts: 0, tries: 0 },
        { _tag: "Queued", slot: 5, attempts: 1, tries: 0 }
      ])).map(({ slot, state, why }) => [slot, state, why]),
      [
        [2, "Failed", "Quota: used up"],
        [3, "Running", "still running"],
        [4, "Queued", "not started"],
        [5, "Queued", "to be run again"]
      ]
    ))

  it("is settled when all reviews are there and complete", () => {
    assert.isTrue(isSettled(batchOf(1, [wrote(1)])))
    assert.isFalse(isSettled(batchOf(1, [], { missing: [running(1)] })))
  })

  it("has no findings only if every slot has a review", () => {
    assert.strictEqual(verdictOf(report(batchOf(1, []))), "None")
    assert.strictEqual(verdictOf(report(batchOf(1, [wrote(1)], { missing: [failed(2, "no")] }))), "Findings")
    assert.strictEqual(
      verdictOf(report(batchOf(1, [], { unlisted: [{ slot: 1, reason: "x", body: "" }] }))),
      "Findings"
    )
    assert.strictEqual(verdictOf(report(batchOf(1, [], { missing: [failed(2, "no")] }))), "Unknown")
    assert.strictEqual(verdictOf(report(batchOf(1, [], { missing: [running(2)] }))), "Unknown")
    // Recorded with issues, but nothing of it could be read.
    assert.strictEqual(verdictOf(report(batchOf(1, [], { missing: [finished(2, "HasIssues")] }))), "Unknown")
  })

  it("knows what is gone now, what was gone before, and what is missing in this batch", () => {
    const old = wrote(1, { title: "Close the socket", path: "c.ts" })
    const counts = (of: ReturnType<typeof report>) => [of.gone.length, of.goneBefore, of.unseen.length]
    assert.deepStrictEqual(counts(report(batchOf(1, [wrote(1), old]), batchOf(2, [wrote(1)]), batchOf(3, []))), [
      1,
      1,
      0
    ])
    assert.deepStrictEqual(
      counts(report(batchOf(1, [wrote(1), old]), batchOf(2, [wrote(1)]), batchOf(3, [], { missing: [running(1)] }))),
      [0, 1, 1]
    )
  })

  it("numbers the neighbours of a finding, never the finding itself", () => {
    const twins = report(batchOf(1, [wrote(1), wrote(2, { lines: [90, 91] })]))
    assert.deepStrictEqual(twins.findings.map(({ near }) => near), [[2], [1]])
  })
})
