// Reviews: reviews of a cycle's work.
// Every judgement is committed, so that what was said once is told again and nobody is asked twice.
import { Effect } from "effect"
import { type AskedReview, askForReview, type ReviewOrder } from "../agents/AskForReview.ts"
import type { ReviewIssue } from "../core/agent/PlanReview.ts"
import { defaultLimits } from "../core/agent/Task.ts"
import type { GivenReview } from "../core/implement/PlanParts.ts"
import { claimed, type CycleState, firstUnmarked } from "../core/implement/PlanState.ts"
import { reReviewPrompt } from "../core/implement/ReReviewPrompt.ts"
import { reviewPrompt } from "../core/implement/ReviewPrompt.ts"
import { type Scope, scopeSince } from "../core/implement/Scope.ts"
import { lastOfStep, stepIdOf } from "../core/implement/Steps.ts"
import type { Plan } from "../core/plan/Plan.ts"
import type { Identity } from "../core/run/Identity.ts"
import { fitting } from "../core/text/Fitting.ts"
import { brief } from "../core/text/Untrusted.ts"
import { keepLong } from "../runs/KeepLong.ts"
import { presentIdentity } from "../runs/PresentIdentity.ts"
import { record } from "../driving/Work.ts"
import { comparable } from "./OpenPlan.ts"
import { contextOf, messageOf, othersOf, tasksOf } from "./Orders.ts"
import type { Working } from "./Working.ts"

const reviewRole = "spec-reviewer"

// An event has room for so many bytes of issues. What the agent printed and the text kept beside the log are whole.
const bounds = { bytes: 30_000, place: 300, description: 800, suggestion: 400, problems: 5, problem: 300 } as const

const short = ({ description, place, severity, suggestion }: ReviewIssue): ReviewIssue => ({
  severity,
  place: place === null ? null : brief(place, bounds.place),
  description: brief(description, bounds.description),
  suggestion: brief(suggestion, bounds.suggestion)
})

/** What every agent that only reads is asked with. */
export const reading = ({ run, settings }: Working, taskId: string, prompt: string) => ({
  task: {
    role: reviewRole,
    taskId,
    prompt,
    cwd: run.manifest.worktree,
    effort: settings.agentEffort,
    model: settings.agentModel,
    findings: null,
    limits: { ...defaultLimits, timeout: settings.agentTimeout }
  } as const,
  allow: settings.allow,
  waitQuota: settings.waitQuota,
  ...(settings.maxTokens === null ? {} : { budget: settings.maxTokens })
})

/** What the work is held against: the run's own branch, or all that was done since tasks were marked last. */
const scopeOf = ({ driver: { state }, settings: { step: { target } } }: Working, now: Identity): Scope => {
  if (target._tag === "Base") return { _tag: "Since", revision: target.branch }
  const first = firstUnmarked(state)
  return first === null ? { _tag: "Uncommitted" } : scopeSince(first, now)
}

/** A review for those that come after it: all its issues, as far as they can be read again. */
export const givenReview = Effect.fn("Reviews.givenReview")(
  function*(working: Working, cycle: CycleState, round: number) {
    const { result } = yield* toldAgain(working, cycle, round)
    const { issues, review } = cycle.reviews.findLast((one) => one.round === round) ??
      { issues: [], review: { text: "" } }
    return result._tag === "Reviewed" ? result : { issues, text: review.text } satisfies GivenReview
  }
)

const wordsOf = Effect.fnUntraced(
  function*(working: Working, plan: Plan, cycle: CycleState, round: number, now: Identity) {
    const { driver: { state }, file } = working
    const { cycle: number } = cycle.started
    const done = tasksOf(plan, claimed(cycle))
    const pending = othersOf(plan, claimed(cycle))
    const scope = scopeOf(working, now)
    if (round === 0) {
      const tester = messageOf(lastOfStep(state, number, { _tag: "Test" }))
      return reviewPrompt({ plan: contextOf(file, plan), done, pending, tester, scope })
    }
    const previous = yield* givenReview(working, cycle, round - 1)
    const fixer = messageOf(lastOfStep(state, number, { _tag: "Fix", round }))
    return reReviewPrompt({ planFile: file, previous, fixer, done, pending, scope })
  }
)

/** The round of a review. Reviewers up to the number `after` saw other code than there is now. */
export interface Asked {
  readonly round: number
  readonly after: number
}

/** The reviewers of a task. */
const reviewersOf = ({ driver: { state } }: Working, taskId: string) =>
  state.agents.agents.filter(({ started }) => started.taskId === taskId)

/**
 * The review of a round: asked for, or told again where it was given before. Reviewers that failed in an earlier call
 * are not used again.
 */
const told = Effect.fnUntraced(
  function*(working: Working, cycle: CycleState, { after, round }: Asked, prompt: string) {
    const taskId = stepIdOf(cycle.started.cycle, { _tag: "Review", round })
    const failed = reviewersOf(working, taskId).findLast(({ judged }) => judged?.action === "block")?.agent ?? 0
    const past = Math.max(after, failed)
    const order: ReviewOrder = { ...reading(working, taskId, prompt), looks: true, after: past }
    const { driver, result } = yield* askForReview(working.driver, order)
    const first = reviewersOf({ ...working, driver }, taskId).find(({ agent }) => agent > past)
    return { driver, result, saw: first?.started.before ?? null }
  }
)

/** The last review of a round again, which was recorded: its reviewers are over, so nobody reads a prompt. */
const toldAgain = (working: Working, cycle: CycleState, round: number) => {
  const [, before] = cycle.reviews.filter((one) => one.round === round).toReversed()
  return told(working, cycle, { round, after: before?.agent ?? 0 }, "")
}

/** What an agent came to that did not bring its work to an end. */
export type Unfinished = Exclude<AskedReview, { readonly _tag: "Reviewed" }>

/**
 * Asks for the review of a round and records it, with the code as it was when its first reviewer began, whoever started
 * that one; what came instead of a review is given back.
 */
export const review = Effect.fn("Reviews.review")(
  function*(working: Working, plan: Plan, cycle: CycleState, asked: Asked) {
    const { round } = asked
    // A reviewer who cannot compare anything may well find nothing.
    yield* comparable(working.run.manifest, working.asked)
    const content = yield* presentIdentity(working.run.manifest)
    const prompt = yield* wordsOf(working, plan, cycle, round, content)
    const { driver, result, saw } = yield* told(working, cycle, asked, prompt)
    const now = { ...working, driver }
    if (result._tag !== "Reviewed") return { working: now, unfinished: result }
    const { agent, issues, problems, text, verdict } = result
    const reviewed = yield* record(now, [{
      _tag: "CodeReviewed",
      cycle: cycle.started.cycle,
      round,
      agent,
      verdict,
      issues: fitting(issues.map(short), bounds.bytes),
      problems: problems.slice(0, bounds.problems).map((problem) => brief(problem, bounds.problem)),
      review: yield* keepLong(working.run.ref, text),
      content: saw ?? content
    }])
    return { working: reviewed, unfinished: null }
  }
)
