// Reviews: reviews of a cycle's work.
// Every judgement is committed, so that what was said once is told again and nobody is asked twice.
import { Effect } from "effect"
import { type ReviewOutcome, askForReview, type ReviewOrder } from "../../agent/AskForReview.ts"
import type { AgentOrder, AgentResult } from "../../agent/Order.ts"
import type { ReviewIssue } from "../../agent/PlanReview.ts"
import { runAgent } from "../../agent/RunAgent.ts"
import type { AgentState } from "../../agent/State.ts"
import type { AgentTask } from "../../agent/Task.ts"
import { isLasting, isOpen } from "../../agent/TaskProgress.ts"
import { presentIdentity } from "../../code/PresentIdentity.ts"
import type { Identity } from "../../run/Identity.ts"
import { takeFitting, keepLong } from "../../run/LongText.ts"
import { brief } from "../../text/Untrusted.ts"
import { record } from "../Drive.ts"
import { messageOf, orderOf } from "../Kernel.ts"
import { analyse, analysisJsonSchema } from "./Analysis.ts"
import type { PlanDrive } from "./Drive.ts"
import { comparable } from "./OpenPlan.ts"
import { contextOf, othersOf, tasksOf } from "./Orders.ts"
import { PlanFiles } from "./PlanFiles.ts"
import {
  analysisPrompt,
  type GivenReview,
  reReviewPrompt,
  reviewBlock,
  reviewPrompt,
  type Scope,
  scopeSince
} from "./Prompts.ts"
import { claimed, type CycleState, firstUnmarked } from "./State.ts"
import { lastOfStep, stepIdOf } from "./Steps.ts"
import type { Plan } from "./file/Plan.ts"

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
const reading = (drive: PlanDrive, taskId: string, prompt: string) =>
  orderOf(drive, { role: reviewRole, taskId, prompt })

/** What the work is held against: the run's own branch, or all that was done since tasks were marked last. */
const scopeOf = ({ driver: { state }, settings: { step: { target } } }: PlanDrive, now: Identity): Scope => {
  if (target._tag === "Base") return { _tag: "Since", revision: target.branch }
  const first = firstUnmarked(state)
  return first === null ? { _tag: "Uncommitted" } : scopeSince(first, now)
}

/** A review for those that come after it: all its issues, as far as they can be read again. */
const givenReview = Effect.fn("Reviews.givenReview")(
  function*(drive: PlanDrive, cycle: CycleState, round: number) {
    const { result } = yield* toldAgain(drive, cycle, round)
    const { issues, review } = cycle.reviews.findLast((one) => one.round === round) ??
      { issues: [], review: { text: "" } }
    return result._tag === "Reviewed" ? result : { issues, text: review.text } satisfies GivenReview
  }
)

const wordsOf = Effect.fnUntraced(
  function*(drive: PlanDrive, plan: Plan, cycle: CycleState, round: number, now: Identity) {
    const { driver: { state }, file } = drive
    const { cycle: number } = cycle.started
    const done = tasksOf(plan, claimed(cycle))
    const pending = othersOf(plan, claimed(cycle))
    const scope = scopeOf(drive, now)
    if (round === 0) {
      const tester = messageOf(lastOfStep(state, number, { _tag: "Test" }))
      return reviewPrompt({ plan: contextOf(file, plan), done, pending, tester, scope })
    }
    const previous = yield* givenReview(drive, cycle, round - 1)
    const fixer = messageOf(lastOfStep(state, number, { _tag: "Fix", round }))
    return reReviewPrompt({ planFile: file, previous, fixer, done, pending, scope })
  }
)

/** After which fix a review is asked for. Reviewers up to the number `after` saw other code than there is now. */
interface Asked {
  readonly fix: number
  readonly after: number
}

/** The reviewers of a task. */
const reviewersOf = ({ driver: { state } }: PlanDrive, taskId: string) =>
  state.agents.agents.filter(({ started }) => started.taskId === taskId)

/**
 * The review of a round: asked for, or told again where it was given before. Reviewers that failed in an earlier call
 * are not used again.
 */
const told = Effect.fnUntraced(
  function*(drive: PlanDrive, cycle: CycleState, { after, fix: round }: Asked, prompt: string) {
    const taskId = stepIdOf(cycle.started.cycle, { _tag: "Review", round })
    const failed = reviewersOf(drive, taskId).findLast(({ judged }) => judged?.action === "block")?.agent ?? 0
    const past = Math.max(after, failed)
    const order: ReviewOrder = { ...reading(drive, taskId, prompt), looks: true, after: past }
    const { driver, result } = yield* askForReview(drive.driver, order)
    const first = reviewersOf({ ...drive, driver }, taskId).find(({ agent }) => agent > past)
    return { driver, result, saw: first?.started.before ?? null }
  }
)

/** The last review of a round again, which was recorded: its reviewers are over, so nobody reads a prompt. */
const toldAgain = (drive: PlanDrive, cycle: CycleState, round: number) => {
  const [, before] = cycle.reviews.filter((one) => one.round === round).toReversed()
  return told(drive, cycle, { fix: round, after: before?.agent ?? 0 }, "")
}

/** What an agent came to that did not bring its work to an end. */
export type Unfinished = Exclude<ReviewOutcome, { readonly _tag: "Reviewed" }>

/**
 * Asks for the review of a round and records it, with the code as it was when its first reviewer began, whoever started
 * that one; what came instead of a review is given back.
 */
export const review = Effect.fn("Reviews.review")(
  function*(drive: PlanDrive, plan: Plan, cycle: CycleState, asked: Asked) {
    const { fix: round } = asked
    // A reviewer who cannot compare anything may well find nothing.
    yield* comparable(drive.run.manifest, drive.asked)
    const content = yield* presentIdentity(drive.run.manifest)
    const prompt = yield* wordsOf(drive, plan, cycle, round, content)
    const { driver, result, saw } = yield* told(drive, cycle, asked, prompt)
    const now = { ...drive, driver }
    if (result._tag !== "Reviewed") return { drive: now, unfinished: result }
    const { agent, issues, problems, text, verdict } = result
    const reviewed = yield* record(now, [{
      _tag: "CodeReviewed",
      cycle: cycle.started.cycle,
      round,
      agent,
      verdict,
      issues: takeFitting(issues.map(short), bounds.bytes),
      problems: problems.slice(0, bounds.problems).map((problem) => brief(problem, bounds.problem)),
      review: yield* keepLong(drive.run.ref, text),
      content: saw ?? content
    }])
    return { drive: reviewed, unfinished: null }
  }
)

// What the analysis of a cycle's first review leaves to be fixed.
// It is committed once, so that what was said is told again, and nobody is asked twice.

// An event has room for so many bytes of drops. The document is the repository's own, of how it is reviewed.
const analysisBounds = { drops: 28_000, document: 20_000 } as const

const analysisTask = (cycle: CycleState): string => stepIdOf(cycle.started.cycle, { _tag: "Analyse" })

/**
 * The analysis of a cycle's last review that can still be told. An analysis that was ended or could not begin is not
 * used again.
 */
const analystOf = (
  { driver: { state } }: PlanDrive,
  { reviews, started: { cycle } }: CycleState
): AgentState | null => {
  const last = lastOfStep(state, cycle, { _tag: "Analyse" })
  return last !== null && isOpen(last) && last.agent > (reviews.at(-1)?.agent ?? 0) ? last : null
}

/** The words of the analysis of a cycle's first review: asked for, or told again. */
const analysisOf = Effect.fnUntraced(function*(drive: PlanDrive, plan: Plan, cycle: CycleState, given: GivenReview) {
  const { driver: { state }, file, run } = drive
  const { cycle: number } = cycle.started
  const known = analystOf(drive, cycle)
  const prompt = analysisPrompt({
    planFile: file,
    review: given,
    reviewDocument: yield* (yield* PlanFiles).document(run.manifest.worktree, "REVIEW.md", analysisBounds.document),
    done: tasksOf(plan, claimed(cycle)),
    pending: tasksOf(plan, othersOf(plan, claimed(cycle)).map(({ index }) => index)),
    implementer: messageOf(lastOfStep(state, number, { _tag: "Implement" }))
  })
  const asked = reading(drive, analysisTask(cycle), prompt)
  const task: AgentTask = { ...asked.task, sandbox: "read-only", answer: analysisJsonSchema() }
  const order: AgentOrder = { ...asked, agent: known?.agent ?? state.agents.agents.length + 1, task }
  return { agent: order.agent, ...(yield* runAgent(drive.driver, order)) }
})

const answerOf = (result: AgentResult): string | null =>
  result._tag === "Ended" && result.ending._tag === "Done" ? result.ending.message : null

/** Whether an analysis cannot be made now, so that a person must act first. Any other failure leaves the raw review. */
const isHalted = (result: AgentResult): result is Extract<AgentResult, { readonly _tag: "Ended" }> =>
  result._tag === "Ended" && result.ending._tag !== "Done" && result.ending._tag !== "Reported" &&
  isLasting(result.ending._tag)

const analysedAgain = Effect.fnUntraced(function*(drive: PlanDrive, plan: Plan, cycle: CycleState) {
  const given = yield* givenReview(drive, cycle, 0)
  const asked = yield* analysisOf(drive, plan, cycle, given)
  const pending = tasksOf(plan, othersOf(plan, claimed(cycle)).map(({ index }) => index))
  return { ...asked, analysed: analyse({ review: given, pending, answer: answerOf(asked.result) }) }
})

/** Asks what of a cycle's first review is to be fixed, and records it; what came instead is given back. */
export const analysis = Effect.fn("Reviews.analysis")(function*(drive: PlanDrive, plan: Plan, cycle: CycleState) {
  const { agent, analysed, driver, result } = yield* analysedAgain(drive, plan, cycle)
  const now = { ...drive, driver }
  if (result._tag === "Stopped") return { drive: now, unfinished: { ...result, agent } satisfies Unfinished }
  if (isHalted(result)) {
    const { ending, remedy } = result
    return { drive: now, unfinished: { _tag: "Halted", agent, ending, remedy } satisfies Unfinished }
  }
  const { dropped, instructions, needsFixes, problems } = analysed
  const recorded = yield* record(now, [{
    _tag: "ReviewAnalysed",
    cycle: cycle.started.cycle,
    agent,
    needsFixes,
    instructions: yield* keepLong(drive.run.ref, instructions),
    dropped: takeFitting(dropped, analysisBounds.drops),
    problems
  }])
  return { drive: recorded, unfinished: null }
})

/** What a fixer is to do: what the analysis left of the first review, later the whole review before. */
export const instructionsFor = Effect.fn("Reviews.instructionsFor")(
  function*(drive: PlanDrive, plan: Plan, cycle: CycleState, round: number) {
    if (round <= 1) {
      const known = cycle.analysed?.instructions
      return known?.rest === undefined
        ? known?.text ?? ""
        : (yield* analysedAgain(drive, plan, cycle)).analysed.instructions
    }
    return reviewBlock(yield* givenReview(drive, cycle, round - 1))
  }
)
