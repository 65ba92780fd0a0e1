// words: one line for each turn of a plan run.
import { isAnswer, isOpen } from "../../agent/TaskProgress.ts"
import { testLines } from "../Tests.ts"
import { counted } from "../../text/Phrases.ts"
import { brief, oneLine } from "../../text/Untrusted.ts"
import { endLine, placeName, turnLine, warningLine } from "../words.ts"
import type { Decision, End } from "./Decide.ts"
import type { CycleCause, NamedTask, PlanEventOf } from "./Event.ts"
import type { PlanState } from "./State.ts"
import { lastOfStep, type Step, wordOf } from "./Steps.ts"

// One line for each turn of a plan run, for people who follow it.

const endText = (end: End): string => {
  switch (end._tag) {
    case "Done":
      return "every task that is wanted is done"
    case "Limit":
      return `the fixes of round ${end.round} are used up`
    case "NothingDone":
      return "the implementer names no task as done"
    case "Moved":
      return "the code was changed while it was reviewed"
    case "PlanChanged":
      return "the plan says something else of the tasks by now"
    default:
      return endLine(end)
  }
}

const closeText: Readonly<Record<CycleCause, string>> = {
  Marked: "its tasks are done",
  Limit: "its fixes are used up",
  TestsRed: "its tests stay red",
  Rejected: "a result in it cannot be used",
  Protected: "files were changed that no agent may change",
  Circle: "a fix brought back what a review had refused",
  Moved: "the code was changed while it was reviewed",
  PlanChanged: "the plan says something else of its tasks by now"
}

/** Who works on a step: the agent that is followed, or whose answer is told again, else the next one. */
const agentText = (state: PlanState, cycle: number, step: Step, after: number): string => {
  const last = lastOfStep(state, cycle, step)
  const isKnown = last !== null && last.agent > after && (isOpen(last) || isAnswer(last))
  return `agent ${isKnown ? last.agent : state.agents.agents.length + 1} works on ${wordOf(step)}`
}

const lastReviewer = ({ cycles }: PlanState, { round }: { readonly round: number }): number =>
  cycles[round - 1]?.reviews.at(-1)?.agent ?? 0

const toBeMarked = (tasks: ReadonlyArray<number>): string =>
  `${tasks.length === 1 ? "task" : "tasks"} ${tasks.join(", ")} ${
    tasks.length === 1 ? "is" : "are"
  } to be marked as done`

const mostTitles = 10

const begunWith = (tasks: ReadonlyArray<NamedTask>): string => {
  const titles = tasks.slice(0, mostTitles).map(({ index, title }) => `${index} ${brief(title, 60)}`).join(", ")
  return tasks.length > mostTitles ? `${titles} and ${tasks.length - mostTitles} more` : titles
}

const turnText = (state: PlanState, decision: Exclude<Decision, { readonly _tag: "End" | "Warn" }>): string => {
  switch (decision._tag) {
    case "StartRound":
      return `begins with ${begunWith(decision.tasks)}`
    case "Ask":
      return agentText(state, decision.round, decision.task, decision.after)
    case "Answer":
    case "Test":
    case "Restore":
    case "Commit":
      return turnLine(decision)
    case "Review":
      return agentText(state, decision.round, { _tag: "Review", round: decision.fix }, decision.after)
    case "Analyse":
      return agentText(state, decision.round, decision, lastReviewer(state, decision))
    case "Accept":
      return decision.because === "Acceptable" ? "is accepted" : "is accepted: what was found belongs to other tasks"
    case "Mark":
      return toBeMarked(decision.tasks)
    case "WriteUnresolved":
      return "the last review is written into the plan"
    case "Close":
      return `ends: ${closeText[decision.because]}`
    case "Converge":
      return "the plan's tasks are done, and their code goes up the ladder"
  }
}

/** What is decided, on one line. */
export const lineOf = (state: PlanState, decision: Decision): string => {
  switch (decision._tag) {
    case "End":
      return `end: ${endText(decision.end)}`
    case "Warn":
      return warningLine(decision)
    case "Converge":
      return turnText(state, decision)
    default:
      return oneLine(
        `${placeName(state, decision.round)}: ${turnText(state, decision)}`
      )
  }
}

const analysisText = ({ dropped, needsFixes }: PlanEventOf<"ReviewAnalysed">): string =>
  oneLine([
    `analysis: ${needsFixes ? "fixes are needed" : "no fix is needed"}`,
    ...dropped.map(({ issue, quote, task }) =>
      `this belongs to task ${task}, which says "${brief(quote, 120)}": ${brief(issue, 120)}`
    )
  ].join("; "))

/** What a turn brought, a line each: how tests ended, what a review says, and what was dropped from it. */
export const resultsOf = (before: PlanState, after: PlanState): ReadonlyArray<string> => {
  const { cycle } = after.cycles.at(-1)?.started ?? { cycle: 0 }
  const cycles = after.cycles.flatMap((now, i) => {
    const { analysed = null, reviews = [] } = before.cycles[i] ?? {}
    const added = now.reviews.slice(reviews.length).map(({ issues, round, verdict }) =>
      `review ${round}: ${verdict}, ${counted(issues.length, "issue")}`
    )
    return analysed === null && now.analysed !== null ? [...added, analysisText(now.analysed)] : added
  })
  return [...testLines(before, after), ...cycles].map((line) => `${placeName(after, cycle)}: ${line}`)
}
