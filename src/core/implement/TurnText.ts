// TurnText: one line for each turn of a plan run, for people who follow it.
import { oneLine } from "../text/Text.ts"
import { brief } from "../text/Untrusted.ts"
import type { Decision, End } from "./Decision.ts"
import type { PlanState } from "./PlanState.ts"
import { wordOf } from "./Steps.ts"

const endText = (end: End): string => {
  switch (end._tag) {
    case "Done":
      return "every task that is wanted is done"
    case "Circle":
      return "a fix brought back what a review had refused"
    case "Limit":
      return `the fixes of cycle ${end.cycle} are used up`
    case "Budget":
      return `the budget of ${end.budget} is used up`
    case "RedBaseline":
      return `${brief(end.command, 80)} is red, and no agent is at work`
    case "TestsRed":
      return `${brief(end.command, 80)} stays red`
    case "Rejected":
      return `the result of agent ${end.agent} cannot be used`
    case "NothingDone":
      return "the implementer names no task as done"
    case "Protected":
      return "files were changed that no agent may change"
    case "Moved":
      return "the code was changed while it was reviewed"
    case "PlanChanged":
      return "the plan says something else of the tasks by now"
    case "StopAsked":
      return "it was asked to stop"
  }
}

const agentText = ({ agents: { agents } }: PlanState, cycle: number, word: string): string => {
  const known = agents.findLast(({ started }) => started.taskId === `cycle-${cycle}/${word}`)?.agent
  return `agent ${known ?? agents.length + 1} works on ${word}`
}

const turnText = (state: PlanState, decision: Exclude<Decision, { readonly _tag: "End" | "Warn" }>): string => {
  switch (decision._tag) {
    case "StartCycle":
      return `begins with ${decision.tasks.map(({ index, title }) => `${index} ${brief(title, 60)}`).join(", ")}`
    case "Work":
      return agentText(state, decision.cycle, wordOf(decision.step))
    case "Take":
      return `agent ${decision.agent} has answered`
    case "Test":
      return `test ${brief(decision.command, 80)}`
    case "Restore":
      return "the worktree is put back to where the cycle began"
    case "Review":
      return agentText(state, decision.cycle, wordOf(decision))
    case "Analyse":
      return agentText(state, decision.cycle, wordOf(decision))
    case "Accept":
      return decision.because === "Acceptable" ? "is accepted" : "is accepted: what was found belongs to other tasks"
    case "Mark":
      return `marks the tasks ${decision.tasks.join(", ")} as done`
    case "Commit":
      return "the work is committed"
    case "WriteUnresolved":
      return "the last review is written into the plan"
    case "Close":
      return `ends in ${decision.because}`
    case "Converge":
      return "the plan's code is converged"
  }
}

/** What is decided, on one line. */
export const lineOf = (state: PlanState, decision: Decision): string => {
  switch (decision._tag) {
    case "End":
      return `end: ${endText(decision.end)}`
    case "Warn":
      return `warning: ${decision.used} of ${decision.limit} ${decision.budget} are used`
    case "Converge":
      return turnText(state, decision)
    default:
      return oneLine(
        decision.cycle === 0
          ? `outside cycles: ${turnText(state, decision)}`
          : `cycle ${decision.cycle}: ${turnText(state, decision)}`
      )
  }
}
