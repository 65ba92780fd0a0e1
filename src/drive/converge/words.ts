// words: one line for each turn of a converging run.
import { batchName, counted } from "../../text/Phrases.ts"
import { endLine, placeName, turnLine, warningLine } from "../words.ts"
import type { ConvergeState } from "./State.ts"
import type { Decision } from "./Decide.ts"
import { lastOf, taskIdOf } from "./Tasks.ts"

// One line for each turn of a driven run, for people and for logs.

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
    case "Test":
    case "Restore":
    case "Commit":
      return turnLine(decision)
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
    case "Warn":
      return warningLine(decision)
    case "End": {
      const { end } = decision
      return `end: ${end._tag === "Patience" ? `${counted(end.rounds, "round")} without progress` : endLine(end)}`
    }
    default:
      return `${placeName(state, decision.round)}${placeOf(state, decision.round)}: ${turnText(state, decision)}`
  }
}
