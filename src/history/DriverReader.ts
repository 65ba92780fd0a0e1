// DriverReader: how the stream of a run's driver is shown: its agents, what they were allowed, what they used.
import { convergeRun, type ConvergeState } from "../core/converge/ConvergeRun.ts"
import type { ConvergeEvent, ConvergeEventOf } from "../core/converge/Event.ts"
import type { Happening } from "../core/log/Walk.ts"
import { identityText } from "../core/run/Identity.ts"
import { batchName, counted, span } from "../core/text/Phrases.ts"
import { oneLine } from "../core/text/Text.ts"
import { longText, quoted, usedText } from "./Describe.ts"
import type { Change, LogReader } from "./LogReader.ts"

const attemptText = ({ agent, attempt }: { readonly agent: number; readonly attempt: number }): string =>
  `agent ${agent} attempt ${attempt}`

const exitText = (exit: number | null): string => exit === null ? "" : ` exited ${exit}`

const given = (name: string, value: string | null): string => value === null ? "" : `, ${name} ${oneLine(value)}`

type RoundEvent = ConvergeEventOf<
  | "RoundStarted"
  | "RoundAnswered"
  | "RetrospectiveSkipped"
  | "WorktreeRestored"
  | "FixesCommitted"
  | "RoundConcluded"
  | "RoundClosed"
>

const describeRound = (e: RoundEvent): string => {
  const round = `round ${e.round}`
  switch (e._tag) {
    case "RoundStarted":
      return `${round}: ${e.kind} of ${batchName(e)}, ${counted(e.findings.length, "finding")}, ${
        identityText(e.content)
      }`
    case "RoundAnswered":
      return `${round}, agent ${e.agent}: ${e.answers.map((one) => `${one.fingerprint} ${one.answer}`).join(", ")}` +
        e.protectedFiles.map((file) => `; changed ${quoted(file)}`).join("")
    case "RetrospectiveSkipped":
      return `${round} (${e.because})`
    case "WorktreeRestored":
      return `${round}: snapshot ${e.snapshot}`
    case "FixesCommitted":
      return `${round}: ${e.commit === null ? `git refused: ${longText(e.output)}` : `commit ${oneLine(e.commit)}`}`
    case "RoundConcluded":
      return `${round}: ${e.mark}, ${identityText(e.content)}`
    case "RoundClosed":
      return `${round} (${e.because})`
  }
}

/** What an event says beside its name. */
const describe = (e: ConvergeEvent): string => {
  switch (e._tag) {
    case "ConvergeStarted":
      return oneLine(e.runId)
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
      return `test ${e.test} ${e.round === 0 ? "before the first round" : `of round ${e.round}`}: ${quoted(e.command)}`
    case "TestFinished":
      return `test ${e.test}: ${
        e.exit === null ? "killed for its time" : e.exit === 0 ? "green" : `red${exitText(e.exit)}`
      }`
    case "TestStopped":
      return `test ${e.test} (${e.cause})`
    case "BudgetWarned":
      return `${e.used} of ${e.limit} ${e.budget === "time" ? "ms" : e.budget}`
    default:
      return describeRound(e)
  }
}

const standings = (state: ConvergeState | null): ReadonlyArray<string> =>
  (state?.agents.agents ?? []).map(({ standing }) => standing._tag)

/** How the agents stand, where that changed. */
const changes = ({ after, before }: Happening<ConvergeEvent, ConvergeState>): ReadonlyArray<Change<string | null>> => {
  const [old, now] = [standings(before.state), standings(after.state)]
  return now.flatMap((standing, i) =>
    standing === old[i] ? [] : [{ field: `agents.${i + 1}`, before: old[i] ?? null, after: standing }]
  )
}

export const driverReader: LogReader<ConvergeEvent, ConvergeState, string | null> = {
  kind: convergeRun,
  mark: "d",
  stateName: "state of the driver",
  describe,
  changes,
  valueText: (value) => value ?? "none"
}
