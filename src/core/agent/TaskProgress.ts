// TaskProgress: how far a task has come that agents are asked for, told from what the log knows of them.
import type { AgentFailure } from "./AgentEnding.ts"
import type { AgentState } from "./AgentsState.ts"
import type { Expected } from "./Result.ts"
import { initialResultState, nextAfterResult, type ResultState, retryPreamble } from "./ResultRetry.ts"

/** The task's counters, and the agents that were asked for it, oldest first. */
export interface TaskProgress {
  readonly counters: ResultState
  readonly asked: ReadonlyArray<AgentState>
}

/**
 * The progress of a task. Agents up to the number `after` belong to earlier questions about the same task: what they
 * have used up counts, but their results are no answers.
 */
export const taskProgress = (
  agents: ReadonlyArray<AgentState>,
  { role, taskId }: Expected,
  after: number
): TaskProgress => {
  const all = agents.filter(({ started }) => started.role === role && started.taskId === taskId)
  return {
    counters: all.reduce(
      (state, { judged }) => judged === null ? state : nextAfterResult(state, judged).state,
      initialResultState(role)
    ),
    asked: all.filter(({ agent }) => agent > after)
  }
}

/** What stands in front of an agent's prompt: the retry preamble, if the judgement before asked for it, or nothing. */
export const preambleOf = ({ asked }: TaskProgress, expected: Expected, agent: number): string => {
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

/** Whether an agent's result is still to come, or was not judged yet. */
export const isOpen = ({ gitChanged, judged, standing }: AgentState): boolean =>
  judged === null && gitChanged.length === 0 && standing._tag !== "Stopped" &&
  !(standing._tag === "Failed" && isLasting(standing.failed.failure))

/** Whether an agent's judgement is the last word on its question. */
export const isAnswer = ({ judged }: AgentState): boolean =>
  judged?.action === "accept" || judged?.action === "remediate" || judged?.action === "block"
