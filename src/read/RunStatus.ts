// RunStatus: how a run is: running, interrupted, waiting for a person, done, or unreadable; and why, in a few words.
// It follows from the logs and one look at processes. A state is a token for programs, `text` is for people.
import { Schema } from "effect"
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

/** Whether a driver ended because reviews failed: the run of those reviews says why in fewer words. */
export const isReviewFailure = ({ reason, text }: RunStatus): boolean =>
  reason === "Error" && /^\d+ review\(s\) of /.test(text)

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

const actions = {
  TestsFailedTriage: "tests fail",
  ConsentNeeded: "your consent is needed",
  TaskBlocked: "an agent's result cannot be used",
  AgentFailed: "an agent failed",
  GitStateChanged: "git's own state changed"
} as const

// Characters of a reason.
const mostWhy = 600

const isAction = (word: string): word is keyof typeof actions => Object.hasOwn(actions, word)

/** How a run is whose last driver ended in a header. */
const ended = ({ outcome, why }: DriverState & { readonly outcome: string }, facts: RunFacts): RunStatus => {
  const [header = "", ...rest] = outcome.split(": ")
  const text = rest.join(": ")
  if (header === "DoneAborted") {
    return { state: "Interrupted", reason: "Aborted", text: "stopped; the same call continues" }
  }
  const accepted = `${counted(doneTasks(facts).length, "task")} accepted`
  if (header === "DoneAccepted") return { state: "Done", reason: "Accepted", text: accepted }
  if (header === "DoneFixedPoint") {
    const text = facts.plan === null ? "reviewed clean" : `${accepted}, their code reviewed clean`
    return { state: "Done", reason: "FixedPoint", text }
  }
  if (header === "HandoffHuman" && isAction(text)) {
    return { state: "NeedsYou", reason: text, text: why === null ? actions[text] : brief(why, mostWhy) }
  }
  if (header.startsWith("Stuck")) {
    const key = brief(text.split(":").at(-1) ?? "", 60)
    return { state: "NeedsYou", reason: "GaveUp", text: why === null ? `gave up (${key})` : brief(why, mostWhy) }
  }
  const error: RunStatus = { state: "NeedsYou", reason: "Error", text: brief(text === "" ? outcome : text, 200) }
  const failed = isReviewFailure(error) && facts.review !== null ? stepped(facts.review, "") : null
  return failed?.reason === "ReviewsFailed" ? failed : error
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
  if (driver !== null && driver.outcome !== null && driver.why !== null) {
    return ended({ ...driver, outcome: driver.outcome }, facts)
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
  if (driver !== null && driver.outcome !== null) return ended({ ...driver, outcome: driver.outcome }, facts)
  return review === null
    ? { state: "Empty", reason: "NoReview", text: "nothing was done yet" }
    : facts.batches.length === 0
    ? { state: "Empty", reason: "NoReview", text: "no review yet" }
    : stepped(review, last)
}
