// reviews: orders of reviews, and what reviewers of the tests say.
import { Effect } from "effect"
import { askForReview, type ReviewOrder } from "../../../src/agent/AskForReview.ts"
import { openDriver } from "../../../src/drive/converge/State.ts"
import type { ReviewIssue } from "../../../src/agent/PlanReview.ts"
import { runRef } from "../run/events.ts"
import { task } from "./orders.ts"

export const issue: ReviewIssue = {
  severity: "major",
  place: "src/a.ts:3",
  description: "The bound is off by one.",
  suggestion: "Use <=."
}

export const acceptable = JSON.stringify({ issues: [], verdict: "ACCEPTABLE" })
export const needsFixes = JSON.stringify({ issues: [issue], verdict: "NEEDS_FIXES" })
/** A review whose JSON is cut off. */
export const brokenFixes = needsFixes.slice(0, -1)
export const brokenAcceptable = acceptable.slice(0, -1)

export const reviewOrder = (change: Partial<ReviewOrder> = {}): ReviewOrder => {
  const { answer: _answer, sandbox: _sandbox, ...rest } = task({
    role: "code-quality-reviewer",
    prompt: "Review the bound."
  })
  return { task: rest, ...change }
}

/** What a review of the run's driver comes to, as its log stands now. */
export const askReview = (wanted = reviewOrder()) =>
  Effect.flatMap(openDriver(runRef()), (driver) => Effect.map(askForReview(driver, wanted), ({ result }) => result))
