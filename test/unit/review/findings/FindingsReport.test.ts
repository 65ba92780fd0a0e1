// FindingsReport: what a batch amounts to, and which findings lie close together.
// The one rule: a batch in which a review is missing is never reported as having no findings.
import { assert, describe, it } from "vitest"
import { verdictOf } from "../../../../src/review/findings/Report.ts"
import { batchOf, failed, report, running, wrote } from "./reviewedBatches.ts"

const of = (...batch: Parameters<typeof batchOf>) => verdictOf(report(batchOf(...batch)))

describe("verdictOf", () => {
  it("is none where every review is clean", () => assert.strictEqual(of(1, []), "None"))

  it("is findings where there are any, also while reviews are missing", () => {
    assert.strictEqual(of(1, [wrote(1)]), "Findings")
    assert.strictEqual(of(1, [wrote(1)], { missing: [failed(2, "x")] }), "Findings")
    assert.strictEqual(of(1, [], { unlisted: [{ slot: 1, reason: "in-doubt", body: "x" }] }), "Findings")
  })

  it("is unknown where nothing was found and a review is missing", () => {
    assert.strictEqual(of(1, [], { missing: [failed(2, "x")] }), "Unknown")
    assert.strictEqual(of(1, [], { missing: [running(3)] }), "Unknown")
  })
})
