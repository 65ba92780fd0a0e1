// FailOn: what fails a job.
import { assert, describe, it } from "vitest"
import { FailOn, fails, openFindings } from "../../../src/ci/Review.ts"
import type { FindingsReport } from "../../../src/review/findings/Report.ts"
import { batchOf, report, type Wrote, wrote } from "../review/findings/reviewedBatches.ts"

const found = (...all: ReadonlyArray<Wrote>): FindingsReport => report(batchOf(1, all.map((one) => wrote(1, one))))
const dismissed = (one: FindingsReport): FindingsReport => ({
  ...one,
  findings: one.findings.map((finding) => ({
    ...finding,
    dismissed: {
      at: "2026-01-01",
      until: null,
      reason: "so",
      scope: "run",
      path: null,
      priority: 1,
      wordings: [],
      fingerprint: "f"
    }
  }))
})
const failing = (reports: ReadonlyArray<FindingsReport>, isDone = true): ReadonlyArray<FailOn> =>
  FailOn.literals.filter((one) => fails(one, reports, isDone))

describe("a job", () => {
  it("passes a clean review", () => assert.deepStrictEqual(failing([found()]), []))

  it("fails for findings of the priority that is asked for and graver ones", () => {
    assert.deepStrictEqual(failing([found(), found({ priority: 2 })]), ["findings", "P2", "P3"])
    assert.deepStrictEqual(failing([found({ priority: 0 })]), ["findings", "P0", "P1", "P2", "P3"])
  })

  it("fails by every priority for a finding without one and for a review without a list", () => {
    const all: ReadonlyArray<FailOn> = ["findings", "P0", "P1", "P2", "P3"]
    assert.deepStrictEqual(failing([found({ priority: null })]), all)
    const unlisted = report(batchOf(1, [], { unlisted: [{ slot: 1, reason: "x", body: "Bad." }] }))
    assert.deepStrictEqual(failing([unlisted]), all)
    assert.strictEqual(openFindings([unlisted, found({})]), 2)
    // A finding that is not kept may be the gravest.
    assert.deepStrictEqual(failing([report(batchOf(1, [wrote(1, { priority: 3 })], { dropped: 1 }))]), all)
  })

  it("passes what is dismissed", () => {
    const report = dismissed(found({ priority: 0 }))
    assert.deepStrictEqual([failing([report]), openFindings([report])], [[], 0])
  })

  it("fails where the review is not done, unless nothing is to fail it", () =>
    assert.deepStrictEqual(failing([found()], false), FailOn.literals.filter((one) => one !== "never")))
})
