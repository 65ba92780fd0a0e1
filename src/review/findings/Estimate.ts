// Estimate: how many findings a further reviewer of the same kind would add, estimated from who reported which.
// docs/estimate.md says where the formulas come from, how far off they are, and what they must not be used for.
import { slotsOf } from "../../run/Batch.ts"
import { counted } from "../../text/Phrases.ts"
import type { ReviewedBatch } from "./ReviewedBatch.ts"

/** The observation: so many findings by so many reviewers. */
interface Seen {
  readonly found: number
  readonly reviewers: number
}

/** Findings that no reviewer has reported yet: about `more`, between `low` and `high`. */
export interface ExpectedFindings extends Seen {
  readonly _tag: "Expected"
  readonly more: number
  readonly low: number
  readonly high: number
  /** The estimator behind `more`, and the results of both. The bounds hold the intervals of both. */
  readonly by: "ChaoMt" | "Jackknife"
  readonly chaoMt: number
  readonly jackknife: number
}

/** Why there is no estimate. `Incomplete`: not every finding of every review is known. */
type NoEstimateReason = "NoFindings" | "OneReviewer" | "NoOverlap" | "Incomplete"

/** Nothing is known of what is left. */
interface NoEstimate extends Seen {
  readonly _tag: "Silent"
  readonly because: NoEstimateReason
}

/** The estimate of the findings that no reviewer has reported yet. */
export type Estimate = ExpectedFindings | NoEstimate

interface Interval {
  readonly low: number
  readonly high: number
}

// For intervals of 95 percent.
const z = 1.96

/** The interval on a logarithmic scale: what is left is never negative, and may be far more than expected. */
const around = (more: number, variance: number): Interval => {
  const factor = Math.exp(z * Math.sqrt(Math.log(1 + variance / more ** 2)))
  return { low: more / factor, high: more * factor }
}

/** The interval if nothing more is expected: how many unseen findings fit the frequency of the seen ones. */
const none = (found: number, reports: number): Interval => {
  const missed = Math.exp(-reports / found)
  return { low: 0, high: (found * missed + z * Math.sqrt(found * missed)) / (1 - missed) }
}

/** The variance of an estimate by the delta method; each group of findings adds to the estimate at its own rate. */
const varianceOf = (total: number, groups: ReadonlyArray<{ readonly size: number; readonly rate: number }>): number =>
  Math.max(0, groups.reduce((sum, { rate, size }) => sum + size * rate ** 2, 0) - total)

const rounded = (value: number): number => Math.round(value * 100) / 100

/** The estimate from the `reviewers` that reported each finding; other reporters do not count. */
export const estimate = (
  histories: ReadonlyArray<ReadonlyArray<number>>,
  reviewers: ReadonlyArray<number>
): Estimate => {
  const known = new Set(reviewers)
  const seen = histories.map((by) => [...new Set(by)].filter((one) => known.has(one))).filter(({ length }) =>
    length > 0
  )
  const found = seen.length
  const silent = (because: NoEstimateReason): NoEstimate => ({ _tag: "Silent", found, reviewers: known.size, because })
  if (found === 0) return silent("NoFindings")
  if (known.size < 2) return silent("OneReviewer")
  if (seen.every(({ length }) => length === 1)) return silent("NoOverlap")

  const reports = seen.reduce((sum, { length }) => sum + length, 0)
  const alone = seen.filter(({ length }) => length === 1).map(([one]) => one)
  const [once, twice] = [alone.length, seen.filter(({ length }) => length === 2).length]
  const own = [...known].map((reviewer) => alone.filter((one) => one === reviewer).length)
  // Pairs of findings that were reported by one reviewer each, and not the same one.
  const pairs = (once ** 2 - own.reduce((sum, size) => sum + size ** 2, 0)) / 2
  const chaoMt = pairs / (twice + 1)
  const chaoVariance = varianceOf(found + chaoMt, [
    ...own.map((size) => ({ size, rate: 1 + (once - size) / (twice + 1) })),
    { size: twice, rate: 1 - pairs / (twice + 1) ** 2 },
    { size: found - once - twice, rate: 1 }
  ])
  const share = (known.size - 1) / known.size
  const jackknife = share * once
  const intervals = [
    chaoMt === 0 ? none(found, reports) : around(chaoMt, chaoVariance),
    jackknife === 0 ? none(found, reports) : around(jackknife, once * share * (1 + share))
  ]
  const by = known.size === 2 ? "ChaoMt" : "Jackknife"
  return {
    _tag: "Expected",
    found,
    reviewers: known.size,
    more: Math.round(by === "ChaoMt" ? chaoMt : jackknife),
    low: Math.floor(Math.min(...intervals.map(({ low }) => low))),
    high: Math.ceil(Math.max(...intervals.map(({ high }) => high))),
    by,
    chaoMt: rounded(chaoMt),
    jackknife: rounded(jackknife)
  }
}

/** The estimate for a batch, by its finished reviews. */
export const estimateOf = ({ dropped, findings, read, started, unlisted }: ReviewedBatch): Estimate => {
  const finished = slotsOf(started, "Finished").map(({ slot }) => slot)
  const whole = read && dropped === 0 && unlisted.length === 0
  if (whole) return estimate(findings.map(({ detectedBy }) => detectedBy), finished)
  return { _tag: "Silent", found: findings.length, reviewers: finished.length, because: "Incomplete" }
}

/** The estimate on one line; null if there is nothing to say. */
export const estimateText = (of: Estimate): string | null => {
  const seen = `${of.found} found by ${counted(of.reviewers, "reviewer")}`
  if (of._tag === "Expected") {
    if (of.more > 0) return `${seen}, about ${of.more} more expected, ${of.low} to ${of.high}`
    return `${seen}, no more expected${of.high === 0 ? "" : `, perhaps ${of.high === 1 ? "" : "up to "}${of.high}`}`
  }
  return of.because === "NoOverlap" && of.found > 1
    ? `${seen}, none by two of them: how many more there are is unknown, and may be many`
    : null
}
