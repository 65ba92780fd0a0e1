// TaskProgress: how far a task of agents has come, from the log alone.
import type { AgentKind } from "../log/Refs.ts"
import { render } from "../prompts/Prompt.ts"
import { brief, fence, fenced } from "../text/Untrusted.ts"
import type { AgentEnding, AgentFailure } from "./AgentEnding.ts"
import { readNothing } from "./CodexResult.ts"
import { checkSecondReading, type ReadReview, readReview } from "./PlanReview.ts"
import type { ExpectedResult, ResultStatus } from "./Result.ts"
import { initialResultState, nextAfterResult, type ResultState, retryPreamble } from "./ResultRetry.ts"
import { type AgentState, threadOf } from "./State.ts"

/** The task's counters, and the agents that were asked, oldest first. */
export interface TaskProgress {
  readonly counters: ResultState
  readonly asked: ReadonlyArray<AgentState>
  /** The agent that is open or was judged last; null if a new one is asked. */
  readonly agent: number | null
}

const agentsOf = (agents: ReadonlyArray<AgentState>, { role, taskId }: ExpectedResult): ReadonlyArray<AgentState> =>
  agents.filter(({ started }) => started.role === role && started.taskId === taskId)

const currentAgent = (asked: ReadonlyArray<AgentState>): number | null =>
  (asked.find(isAnswer) ?? asked.slice(-1).find(isOpen))?.agent ?? null

/** The progress of a task. The tokens of agents up to number `after` count, their results do not. */
export const taskProgress = (
  agents: ReadonlyArray<AgentState>,
  expected: ExpectedResult,
  after: number
): TaskProgress => {
  const all = agentsOf(agents, expected)
  const asked = all.filter(({ agent }) => agent > after)
  return {
    counters: all.reduce(
      (state, { judged }) => judged === null ? state : nextAfterResult(state, judged).state,
      initialResultState(expected.role)
    ),
    asked,
    agent: currentAgent(asked)
  }
}

/** The text in front of an agent's prompt: the retry preamble if the last judgement asks for it, or nothing. */
export const preambleOf = ({ asked }: TaskProgress, expected: ExpectedResult, agent: number): string => {
  const before = asked.findLast((one) => one.agent < agent && one.judged !== null)?.judged
  return before?.action === "retry" ? retryPreamble(expected, before.problems) : ""
}

/** Whether a fresh agent would meet the same failure, so that a person must act first. */
export const isLasting = (failure: AgentFailure["_tag"]): boolean => {
  switch (failure) {
    case "Login":
    case "Quota":
    case "BadArguments":
    case "Missing":
    case "SandboxDenied":
    case "Interrupted":
      return true
    case "RateLimited":
    case "ContextWindow":
    case "Overloaded":
    case "Stream":
    case "Idle":
    case "Deadline":
    case "Crashed":
    case "Empty":
      return false
  }
}

/** Whether an agent's result is missing, or not judged yet. */
export const isOpen = ({ judged, standing }: AgentState): boolean =>
  judged === null && standing._tag !== "Stopped" &&
  !(standing._tag === "Failed" && isLasting(standing.failed.failure))

/** Whether an agent's judgement ends its question. */
export const isAnswer = ({ judged }: AgentState): boolean =>
  judged?.action === "accept" || judged?.action === "remediate" || judged?.action === "block"

// The steps to a readable review: asked for, corrected on its thread, converted by a fresh agent.
// The log says which step is next, and each step is bounded.

/** The request to an agent. A `Correction` continues the reviewer's thread. */
type ReviewStep =
  | { readonly _tag: "Review" }
  | { readonly _tag: "Correction"; readonly thread: string; readonly problems: ReadonlyArray<string> }
  | { readonly _tag: "Conversion" }

/** How far a review has come. `earlier` are the agents with unreadable answers, since the last replacement. */
export interface ReviewProgress {
  readonly step: ReviewStep
  /** Whether a reviewer has failed before. */
  readonly failed: boolean
  /** The agent of this step that is open or was judged last; null if a new one is asked. */
  readonly agent: number | null
  readonly earlier: ReadonlyArray<AgentState>
}

const stepAfter = (last: AgentState | undefined): ReviewStep => {
  if (last?.judged?.action === "convert") return { _tag: "Conversion" }
  const thread = last === undefined ? null : threadOf(last)
  return last?.judged?.action === "correct" && thread !== null
    ? { _tag: "Correction", thread, problems: last.judged.problems }
    : { _tag: "Review" }
}

/** The progress of a review. Agents up to the number `after` belong to earlier reviews of the same task. */
export const reviewProgress = (
  agents: ReadonlyArray<AgentState>,
  expected: ExpectedResult,
  after: number
): ReviewProgress => {
  const asked = agentsOf(agents, expected).filter((one) => one.agent > after)
  const judged = asked.filter((one) => one.judged !== null && !isAnswer(one))
  const replaced = judged.findLastIndex((one) => one.judged?.action === "spawn")
  return {
    step: stepAfter(judged.at(-1)),
    failed: replaced >= 0,
    agent: currentAgent(asked),
    earlier: judged.slice(replaced + 1).filter(({ standing }) =>
      standing._tag === "Finished" && standing.finished.ending === "Done"
    )
  }
}

/** The result of an agent's step, and what follows: see `ResultJudged`. */
export interface JudgedReview extends ReadReview {
  readonly status: ResultStatus | null
  readonly action: "accept" | "remediate" | "correct" | "convert" | "spawn" | "block"
}

/** The agent: its kind, its thread, and the text of the review that could not be read. */
export interface ReviewContext extends Pick<ReviewProgress, "step" | "failed"> {
  /** Whether the reviewer of this review, corrected or converted, has read anything; absent if unknown. */
  readonly read?: AgentState["read"]
  readonly kind: AgentKind
  readonly thread: string | null
  readonly said: string
}

const unreadable = "the review could not be read, so it counts as NEEDS_FIXES"

const afterUnread = ({ kind, step, thread }: ReviewContext): JudgedReview["action"] => {
  if (step._tag === "Correction") return "convert"
  // Other programs support no schema: their text is all there is.
  if (step._tag === "Conversion" || kind === "command") return "remediate"
  return thread === null ? "convert" : "correct"
}

const afterFailure = ({ failed, step }: ReviewContext): JudgedReview["action"] => {
  switch (step._tag) {
    case "Review":
      return failed ? "block" : "spawn"
    case "Correction":
      return "convert"
    case "Conversion":
      return "remediate"
  }
}

const unreadAs = (action: JudgedReview["action"], problems: ReadonlyArray<string>): ReadonlyArray<string> =>
  action === "remediate" ? [...problems, unreadable] : problems

/** Judges an agent's ending that no person must act on. */
export const judgeReview = (reviewing: ReviewContext, ending: AgentEnding): JudgedReview => {
  if (ending._tag !== "Done") {
    const action = afterFailure(reviewing)
    const problem = brief(ending._tag === "Reported" ? ending.report.summary : `${ending._tag}: ${ending.message}`, 200)
    const problems = unreadAs(action, [problem])
    return { grammar: "none", verdict: null, issues: [], problems, status: "error", action }
  }
  const { said, step } = reviewing
  const first = readReview(ending.message)
  const read = step._tag === "Review"
    ? first
    : checkSecondReading(said, first, step._tag === "Correction" ? "reviewer" : "converter")
  if (read.verdict === "ACCEPTABLE" && reviewing.read === "nothing") {
    const action = reviewing.failed ? "block" : "spawn"
    return { grammar: read.grammar, verdict: null, issues: [], problems: [readNothing], status: "error", action }
  }
  if (read.verdict === "ACCEPTABLE") return { ...read, status: "pass", action: "accept" }
  if (read.verdict === "NEEDS_FIXES") return { ...read, status: "gaps", action: "remediate" }
  const action = afterUnread(reviewing)
  return { ...read, problems: unreadAs(action, read.problems), status: null, action }
}

// In a review that is cut off, a verdict is not read as ACCEPTABLE.
const bounds = { problem: 400, said: 200_000 } as const

/** A reviewer's prompt with the form of its answer. */
export const addAnswerForm = (prompt: string, kind: AgentKind): string =>
  `${prompt.trimEnd()}\n\n${render(kind === "command" ? "review-text" : "review-json", {})}\n`

/** Asks a reviewer, on its own thread, for the JSON of the review that it has just given. */
export const correctionPrompt = (problems: ReadonlyArray<string>): string =>
  // A problem may quote field names of the answer.
  `${render("review-correct", { problems: fence(problems.map((problem) => brief(problem, bounds.problem))) })}\n`

/** Asks a fresh agent for the JSON of a review that others wrote. */
export const conversionPrompt = (said: string): string =>
  `${render("review-convert", { said: fenced(said, bounds.said) })}\n`
