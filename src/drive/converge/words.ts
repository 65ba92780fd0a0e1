// words: one line for each turn of a converging run.
import { batchName, counted, shortCount, span } from "../../text/Phrases.ts"
import { brief } from "../../text/Untrusted.ts"
import type { ConvergeState } from "./State.ts"
import type { Decision, End } from "./Decide.ts"
import { lastOf, taskIdOf } from "./Tasks.ts"

// One line for each turn of a driven run, for people and for logs.

const endText = (end: End): string => {
  switch (end._tag) {
    case "Circle":
      return "the run goes in a circle"
    case "Patience":
      return `${counted(end.rounds, "round")} without progress`
    case "Budget":
      return `the budget of ${end.budget} is used up`
    case "RedBaseline":
      return `${brief(end.command, 80)} is red, and no agent is at work`
    case "TestsRed":
      return `${brief(end.command, 80)} stays red`
    case "Rejected":
      return `the result of agent ${end.agent} cannot be used`
    case "Protected":
      return `protected files were changed: ${brief(end.files.join(", "), 80)}`
    case "StopAsked":
      return "stop was asked for"
  }
}

const whole = (budget: "rounds" | "time" | "tokens", amount: number): string =>
  budget === "time" ? span(amount) : budget === "tokens" ? shortCount(amount) : String(amount)

const turnText = (state: ConvergeState, decision: Exclude<Decision, { readonly _tag: "Step" | "Warn" | "End" }>) => {
  const { round } = decision
  const last = lastOf(state, round)
  switch (decision._tag) {
    case "Resume":
      return "goes on"
    case "StartRound":
      return "begins"
    case "Skip":
      return {
        Never: "no retrospective (--retro never)",
        NoFindings: "no retrospective: nothing was found",
        AskedBefore: "no retrospective: nothing new was found"
      }[decision.because]
    case "Ask": {
      const taskId = taskIdOf(round, decision.task)
      const agent = last?.started.taskId === taskId && last.judged === null && last.standing._tag !== "Stopped"
        ? `agent ${last.agent} goes on with`
        : `agent ${state.agents.agents.length + 1} works on`
      return `${agent} ${taskId.slice(taskId.indexOf("/") + 1)}`
    }
    case "Answer":
      return `agent ${decision.agent} has answered`
    case "Test":
      return `test ${brief(decision.command, 80)}`
    case "Restore":
      return "the worktree is put back to where the round began"
    case "Commit":
      return "the work is to be committed"
    case "Conclude":
      return `ends in ${decision.mark}`
    case "Mark":
      return `mark ${decision.mark}`
    case "Close":
      return `closed (${decision.because})`
  }
}

const placeOf = ({ rounds }: ConvergeState, round: number): string => {
  const started = rounds[round - 1]?.started
  return started === undefined ? "" : ` (${started.kind} of ${batchName(started)})`
}

/** What a turn does, in one line. */
export const lineOf = (state: ConvergeState, decision: Decision): string => {
  switch (decision._tag) {
    case "Step":
      return "step: reviews"
    case "Warn": {
      const { budget, limit, used } = decision
      return `warning: ${whole(budget, used)} of ${whole(budget, limit)} ${budget} are used`
    }
    case "End":
      return `end: ${endText(decision.end)}`
    default:
      return decision.round === 0
        ? `${state.agents.agents.length === 0 ? "before the first agent" : "outside rounds"}: ${
          turnText(state, decision)
        }`
        : `round ${decision.round}${placeOf(state, decision.round)}: ${turnText(state, decision)}`
  }
}
