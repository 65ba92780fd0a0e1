// words: any event as one line for people.
import type { DrivenEvent, DrivenState } from "../../drive/State.ts"
import { type InRound, inRoundText, type WaivedFinding } from "../../run/Dismissal.ts"
import type { Event, LevelOutcome, LongText } from "../../run/Event.ts"
import { identityText } from "../../run/Identity.ts"
import { textName } from "../../run/LongText.ts"
import { targetKey } from "../../run/Target.ts"
import { type Usage, usageText } from "../../run/Usage.ts"
import { batchName, counted, slotName, span } from "../../text/Phrases.ts"
import { oneLine, shortened, someNames } from "../../text/Untrusted.ts"
import type { Change } from "../LogReader.ts"

// One event as one line for people.
// Texts from outside stay on that line, with their control characters escaped.

const longest = 300

/** A text from outside in quotes, cut where it is long. */
export const quoted = (text: string): string => `"${oneLine(shortened(text, longest))}"`

/** A text from outside, and where the rest of it is. */
export const longText = ({ rest, text }: LongText): string =>
  rest === undefined
    ? quoted(text)
    : `${quoted(text)} (${counted(rest.bytes, "byte")} in ${oneLine(textName(rest.hex))})`

const attemptText = (at: {
  readonly level: string
  readonly batch: number
  readonly slot: number
  readonly attempt: number
}): string => `${slotName(at)} attempt ${at.attempt}`

/** Tokens as the end of a sentence; empty if unknown. */
const usedText = (usage: Usage | null | undefined): string =>
  usage === undefined || usage === null ? "" : `, ${usageText(usage)}`

/** A recorded outcome of a level. */
export const outcomeText = (outcome: LevelOutcome): string => {
  switch (outcome._tag) {
    case "Clean":
      return "Clean"
    case "Addressed":
      return `Addressed ${counted(outcome.count, "review")} with issues`
    case "RetrospectiveChanges":
      return `RetrospectiveChanges ${longText(outcome.reason)}`
  }
}

const endText = (until: string | null): string => until === null ? "" : ` until ${until}`

/** Who dismissed it, if agents or tests worked on the run then. */
const meanwhile = ({ inRound }: { readonly inRound?: InRound }): string =>
  inRound === undefined ? "" : `, ${inRoundText(inRound)}`

/** A finding that did not block, and why. */
export const waivedText = ({ because, fingerprint, priority }: WaivedFinding): string => {
  const name = `${fingerprint} ${priority === null ? "without a priority" : `P${priority}`}`
  return because._tag === "BelowBlock"
    ? `${name} weighs too little`
    : `${name} is dismissed for the ${because.scope}${endText(because.until)} ${quoted(because.reason)}` +
      meanwhile(because)
}

/** The details of an event. */
export const describe = (e: Event): string => {
  switch (e._tag) {
    case "RunCreated":
      return `${oneLine(targetKey(e.target))} from ${e.startLevel}, ${counted(e.batchSize, "review")} a batch, ` +
        `in ${oneLine(e.worktree)} (${e.because})`
    case "BatchStarted":
      return `${batchName(e)}: ${counted(e.size, "review")} of ${identityText(e.identity)}`
    case "ReviewStarted":
      return attemptText(e)
    case "ReviewFinished":
      return `${attemptText(e)}: ${e.verdict}, ${counted(e.findings, "finding")} ` +
        `(${oneLine(e.reason)}, from ${e.source})${usedText(e.usage)}`
    case "ReviewFailed":
      return `${attemptText(e)}${e.exit === null ? "" : ` exited ${e.exit}`}: ${quoted(e.message)}${usedText(e.usage)}`
    case "ReviewStopped":
      return `${attemptText(e)} (${e.cause})`
    case "BatchCompleted":
      return `${batchName(e)}: ${identityText(e.identity)}`
    case "BatchFailed":
      return `${batchName(e)}: slot ${e.slots.join(", ")}`
    case "LevelOutcomeRecorded":
      return `${batchName(e)}: ${outcomeText(e.outcome)} (ceiling ${e.ceiling})`
    case "BatchOpened":
      return `${batchName(e)} from ${e.from} (${e.cause})`
    case "FixedPointReached":
      return `${batchName(e)} at the ceiling (by ${e.by})`
    case "AddressFailed":
      return `${batchName(e)}: ${longText(e.details)}`
    case "FindingDismissed":
      return `${e.fingerprint}${endText(e.until)}: ${longText(e.reason)}`
    case "DismissalWithdrawn":
      return e.fingerprint
    case "BatchWaived":
      return `${batchName(e)}: ${e.findings.map(waivedText).join("; ")}` +
        `${e.rest === undefined ? "" : `; all in ${oneLine(textName(e.rest.hex))}`} (--block P${e.block})`
    case "StepAborted":
      return oneLine(e.signal)
  }
}

// The events that the streams of all drivers share, on one line each for people.

const agentAttemptText = ({ agent, attempt }: { readonly agent: number; readonly attempt: number }): string =>
  `agent ${agent} attempt ${attempt}`

const exitText = (exit: number | null): string => exit === null ? "" : ` exited ${exit}`

const given = (name: string, value: string | null): string => value === null ? "" : `, ${name} ${oneLine(value)}`

/** The details of an event. */
export const describeDriven = (e: DrivenEvent): string => {
  switch (e._tag) {
    case "AgentStarted":
      return `${agentAttemptText(e)} (${e.cause}): ${e.kind} as ${e.role} of ${quoted(e.taskId)}, ${e.sandbox}` +
        `${given("effort", e.effort)}${given("model", e.model)}${given("in thread", e.thread)}`
    case "AgentAttemptFailed":
      return `${agentAttemptText(e)}${exitText(e.exit)}: ${e.failure}, ${quoted(e.because)}; ${e.next} ` +
        `after ${span(e.wait)}${usedText(e.usage)}`
    case "AgentFinished":
      return `${agentAttemptText(e)}: ${e.ending}, ${longText(e.message)}${usedText(e.usage)}`
    case "AgentFailed":
      return `${agentAttemptText(e)}${exitText(e.exit)}: ${e.failure}, ${quoted(e.remedy)}${usedText(e.usage)}`
    case "AgentStopped":
      return `${agentAttemptText(e)} (${e.cause})`
    case "ResultJudged":
      return `agent ${e.agent}: ${e.role} of ${quoted(e.taskId)} says ${e.status ?? "nothing"} (${e.grammar}, ` +
        `${e.valid ? "valid" : "invalid"}): ${e.action}${e.problems.map((problem) => `; ${quoted(problem)}`).join("")}`
    case "ConsentGiven":
      return `${e.consent}${e.content === undefined ? "" : ` for ${oneLine(e.content)}`}`
    case "SnapshotTaken":
      return `snapshot ${e.snapshot} for agent ${e.agent}: commit ${oneLine(e.commit)}` +
        (e.leftOut === 0 ? "" : `, ${e.leftOut} left out`) +
        (e.meanwhile === undefined ? "" : `; meanwhile: ${someNames(e.meanwhile)}`)
    case "EndMissed":
      return `since ${e.worker === "Agent" ? "agent" : "test"} ${e.number}: ${someNames(e.files, e.count)}`
    case "GitStateChanged":
      return `agent ${e.agent}: ${[...e.files ?? [], ...e.what].map(quoted).join(", ")}`
    case "DriverStarted":
      return `driver ${oneLine(e.driver)}, process ${e.pid}`
    case "DriverEnded":
      return `driver ${oneLine(e.driver)}: ${quoted(e.outcome)}${e.why === undefined ? "" : `; ${quoted(e.why)}`}`
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
        e.commit === null
          ? `git refused: ${longText(e.output)}`
          : e.made === false
          ? "nothing to commit"
          : `commit ${oneLine(e.commit)}`
      }`
    case "PersonAnswered":
      return `${e.answer}, ${identityText(e.content)}`
  }
}

const agentStates = (state: DrivenState | null): ReadonlyArray<string> =>
  (state?.agents.agents ?? []).map(({ standing }) => standing._tag)

/** The states of the agents, if they changed between two states of their driver. */
export const agentChanges = (
  before: DrivenState | null,
  after: DrivenState | null
): ReadonlyArray<Change<string | null>> => {
  const [old, now] = [agentStates(before), agentStates(after)]
  return now.flatMap((standing, i) =>
    standing === old[i] ? [] : [{ field: `agents.${i + 1}`, before: old[i] ?? null, after: standing }]
  )
}
