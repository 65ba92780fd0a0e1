// Reviews: reviews of a cycle's work, and what the analysis of the first one leaves to be fixed.
// Every judgement is committed, so that what was said once is told again and nobody is asked twice.
import { Effect } from "effect"
import type { AgentOrder, AgentResult } from "../agents/AgentOrder.ts"
import { type AskedReview, askForReview, type ReviewOrder } from "../agents/AskForReview.ts"
import { runAgent } from "../agents/RunAgent.ts"
import type { ReviewIssue } from "../core/agent/PlanReview.ts"
import { type AgentTask, defaultLimits } from "../core/agent/Task.ts"
import { isLasting } from "../core/agent/TaskProgress.ts"
import { analyse, analysisJsonSchema } from "../core/implement/Analysis.ts"
import { analysisPrompt } from "../core/implement/AnalysisPrompt.ts"
import { type GivenReview, reviewBlock } from "../core/implement/PlanParts.ts"
import { claimed, type CycleState } from "../core/implement/PlanState.ts"
import { reReviewPrompt } from "../core/implement/ReReviewPrompt.ts"
import { reviewPrompt } from "../core/implement/ReviewPrompt.ts"
import { lastOfStep, stepIdOf } from "../core/implement/Steps.ts"
import type { Plan } from "../core/plan/Plan.ts"
import { brief } from "../core/text/Untrusted.ts"
import { keepLong } from "../runs/KeepLong.ts"
import { presentIdentity } from "../runs/PresentIdentity.ts"
import { PlanFiles } from "../services/PlanFiles.ts"
import { record } from "../driving/Work.ts"
import { contextOf, messageOf, othersOf, tasksOf } from "./Orders.ts"
import type { Working } from "./Working.ts"

const reviewRole = "spec-reviewer"

// An event holds at most 64 KiB. The whole review is kept beside the log.
const bounds = { issues: 20, place: 300, description: 800, suggestion: 400, document: 20_000 } as const

const short = ({ description, place, severity, suggestion }: ReviewIssue): ReviewIssue => ({
  severity,
  place: place === null ? null : brief(place, bounds.place),
  description: brief(description, bounds.description),
  suggestion: brief(suggestion, bounds.suggestion)
})

/** What every agent that only reads is asked with. */
const reading = ({ run, settings }: Working, taskId: string, prompt: string) => ({
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

const baseOf = ({ settings: { step: { target } } }: Working): string | null =>
  target._tag === "Base" ? target.branch : null

const wordsOf = Effect.fnUntraced(function*(working: Working, plan: Plan, cycle: CycleState, round: number) {
  const { driver: { state }, file } = working
  const { cycle: number } = cycle.started
  const done = tasksOf(plan, claimed(cycle))
  const pending = othersOf(plan, claimed(cycle))
  const base = baseOf(working)
  if (round === 0) {
    const tester = messageOf(lastOfStep(state, number, { _tag: "Test" }))
    return reviewPrompt({ plan: contextOf(file, plan), done, pending, tester, base })
  }
  const before = cycle.reviews.findLast((one) => one.round === round - 1)
  const previous = { issues: before?.issues ?? [], text: before?.review.text ?? "" }
  const fixer = messageOf(lastOfStep(state, number, { _tag: "Fix", round }))
  return reReviewPrompt({ planFile: file, previous, fixer, done, pending, base })
})

/** The round of a review. Reviewers up to the number `after` saw other code than there is now. */
export interface Asked {
  readonly round: number
  readonly after: number
}

/** The review of a round: asked for, or told again where it was given before. */
const told = Effect.fnUntraced(
  function*(working: Working, plan: Plan, cycle: CycleState, { after, round }: Asked) {
    const taskId = stepIdOf(cycle.started.cycle, { _tag: "Review", round })
    const order: ReviewOrder = { ...reading(working, taskId, yield* wordsOf(working, plan, cycle, round)), after }
    return yield* askForReview(working.driver, order)
  }
)

/** The last review of a round again, which was recorded. */
const toldAgain = (working: Working, plan: Plan, cycle: CycleState, round: number) => {
  const [, before] = cycle.reviews.filter((one) => one.round === round).toReversed()
  return told(working, plan, cycle, { round, after: before?.agent ?? 0 })
}

/** What an agent came to that did not bring its work to an end. */
export type Unfinished = Exclude<AskedReview, { readonly _tag: "Reviewed" }>

/**
 * Asks for the review of a round and records it, with the code as it was when this call began to ask; what came instead
 * of a review is given back.
 */
export const review = Effect.fn("Reviews.review")(
  function*(working: Working, plan: Plan, cycle: CycleState, asked: Asked) {
    const { round } = asked
    const content = yield* presentIdentity(working.run.manifest)
    const { driver, result } = yield* told(working, plan, cycle, asked)
    const now = { ...working, driver }
    if (result._tag !== "Reviewed") return { working: now, unfinished: result }
    const { agent, issues, problems, text, verdict } = result
    const reviewed = yield* record(now, [{
      _tag: "CodeReviewed",
      cycle: cycle.started.cycle,
      round,
      agent,
      verdict,
      issues: issues.slice(0, bounds.issues).map(short),
      problems: problems.map((problem) => brief(problem, bounds.description)),
      review: yield* keepLong(working.run.ref, text),
      content
    }])
    return { working: reviewed, unfinished: null }
  }
)

const analysisTask = (cycle: CycleState): string => stepIdOf(cycle.started.cycle, { _tag: "Analyse" })

/** The words of the analysis of a cycle's first review: asked for, or told again. */
const analysisOf = Effect.fnUntraced(function*(working: Working, plan: Plan, cycle: CycleState, given: GivenReview) {
  const { driver: { state }, file, run } = working
  const { cycle: number } = cycle.started
  const known = lastOfStep(state, number, { _tag: "Analyse" })
  const prompt = analysisPrompt({
    planFile: file,
    review: given,
    reviewDocument: yield* (yield* PlanFiles).document(run.manifest.worktree, "REVIEW.md", bounds.document),
    done: tasksOf(plan, claimed(cycle)),
    pending: tasksOf(plan, othersOf(plan, claimed(cycle)).map(({ index }) => index)),
    implementer: messageOf(lastOfStep(state, number, { _tag: "Implement" }))
  })
  const asked = reading(working, analysisTask(cycle), prompt)
  const task: AgentTask = { ...asked.task, sandbox: "read-only", answer: analysisJsonSchema() }
  const order: AgentOrder = { ...asked, agent: known?.agent ?? state.agents.agents.length + 1, task }
  return { agent: order.agent, ...(yield* runAgent(working.driver, order)) }
})

const answerOf = (result: AgentResult): string | null =>
  result._tag === "Ended" && result.ending._tag === "Done" ? result.ending.message : null

/** Whether an analysis cannot be made now, so that a person must act first. Any other failure leaves the raw review. */
const isHalted = (result: AgentResult): result is Extract<AgentResult, { readonly _tag: "Ended" }> =>
  result._tag === "Ended" && result.ending._tag !== "Done" && result.ending._tag !== "Reported" &&
  isLasting(result.ending._tag)

const analysedAgain = Effect.fnUntraced(function*(working: Working, plan: Plan, cycle: CycleState) {
  const first = yield* toldAgain(working, plan, cycle, 0)
  const { issues, review } = cycle.reviews.at(-1) ?? { issues: [], review: { text: "" } }
  const given: GivenReview = first.result._tag === "Reviewed" ? first.result : { issues, text: review.text }
  const asked = yield* analysisOf({ ...working, driver: first.driver }, plan, cycle, given)
  const pending = tasksOf(plan, othersOf(plan, claimed(cycle)).map(({ index }) => index))
  return { ...asked, analysed: analyse({ review: given, pending, answer: answerOf(asked.result) }) }
})

/** Asks what of a cycle's first review is to be fixed, and records it; what came instead is given back. */
export const analysis = Effect.fn("Reviews.analysis")(function*(working: Working, plan: Plan, cycle: CycleState) {
  const { agent, analysed, driver, result } = yield* analysedAgain(working, plan, cycle)
  const now = { ...working, driver }
  if (result._tag === "Stopped") return { working: now, unfinished: { ...result, agent } satisfies Unfinished }
  if (isHalted(result)) {
    const { ending, remedy } = result
    return { working: now, unfinished: { _tag: "Halted", agent, ending, remedy } satisfies Unfinished }
  }
  const { dropped, instructions, needsFixes, problems } = analysed
  const recorded = yield* record(now, [{
    _tag: "ReviewAnalysed",
    cycle: cycle.started.cycle,
    agent,
    needsFixes,
    instructions: yield* keepLong(working.run.ref, instructions),
    dropped: dropped.slice(0, bounds.issues),
    problems
  }])
  return { working: recorded, unfinished: null }
})

/** What a fixer is to do: what the analysis left of the first review, later the whole review before. */
export const instructionsFor = Effect.fn("Reviews.instructionsFor")(
  function*(working: Working, plan: Plan, cycle: CycleState, round: number) {
    if (round <= 1) {
      const known = cycle.analysed?.instructions
      return known?.rest === undefined
        ? known?.text ?? ""
        : (yield* analysedAgain(working, plan, cycle)).analysed.instructions
    }
    const { result } = yield* toldAgain(working, plan, cycle, round - 1)
    return result._tag === "Reviewed" ? reviewBlock(result) : cycle.reviews.at(-1)?.review.text ?? ""
  }
)
