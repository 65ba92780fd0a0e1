// Estimate: how many findings are expected beyond the known ones, in hand-computed cases, and when there is no estimate.
import { assert, describe, it } from "vitest"
import { estimate, estimateOf, estimateText } from "../../../../src/review/findings/Estimate.ts"
import { batchOf, failed, wrote } from "../../../support/reviewedBatches.ts"

const of = (reviewers: number, ...histories: ReadonlyArray<ReadonlyArray<number>>) =>
  estimate(histories, Array.from({ length: reviewers }, (_, i) => i + 1))

describe("estimate", () => {
  it("is Chapman's for two reviewers: (n1 + 1)(n2 + 1) / (m + 1) - 1 in all", () => {
    // The first found 7, the second 6, both 4: 9 seen, 8 * 7 / 5 - 1 = 10.2 in all.
    const made = of(2, ...Array(4).fill([1, 2]), ...Array(3).fill([1]), ...Array(2).fill([2]))
    assert.deepInclude(made, { _tag: "Expected", found: 9, reviewers: 2, by: "ChaoMt", more: 1, chaoMt: 1.2 })
    assert.deepInclude(made, { low: 0, high: 10 })
  })

  it("is the jackknife's from three reviewers on: (t - 1) / t of the findings that one reviewer saw", () => {
    const made = of(3, [1, 2, 3], [1, 2], [2, 3], [1], [1], [3])
    // Pairs of findings of different reviewers only: 2 * 1; over two findings seen twice, plus one.
    assert.deepInclude(made, { by: "Jackknife", more: 2, jackknife: 2, chaoMt: 0.67, found: 6, reviewers: 3 })
  })

  it("does not pair findings of the same reviewer, for Chao's", () =>
    assert.deepInclude(of(2, [1, 2], [1], [1]), { more: 0, chaoMt: 0, jackknife: 1 }))

  it("expects no more if every finding was seen by several, but may be wrong by a few", () => {
    assert.deepInclude(of(3, [1, 2], [2, 3], [1, 2, 3]), { more: 0, low: 0, high: 2 })
    assert.deepInclude(of(3, ...Array(40).fill([1, 2])), { more: 0, low: 0, high: 12 })
    assert.deepInclude(of(8, ...Array(4).fill([1, 2, 3, 4, 5, 6, 7, 8])), { more: 0, low: 0, high: 1 })
  })

  it("is above zero when many findings were seen once", () => {
    const made = of(4, [1, 2], [3, 4], ...[1, 2, 3, 4].flatMap((one) => Array(6).fill([one])))
    assert.strictEqual(made._tag === "Expected" && made.low > 0 && made.high > made.more, true)
  })

  it("counts only finished reviewers, each once, and only their findings", () =>
    assert.deepEqual(estimate([[1, 2, 9], [1, 1], [9]], [1, 2, 2]), estimate([[1, 2], [1]], [2, 1])))

  it("does not exist for nothing, for one reviewer, and without overlap", () => {
    const because = (made: ReturnType<typeof of>) => made._tag === "Silent" ? made.because : made._tag
    assert.strictEqual(because(of(3)), "NoFindings")
    assert.strictEqual(because(of(1, [1], [1])), "OneReviewer")
    assert.strictEqual(because(of(3, [1], [2], [2])), "NoOverlap")
  })
})

describe("estimateOf", () => {
  const both = [wrote(1), wrote(2), wrote(3, { path: "c.ts" })]

  it("uses the finished reviews of a batch", () => {
    assert.deepInclude(estimateOf(batchOf(1, both)), { _tag: "Expected", found: 2, reviewers: 3 })
    const two = batchOf(1, [wrote(1), wrote(2)], { missing: [failed(3, "x")] })
    assert.deepInclude(estimateOf(two), { reviewers: 2, by: "ChaoMt" })
  })

  it("does not exist if findings are unknown", () => {
    const silent = { _tag: "Silent", because: "Incomplete", found: 2, reviewers: 3 } as const
    assert.deepInclude(estimateOf(batchOf(1, both, { dropped: 1 })), silent)
    assert.deepInclude(estimateOf(batchOf(1, both, { read: false })), silent)
    const unlisted = [{ slot: 2, reason: "in-doubt", body: "x" }]
    assert.deepInclude(estimateOf(batchOf(1, both, { unlisted })), silent)
  })
})

describe("estimateText", () => {
  it("says how many are expected, and the bounds", () =>
    assert.strictEqual(
      estimateText(of(3, [1, 2], [2, 3], [1, 3], [1, 2, 3], [1], [2], [3])),
      "7 found by 3 reviewers, about 2 more expected, 0 to 10"
    ))

  it("says that no more are expected", () => {
    assert.strictEqual(
      estimateText(of(3, [1, 2], [2, 3], [1, 2, 3])),
      "3 found by 3 reviewers, no more expected, perhaps up to 2"
    )
    assert.strictEqual(estimateText(of(3, [1, 2, 3])), "1 found by 3 reviewers, no more expected, perhaps 1")
  })

  it("says that the rest is unknown if reviewers found different things, and otherwise nothing", () => {
    assert.match(estimateText(of(3, [1], [2])) ?? "", /^2 found by 3 reviewers, none by two of them: .*is unknown/)
    assert.isNull(estimateText(of(3, [1])))
    assert.isNull(estimateText(of(1, [1], [1])))
    assert.isNull(estimateText(of(3)))
  })
})
