// DescribeDriven: the events that the streams of all drivers share, on one line each for people.
import type { DrivenState } from "../core/driven/DrivenState.ts"
import type { DrivenEvent } from "../core/driven/Event.ts"
import { span } from "../core/text/Phrases.ts"
import { oneLine } from "../core/text/Text.ts"
import { longText, quoted, usedText } from "./Describe.ts"
import type { Change } from "./LogReader.ts"

const attemptText = ({ agent, attempt }: { readonly agent: number; readonly attempt: number }): string =>
  `agent ${agent} attempt ${attempt}`

const exitText = (exit: number | null): string => exit === null ? "" : ` exited ${exit}`

const given = (name: string, value: string | null): string => value === null ? "" : `, ${name} ${oneLine(value)}`

/** What an event says beside its name. */
export const describeDriven = (e: DrivenEvent): string => {
  switch (e._tag) {
    case "AgentStarted":
      return `${attemptText(e)} (${e.cause}): ${e.kind} as ${e.role} of ${quoted(e.taskId)}, ${e.sandbox}` +
        `${given("effort", e.effort)}${given("model", e.model)}${given("in thread", e.thread)}`
    case "AgentAttemptFailed":
      return `${attemptText(e)}${exitText(e.exit)}: ${e.failure}, ${quoted(e.because)}; ${e.next} ` +
        `after ${span(e.wait)}${usedText(e.usage)}`
    case "AgentFinished":
      return `${attemptText(e)}: ${e.ending}, ${longText(e.message)}${usedText(e.usage)}`
    case "AgentFailed":
      return `${attemptText(e)}${exitText(e.exit)}: ${e.failure}, ${quoted(e.remedy)}${usedText(e.usage)}`
    case "AgentStopped":
      return `${attemptText(e)} (${e.cause})`
    case "ResultJudged":
      return `agent ${e.agent}: ${e.role} of ${quoted(e.taskId)} says ${e.status ?? "nothing"} (${e.grammar}, ` +
        `${e.valid ? "valid" : "invalid"}): ${e.action}${e.problems.map((problem) => `; ${quoted(problem)}`).join("")}`
    case "ConsentGiven":
      return `${e.consent}${e.content === undefined ? "" : ` for ${oneLine(e.content)}`}`
    case "SnapshotTaken":
      return `snapshot ${e.snapshot} for agent ${e.agent}: commit ${oneLine(e.commit)}` +
        (e.leftOut === 0 ? "" : `, ${e.leftOut} left out`)
    case "GitStateChanged":
      return `agent ${e.agent}: ${e.what.map(quoted).join(", ")}`
    case "DriverStarted":
      return `driver ${oneLine(e.driver)}, process ${e.pid}`
    case "DriverEnded":
      return `driver ${oneLine(e.driver)}: ${quoted(e.outcome)}`
    case "StopAsked":
      return "by stop"
    case "TestStarted":
      return `test ${e.test} ${e.round === 0 ? "outside of rounds" : `of round ${e.round}`}: ${quoted(e.command)}`
    case "TestFinished":
      return `test ${e.test}: ${
        e.exit === null ? "killed for its time" : e.exit === 0 ? "green" : `red${exitText(e.exit)}`
      }`
    case "TestStopped":
      return `test ${e.test} (${e.cause})`
    case "BudgetWarned":
      return `${e.used} of ${e.limit} ${e.budget === "time" ? "ms" : e.budget}`
    case "WorktreeRestored":
      return `round ${e.round}: snapshot ${e.snapshot}`
    case "FixesCommitted":
      return `round ${e.round}: ${
        e.commit === null ? `git refused: ${longText(e.output)}` : `commit ${oneLine(e.commit)}`
      }`
  }
}

const standings = (state: DrivenState | null): ReadonlyArray<string> =>
  (state?.agents.agents ?? []).map(({ standing }) => standing._tag)

/** How the agents stand, where that changed between two states. */
export const agentChanges = (
  before: DrivenState | null,
  after: DrivenState | null
): ReadonlyArray<Change<string | null>> => {
  const [old, now] = [standings(before), standings(after)]
  return now.flatMap((standing, i) =>
    standing === old[i] ? [] : [{ field: `agents.${i + 1}`, before: old[i] ?? null, after: standing }]
  )
}
