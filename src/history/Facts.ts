// Facts: whether an event that is no transition could have happened in the state before it.
// It knows the folded state, but not the command line of the invocation that wrote the fact.
import { slotsOf, type StartedBatch } from "../core/run/Batch.ts"
import type { Logged } from "../core/log/LogEvent.ts"
import type { Event, EventOf } from "../core/run/Event.ts"
import type { Identity } from "../core/run/Identity.ts"
import type { RunState } from "../core/run/Manifest.ts"
import { areSettings, reviewArguments, withoutInstructions } from "../core/run/Target.ts"
import { batchName } from "../core/text/Phrases.ts"
import { type DoneBatches, doneAt } from "./Answerable.ts"
import { same } from "./Rules.ts"
import { waiverProblem } from "./StrictRules.ts"

const ofSlot = (
  batch: StartedBatch,
  event: EventOf<"ReviewStarted" | "ReviewFinished" | "ReviewFailed" | "ReviewStopped">
): string | null => {
  const slot = batch.slots[event.slot - 1]
  if (slot === undefined) return `the batch has ${batch.size} slots`
  switch (event._tag) {
    case "ReviewStarted":
      if (slot._tag === "Running" || slot._tag === "Finished") return `the slot was ${slot._tag} already`
      if (slot._tag === "Failed" && !slot.transient && batch.failedAt === 0) {
        return "the batch had not been recorded as failed"
      }
      return event.attempt === slot.attempts + 1 ? null : `its next attempt was ${slot.attempts + 1}`
    case "ReviewFinished":
    case "ReviewFailed":
      return slot._tag === "Running" && slot.attempts === event.attempt ? null : "that attempt was not open"
    case "ReviewStopped":
      if (slot._tag === "Finished") return "its review was finished already"
      if (slot._tag === "Queued" && batch.stopped) return "it was stopped already"
      if (slot._tag === "Failed" && (!slot.transient || batch.failedAt > 0)) return "it had failed for good"
      return event.attempt === Math.max(1, slot.attempts) ? null : "that attempt was not open"
  }
}

const ofSettled = (batch: StartedBatch, event: EventOf<"BatchCompleted" | "BatchFailed">): string | null => {
  const failed = slotsOf(batch, "Failed").map(({ slot }) => slot)
  if (event._tag === "BatchCompleted") {
    if (slotsOf(batch, "Finished").length < batch.size) return "not every review was finished"
    return batch.completed === null ? null : "it was complete already"
  }
  if (failed.length + slotsOf(batch, "Finished").length < batch.size) return "reviews were still open"
  if (failed.length === 0) return "no review had failed"
  if (batch.failedAt > 0) return "it was recorded as failed already"
  return same(failed, event.slots) ? null : `the failed slots were ${failed.join(", ") || "none"}`
}

/** The problem of an identity that is recorded as known, or null. A known identity names all code under review. */
const ofIdentity = ({ target }: RunState, identity: Identity): string | null => {
  if (identity._tag === "Unknown") return null
  if (target._tag === "Commit" && identity.head !== target.sha) return "it names another commit as what it reviewed"
  return target._tag !== "Commit" && identity.tree === null ? "it names no tree as what it reviewed" : null
}

const ofStart = ({ batch, target, trust_from }: RunState, event: EventOf<"BatchStarted">): string | null => {
  if (batch._tag !== "NotStarted") return "the batch was started already"
  const base = target._tag === "Base" ? target.branch : target._tag === "PullRequest" ? event.base : null
  if (event.base !== base) return `the target's base is ${base ?? "none"}`
  const argv = reviewArguments(target, base, event.level)
  const told = !same(event.argv.slice(-withoutInstructions.length), withoutInstructions)
  if (trust_from !== undefined && told) return "its reviewers were given the instructions of the change"
  return same(event.argv.slice(0, argv.length), argv) && areSettings(event.argv.slice(argv.length))
    ? null
    : `its reviewers were not called with: ${argv.join(" ")}`
}

/** What is missing after a review: the last review of a batch stands in one line with the completion of the batch. */
export const uncompleted = (after: RunState | null, following: ReadonlyArray<Logged<Event> | null>): string | null => {
  const batch = after?.batch
  if (batch?._tag !== "Started" || batch.completed !== null) return null
  if (slotsOf(batch, "Finished").length < batch.size) return null
  return following.some((event) => event?._tag === "BatchCompleted")
    ? null
    : "it finished the batch, and its line does not record that the batch is complete"
}

/**
 * Why a fact that is no transition could not have happened in the state before it; null when it could. `done` are the
 * complete batches of a strict run so far: of any of them the tests may fail.
 */
export const fact = (state: RunState, event: Event, done: DoneBatches): string | null => {
  const { batch, batch_number, current_level } = state
  switch (event._tag) {
    case "RunCreated":
      return "the run was created already"
    case "LevelOutcomeRecorded":
    case "BatchOpened":
    case "FixedPointReached":
    case "FindingDismissed":
    case "StepAborted":
      return null
    case "BatchWaived":
      return waiverProblem(state, event, done)
  }
  if (event._tag === "AddressFailed" && state.strict !== undefined) {
    return (doneAt(done, event)?.withIssues ?? 0) > 0 ? null : "the batch had not been complete with issues"
  }
  if (event.level !== current_level || event.batch !== batch_number) {
    return `the current batch was ${batchName({ level: current_level, batch: batch_number })}`
  }
  if (event._tag === "AddressFailed") return null
  if (event._tag === "BatchStarted") return ofStart(state, event) ?? ofIdentity(state, event.identity)
  if (batch._tag === "NotStarted") return "the batch had not been started"
  if (event._tag === "BatchFailed") return ofSettled(batch, event)
  return event._tag === "BatchCompleted"
    ? ofSettled(batch, event) ?? ofIdentity(state, event.identity)
    : ofSlot(batch, event)
}
