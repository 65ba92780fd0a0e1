// Readers: how the logs of reviews, drivers and plans are shown.
import { usedBy } from "../../drive/Spending.ts"
import type { ConvergeEvent, ConvergeEventOf } from "../../drive/converge/Event.ts"
import { convergeRun, type ConvergeState } from "../../drive/converge/State.ts"
import type { PlanEvent } from "../../drive/plan/Event.ts"
import { planRun, type PlanState } from "../../drive/plan/State.ts"
import type { Event } from "../../run/Event.ts"
import { identityText } from "../../run/Identity.ts"
import { reviewRun, type WalkedRun } from "../../run/ReviewRun.ts"
import { batchName, counted } from "../../text/Phrases.ts"
import { oneLine } from "../../text/Untrusted.ts"
import type { RunRef } from "../../log/Refs.ts"
import { isPlanRun } from "../../run/RunKind.ts"
import type { LogReader, ShownLog } from "../LogReader.ts"
import { changesOf, type Value, valueText } from "./Timeline.ts"
import { agentChanges, describe, describeDriven, longText, quoted } from "./words.ts"

// How the log of a review run is shown.

export const reviewRunReader: LogReader<Event, WalkedRun, Value> = {
  kind: reviewRun,
  used: usedBy,
  stateName: "manifest",
  describe,
  changes: changesOf,
  valueText
}

// How the stream of a run's driver is shown: its rounds, its agents, its consents and its usage.

type RoundEvent = ConvergeEventOf<
  | "RoundStarted"
  | "RoundAnswered"
  | "RetrospectiveSkipped"
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
    case "RoundConcluded":
      return `${round}: ${e.mark}, ${identityText(e.content)}`
    case "RoundClosed":
      return `${round} (${e.because})`
  }
}

/** The details of an event. */
const describeConverge = (e: ConvergeEvent): string => {
  switch (e._tag) {
    case "ConvergeStarted":
      return oneLine(e.runId)
    case "RoundStarted":
    case "RoundAnswered":
    case "RetrospectiveSkipped":
    case "RoundConcluded":
    case "RoundClosed":
      return describeRound(e)
    default:
      return describeDriven(e)
  }
}

export const driverReader: LogReader<ConvergeEvent, ConvergeState, string | null> = {
  kind: convergeRun,
  mark: "d",
  stateName: "state of the driver",
  describe: describeConverge,
  changes: ({ after, before }) => agentChanges(before.state, after.state),
  valueText: (value) => value ?? "none"
}

// How the log of a plan run is shown: its cycles, its agents, its reviews and its acceptances.

const tasksText = (tasks: ReadonlyArray<number>): string =>
  tasks.length === 0 ? "no task" : `${tasks.length === 1 ? "task" : "tasks"} ${tasks.join(", ")}`

/** The details of an event. */
const describePlan = (e: PlanEvent): string => {
  switch (e._tag) {
    case "PlanStarted":
      return `${oneLine(e.plan)} in ${oneLine(e.worktree)}`
    case "CycleStarted":
      return `cycle ${e.cycle}: ${e.tasks.map(({ index, title }) => `${index} ${quoted(title)}`).join(", ")}, ` +
        identityText(e.content)
    case "WorkTaken":
      return `cycle ${e.cycle}, agent ${e.agent}: claims ${tasksText(e.tasks)}` +
        e.problems.map((problem) => `; ${quoted(problem)}`).join("") +
        e.protectedFiles.map((file) => `; changed ${quoted(file)}`).join("")
    case "CodeReviewed":
      return `cycle ${e.cycle}, review ${e.round} by agent ${e.agent}: ${e.verdict}, ` +
        `${counted(e.issues.length, "issue")}, ${identityText(e.content)}, ${longText(e.review)}` +
        e.problems.map((problem) => `; ${quoted(problem)}`).join("")
    case "ReviewAnalysed":
      return `cycle ${e.cycle}, agent ${e.agent}: ${e.needsFixes ? "needs fixes" : "needs no fixes"}, ` +
        `${counted(e.dropped.length, "issue")} dropped, ${longText(e.instructions)}` +
        e.dropped.map(({ issue, quote, task }) => `; ${quoted(issue)} belongs to task ${task}: ${quoted(quote)}`)
          .join("") +
        e.problems.map((problem) => `; ${quoted(problem)}`).join("")
    case "CycleAccepted":
      return `cycle ${e.cycle} (${e.because}), ${identityText(e.content)}`
    case "TasksMarked":
      return `cycle ${e.cycle}: ${tasksText(e.tasks)}`
    case "UnresolvedWritten":
      return `cycle ${e.cycle}`
    case "CycleClosed":
      return `cycle ${e.cycle} (${e.because})`
    case "PlanConverged":
      return `run ${oneLine(e.run)}: ${quoted(e.outcome)}`
    default:
      return describeDriven(e)
  }
}

const planReader: LogReader<PlanEvent, PlanState, string | null> = {
  kind: planRun,
  stateName: "state of the plan run",
  describe: describePlan,
  changes: ({ after, before }) => agentChanges(before.state, after.state),
  valueText: (value) => value ?? "none"
}

// The logs of a run, by its kind.

/** The logs of a run: its own, and its driver's if that is a separate one. */
interface RunLogs {
  readonly own: ShownLog
  readonly driver: ShownLog | null
  /** Whether its own log folds to the manifest that `--at` shows. */
  readonly hasManifest: boolean
}

const reviewLogs: RunLogs = {
  own: (use) => use(reviewRunReader),
  driver: (use) => use(driverReader),
  hasManifest: true
}
const planLogs: RunLogs = { own: (use) => use(planReader), driver: null, hasManifest: false }

/** The readers of a run's logs. */
export const logsOf = (run: RunRef): RunLogs => isPlanRun(run) ? planLogs : reviewLogs
