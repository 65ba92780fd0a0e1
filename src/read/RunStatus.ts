// RunStatus: how a run is: running, interrupted, waiting for a person, done, or unreadable; and why, in a few words.
// It follows from the logs and one look at processes. A state is a token for programs, `text` is for people.
import { Schema } from "effect"
import { actionOf, type Cause, type DriverEnd } from "../drive/End.ts"
import type { DriverState } from "../drive/State.ts"
import { unavailableText } from "../log/EventLog.ts"
import { newerText } from "../log/Frame.ts"
import { assess, type SlotOf, slotsOf } from "../run/Batch.ts"
import { changedUnderReview } from "../run/Decide.ts"
import { causeText } from "../run/FailureKind.ts"
import type { RunState } from "../run/Manifest.ts"
import { counted } from "../text/Phrases.ts"
import { brief, oneLine } from "../text/Untrusted.ts"
import { agentName } from "./words.ts"
import { doneTasks, openRound, type RoundView, type RunFacts } from "./RunView.ts"

/** What a run is doing. Tokens are never renamed. */
export const State = Schema.Literals(["Running", "Interrupted", "NeedsYou", "Done", "Unreadable", "Empty"])

/** Why it is in that state. Tokens are never renamed. */
export const Reason = Schema.Literals([
  // Running
  "Driver",
  "Reviewers",
  // Interrupted
  "DriverGone",
  "Aborted",
  "Stopped",
  "NextStep",
  "Undone",
  // NeedsYou
  "AddressBatch",
  "Retrospective",
  "ReviewsFailed",
  "TestsFailedTriage",
  "ConsentNeeded",
  "TaskBlocked",
  "AgentFailed",
  "GitStateChanged",
  "GaveUp",
  "Error",
  // Done
  "FixedPoint",
  "Accepted",
  // Unreadable
  "Damaged",
  "Rewound",
  "TooNew",
  "Unavailable",
  // Empty
  "NoLog",
  "NoReview"
])

export interface RunStatus {
  readonly state: typeof State.Type
  readonly reason: typeof Reason.Type
  readonly text: string
  /** How the last driver's call ended, if that is why. */
  readonly end?: DriverEnd
}

/** The states as people read them. */
const names = {
  Running: "running",
  Interrupted: "interrupted",
  NeedsYou: "needs you",
  Done: "done",
  Unreadable: "unreadable",
  Empty: "empty"
} as const satisfies Record<RunStatus["state"], string>

/** A status on one line: `needs you: tests fail`. */
export const statusText = ({ state, text }: RunStatus): string =>
  text === "" ? names[state] : `${names[state]}: ${oneLine(text)}`

const unread = (error: NonNullable<RunFacts["unread"]>): RunStatus => {
  switch (error._tag) {
    case "LogMissing":
      return { state: "Empty", reason: "NoLog", text: "no log" }
    case "LogDamaged":
      return { state: "Unreadable", reason: "Damaged", text: `its log is damaged at line ${error.line}: ${error.kind}` }
    case "LogRewound":
      return { state: "Unreadable", reason: "Rewound", text: `its log was ${error.kind}` }
    case "LogUnavailable":
      return { state: "Unreadable", reason: "Unavailable", text: unavailableText(error.reason) }
    case "LogTooNew":
      return { state: "Unreadable", reason: "TooNew", text: `needs a newer version: ${newerText(error.reason)}` }
  }
}

const interrupted = (reason: "NextStep" | "Stopped", text: string): RunStatus => ({
  state: "Interrupted",
  reason,
  text
})

/** A run whose code `undo` has changed since. */
export const undoneStatus: RunStatus = {
  state: "Interrupted",
  reason: "Undone",
  text: "undo changed the code since; the same call continues from there"
}

/** Whether the log says that no issue of the current batch blocks. */
const isWaived = ({ batch_number, current_level, strict }: RunState): boolean => {
  const last = strict?.last[current_level]
  return last?.batch === batch_number && last.waiver !== undefined
}

/** The causes of failed reviews: two of them, and how many more there are. */
const causesText = (failed: ReadonlyArray<SlotOf<"Failed">>): string => {
  const first = failed.filter(({ kind }, i) => failed.findIndex((one) => one.kind === kind) === i)
  const texts = first.slice(0, 2).map((slot) =>
    first.length === 1 ? causeText(slot) : causeText(slot).replace(/\.$/, "")
  )
  return [...texts, ...(first.length > 2 ? [`${first.length - 2} more`] : [])].join("; ")
}

/** How a run without a driver is: a step continues it, or its hand-off waits for an answer. */
const stepped = (review: RunState, last: string): RunStatus => {
  const { batch, current_level: level } = review
  if (batch._tag === "NotStarted") return interrupted("NextStep", `the next step reviews at ${level}`)
  if (last === "AddressFailed") return { state: "NeedsYou", reason: "TestsFailedTriage", text: "tests fail" }
  const open = slotsOf(batch, "Running").length
  if (open > 0) {
    return interrupted(
      "NextStep",
      `${counted(open, "review")} at ${level} ended and ${open === 1 ? "is" : "are"} not recorded`
    )
  }
  // Retries belong to one call; between two calls a transient failure is a failure.
  const status = assess(batch, 0)
  switch (status._tag) {
    case "NotStarted":
    case "Running":
      return interrupted("NextStep", `the next step reviews at ${level}`)
    case "Interrupted":
      return interrupted("Stopped", `the reviews at ${level} were stopped`)
    case "Failed":
      return {
        state: "NeedsYou",
        reason: "ReviewsFailed",
        text: `${counted(status.failed.length, "review")} at ${level} failed: ${causesText(status.failed)}`
      }
    case "Complete":
      if (status.withIssues > 0 && !isWaived(review)) {
        const some = `${status.withIssues} of ${counted(batch.size, "review")}`
        return { state: "NeedsYou", reason: "AddressBatch", text: `${some} at ${level} found issues` }
      }
      return changedUnderReview(batch)
        ? interrupted("NextStep", `the code changed during the reviews at ${level}`)
        : { state: "NeedsYou", reason: "Retrospective", text: `${level} is clean and waits for its retrospective` }
  }
}

/** What a person is asked about, where no sentence is recorded. */
const causes = {
  TestsRed: "tests fail",
  CommitRefused: "git refused to commit",
  CommitLacks: "the commit lacks files",
  Consent: "your consent is needed",
  Rejected: "an agent's result cannot be used",
  Protected: "protected files were changed",
  AgentFailed: "an agent failed",
  GitChanged: "git's own state changed",
  BaseMoved: "the change is compared with something else",
  ChangedMeanwhile: "the code was changed meanwhile",
  NothingDone: "no task counts as done"
} as const satisfies Record<Cause["_tag"], string>

// Characters of a reason.
const mostWhy = 600

/** A driver that has recorded its end. */
type EndedDriver = DriverState & { readonly end: DriverEnd; readonly outcome: string }

const isEnded = (driver: DriverState | null): driver is EndedDriver =>
  driver !== null && driver.end !== null && driver.outcome !== null

/** How a run is whose last driver ended. */
const ended = (driver: EndedDriver, facts: RunFacts): RunStatus => ({ end: driver.end, ...endedIn(driver, facts) })

const endedIn = ({ end, outcome, why }: EndedDriver, facts: RunFacts): RunStatus => {
  const accepted = `${counted(doneTasks(facts).length, "task")} accepted`
  switch (end._tag) {
    case "Aborted":
      return { state: "Interrupted", reason: "Aborted", text: "stopped; the same call continues" }
    case "Accepted":
      return { state: "Done", reason: "Accepted", text: accepted }
    case "FixedPoint": {
      const text = facts.plan === null ? "reviewed clean" : `${accepted}, their code reviewed clean`
      return { state: "Done", reason: "FixedPoint", text }
    }
    case "Asked": {
      const { _tag } = end.cause
      return { state: "NeedsYou", reason: actionOf[_tag], text: why === null ? causes[_tag] : brief(why, mostWhy) }
    }
    case "GaveUp":
      return {
        state: "NeedsYou",
        reason: "GaveUp",
        text: why === null ? `gave up (${end.limit})` : brief(why, mostWhy)
      }
    case "Failed": {
      const failed = end.reviews !== undefined && facts.review !== null ? stepped(facts.review, "") : null
      const text = brief(outcome.replace(/^\w+: /, ""), 200)
      return failed?.reason === "ReviewsFailed" ? failed : { state: "NeedsYou", reason: "Error", text }
    }
  }
}

const aboutText = ({ findings, kind, tasks }: RoundView): string => {
  const [task] = tasks
  switch (kind) {
    case "Address":
      return `works on ${counted(findings.length, "finding")}`
    case "Retrospective":
      return "looks for a recurring cause"
    case "Tasks":
      return tasks.length === 1 && task !== undefined
        ? `works on task ${task.index}: ${brief(task.title, 60)}`
        : `works on ${counted(tasks.length, "task")}`
  }
}

/** What is under way: reviews, an agent or a test. */
const doing = (facts: RunFacts, reviewers: number): string => {
  const { agents, review, rounds, tests } = facts
  if (reviewers > 0 && review !== null && review.batch._tag === "Started") {
    return `${reviewers} of ${counted(review.batch.size, "reviewer")} at ${review.current_level}`
  }
  const test = [...rounds.flatMap((round) => round.tests), ...tests].find(({ state }) =>
    state.standing._tag === "Running"
  )
  if (test !== undefined) return `${brief(test.state.started.command, 80)}`
  const agent = agents.findLast(({ state: { standing } }) => standing._tag === "Running" || standing._tag === "Waiting")
  const round = openRound(facts)
  return agent === undefined || round === null ? "" : `${agentName(agent)} ${aboutText(round)}`
}

/** The last driver, unless it ended and the run has continued since. */
const lastDriver = ({ drive, left, moved }: RunFacts): DriverState | null => {
  const last = drive?.drivers.at(-1) ?? null
  return last !== null && last.outcome !== null && moved > left ? null : last
}

/** How a run is, by its logs and by what lives of it. */
export const statusOf = (
  facts: RunFacts,
  { driven, reviewers }: { readonly driven: boolean; readonly reviewers: number }
): RunStatus => {
  const { last, plan, review, unread: failure } = facts
  if (failure !== null) return unread(failure)
  if (plan === null && review === null) return { state: "Empty", reason: "NoLog", text: "no line in its log" }
  if (driven) return { state: "Running", reason: "Driver", text: doing(facts, reviewers) }
  const driver = lastDriver(facts)
  const died = driver?.outcome === null ? `process ${driver.pid} died; the same call continues` : null
  if (reviewers > 0) {
    const text = [doing(facts, reviewers), ...(died === null ? [] : [died])].join("; ")
    return { state: "Running", reason: "Reviewers", text }
  }
  // At a proven fixed point the tests may fail, and then a person is asked all the same.
  if (isEnded(driver) && driver.why !== null) {
    return ended(driver, facts)
  }
  const fixed = review?.fixed_point ?? null
  if (fixed !== null && review !== null) {
    const { level } = fixed
    const from = review.start_level
    return {
      state: "Done",
      reason: "FixedPoint",
      text: `reviewed clean ${from === level ? "at" : `from ${from} to`} ${level}`
    }
  }
  if (died !== null) return { state: "Interrupted", reason: "DriverGone", text: died }
  if (isEnded(driver)) return ended(driver, facts)
  return review === null
    ? { state: "Empty", reason: "NoReview", text: "nothing was done yet" }
    : facts.batches.length === 0
    ? { state: "Empty", reason: "NoReview", text: "no review yet" }
    : stepped(review, last)
}
