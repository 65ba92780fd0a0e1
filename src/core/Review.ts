// Review: one finished review as people and programs are shown it.
// The one rule: the verdict is the recorded one; findings explain it and never overrule it.
import type { Finding } from "./Finding.ts"
import type { Level } from "./Level.ts"

/** A finished review: its slot, its recorded verdict and reason, the findings in it, and its whole text. */
export interface Review {
  readonly slot: number
  readonly verdict: "Clean" | "HasIssues"
  readonly reason: string
  readonly findings: ReadonlyArray<Finding>
  readonly body: string
}

/** The finished reviews of one batch. */
export interface ReviewedBatch {
  readonly level: Level
  readonly batch: number
  readonly size: number
  readonly reviews: ReadonlyArray<Review>
}
