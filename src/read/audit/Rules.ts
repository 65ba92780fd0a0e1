// Rules: whether an event can follow from the state before it.
import { Equal } from "effect"
import { isLogEvent, type LoggedEvent } from "../../log/StreamKind.ts"
import { shortReason } from "../../review/findings/Waiving.ts"
import { assess, reviewsWithIssues, slotsOf, type StartedBatch } from "../../run/Batch.ts"
import { isAbout, isCovered, noneWaived, staleLevel, type StrictState, type IsWaived } from "../../run/Cover.ts"
import { changedUnderReview } from "../../run/Decide.ts"
import type { BatchCause, Event, EventOf, LevelOutcome } from "../../run/Event.ts"
import type { Identity } from "../../run/Identity.ts"
import { compare, type Level, levels } from "../../run/Level.ts"
import { nextBatch, type RunState } from "../../run/Manifest.ts"
import { decideMark, type Mark } from "../../run/Mark.ts"
import { areOfReview, coreVariables, reviewArguments, withoutInstructions } from "../../run/Target.ts"
import { batchName } from "../../text/Phrases.ts"
import { describe } from "../replay/words.ts"

// What an audit remembers of the complete batches of a strict run, to judge late answers.
// A few words for each batch, so that the audit of a long log needs little memory.

/** A complete batch: its result, why the run left it, and its last recorded outcome. */
export interface DoneBatch {
  readonly withIssues: number
  /** Whether a line says that none of its findings blocks. */
  readonly waived: boolean
  readonly left: BatchCause | null
  readonly answered: LevelOutcome["_tag"] | null
}

/** The complete batches of a strict run by their names. */
export type DoneBatches = ReadonlyMap<string, DoneBatch>

/** A complete batch by its place, or null. */
export const doneAt = (done: DoneBatches, at: { readonly level: Level; readonly batch: number }): DoneBatch | null =>
  done.get(batchName(at)) ?? null

/** What to remember of an event, or null. `state` is the run's state before the event. */
export const remembered = (
  done: DoneBatches,
  state: RunState,
  event: Event
): { readonly name: string; readonly batch: DoneBatch } | null => {
  if (state.strict === undefined) return null
  const changed = (at: { readonly level: Level; readonly batch: number }, change: Partial<DoneBatch>) => {
    const before = doneAt(done, at)
    return before === null ? null : { name: batchName(at), batch: { ...before, ...change } }
  }
  switch (event._tag) {
    case "BatchCompleted": {
      const batch = { withIssues: reviewsWithIssues(state.batch), waived: false, left: null, answered: null }
      return { name: batchName(event), batch }
    }
    case "BatchOpened":
      return changed({ level: state.current_level, batch: state.batch_number }, { left: event.cause })
    case "LevelOutcomeRecorded":
      return changed(event, { answered: event.outcome._tag })
    case "BatchWaived":
      return changed(event, { waived: true })
    default:
      return null
  }
}

// Whether a transition of a strict run can follow from the state before it.
// Only `run/Cover.ts` defines what covers a level, here as in the run itself.

/** What is wrong with a batch that a strict run opened because a level was not covered, or null. */
export const staleProblem = (
  state: RunState,
  event: EventOf<"BatchOpened">,
  next: LoggedEvent<Event> | null
): string | null => {
  const { current_level, start_level: floor, strict } = state
  if (strict === undefined) return "a run that is not strict covers no levels"
  if (event.batch !== nextBatch(state, event.level) || event.from !== current_level) {
    const derived = batchName({ level: event.level, batch: nextBatch(state, event.level) })
    return `a level that is not covered opens ${derived} from ${current_level}`
  }
  if (next?._tag !== "BatchStarted") return "a batch opened for a level that is not covered starts in the same line"
  const now = next.identity
  const lowest = staleLevel(strict, { floor, ceiling: event.level }, now, waivedIn(strict))
  if (lowest === event.level) return null
  if (lowest !== null) return `the lowest level that was not covered was ${lowest}`
  // No waiver counts here, because findings that did not block for one call may block for the next.
  return isCovered(strict, event.level, now, noneWaived) ? `${event.level} was covered already` : null
}

/** Which last batches of levels did not block, by the records. */
const waivedIn = (strict: StrictState): IsWaived => (level, batch) =>
  strict.last[level]?.batch === batch && strict.last[level]?.waiver !== undefined

/** What is wrong with a batch that is recorded as not blocking, or null. */
const waiverProblem = (
  { dismissed = [], strict }: RunState,
  event: EventOf<"BatchWaived">,
  done: DoneBatches
): string | null => {
  if (strict === undefined) return "in a run that is not strict every review with issues blocks"
  if ((doneAt(done, event)?.withIssues ?? 0) === 0) return "the batch had not been complete with issues"
  if (event.findings.length === 0) return "no finding is named, and a review whose findings are not listed blocks"
  for (const { because, fingerprint, priority } of event.findings) {
    if (because._tag === "BelowBlock" && (priority ?? 0) <= event.block) {
      return `${fingerprint} is not below --block P${event.block}`
    }
    const known = because._tag === "BelowBlock" || because.scope === "repo" ||
      dismissed.some(({ inRound, reason, until }) =>
        until === because.until && shortReason(reason) === because.reason && Equal.equals(inRound, because.inRound)
      )
    if (!known) return `${fingerprint} had not been dismissed so`
  }
  return null
}

/**
 * Null if the input of one level's last batch covers all levels; else the lowest level that the ceiling's does not
 * cover.
 */
const uncovered = (strict: StrictState, floor: Level, ceiling: Level): Level | null => {
  const saw = (level: Level) => {
    const completed = strict.last[level]?.completed
    return completed === undefined ? level : staleLevel(strict, { floor, ceiling }, completed, waivedIn(strict))
  }
  // A review of uncommitted code also counts for the commit of that code, but a review of a commit does not count for
  // uncommitted code. So the identity of any level may be the latest one.
  const within = levels.filter((level) => compare(level, floor) >= 0 && compare(level, ceiling) <= 0)
  return within.some((level) => saw(level) === null) ? null : saw(ceiling)
}

/** The problem of a fixed point that a strict run has reached by reviews or by a mark, or null. */
export const fixedPointProblem = (
  { start_level: floor }: RunState,
  strict: StrictState,
  { batch, ceiling, level }: Pick<EventOf<"FixedPointReached">, "batch" | "ceiling" | "level">
): string | null => {
  if (level !== ceiling) return `${level} is not the ceiling ${ceiling}`
  const last = strict.last[ceiling]
  if (last === null) return `no batch was complete at ${ceiling}`
  if (last.batch !== batch) return `the last complete batch there was ${batchName({ level, batch: last.batch })}`
  const missing = uncovered(strict, floor, ceiling)
  return missing === null ? null : `${missing} was not covered by what ${batchName({ level, batch })} reviewed`
}

const lateProblem = (event: EventOf<"LevelOutcomeRecorded">, done: DoneBatches): string | null => {
  const batch = doneAt(done, event)
  if (event.outcome._tag !== "RetrospectiveChanges") return "only changes of a retrospective may come late"
  if (batch === null || (batch.withIssues > 0 && !batch.waived)) return "the batch had not been complete and clean"
  if (batch.answered !== null) return "the batch was answered already"
  return batch.left === "Stale" ? null : "the batch was not left because the code had changed"
}

const answerProblem = (
  strict: StrictState,
  event: EventOf<"LevelOutcomeRecorded">,
  done: DoneBatches
): string | null => {
  const last = strict.last[event.level]
  if (last === null || last.batch !== event.batch) return "the batch that it answers was not complete"
  const { answered = null, waived = false } = doneAt(done, event) ?? {}
  if (event.outcome._tag === "Addressed") {
    // Its issues did not block when it counted as clean. They may block now.
    if (answered !== null && !(answered === "Clean" && waived)) return "the batch was answered already"
    return last.withIssues > 0 ? null : "the batch that it answers had no review with issues"
  }
  if (answered !== null) return "the batch was answered already"
  if (last.withIssues > 0 && !waived) return "the batch that it answers had reviews with issues"
  return event.outcome._tag === "RetrospectiveChanges" || isAbout(last, last.completed)
    ? null
    : "the batch that it answers no longer counted"
}

/** Whether an outcome answers a batch that the run has left. */
export const isLate = (state: RunState, { batch, level }: EventOf<"LevelOutcomeRecorded">): boolean =>
  level !== state.current_level || batch !== state.batch_number

/**
 * What is wrong with the outcome of a level in a strict run, besides the ladder's rules, or null. `next` is the
 * following event of its line.
 */
export const outcomeProblem = (
  state: RunState,
  strict: StrictState,
  event: EventOf<"LevelOutcomeRecorded">,
  next: LoggedEvent<Event> | null,
  done: DoneBatches
): string | null => {
  if (isLate(state, event)) return lateProblem(event, done)
  const problem = answerProblem(strict, event, done)
  return problem === null && next?._tag === "FixedPointReached" ? fixedPointProblem(state, strict, next) : problem
}

// Whether a transition can follow from the state before it.
// Transitions are computed again by the ladder's own functions. A second copy of its rules could differ from them.

const named = (events: ReadonlyArray<Event>): string =>
  events.length === 0 ? "nothing" : events.map((event) => `${event._tag} ${describe(event)}`).join(", then ")

/** The only mark that records this outcome of a level. */
const markOf = (outcome: LevelOutcome): Mark => {
  switch (outcome._tag) {
    case "Clean":
      return { _tag: "RetroClean" }
    case "RetrospectiveChanges":
      return { _tag: "RetroChanges", reason: outcome.reason }
    case "Addressed":
      return { _tag: "AddressPassed" }
  }
}

const primitives = {
  Advanced: { _tag: "AdvanceLevel" },
  Dropped: { _tag: "DropLevel" },
  Restarted: { _tag: "RestartFromFloor" }
} as const satisfies Record<Exclude<EventOf<"BatchOpened">["cause"], "TargetChanged" | "Stale">, Mark>

/** The verdict on a transition: how many events of the line it explains, and what is wrong with them, or null. */
interface Judgement {
  readonly explains: number
  readonly problem: string | null
}

const sound: Judgement = { explains: 1, problem: null }
const wrong = (problem: string): Judgement => ({ explains: 1, problem })

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Whether two values of a log are the same. Effect's Equal hashes both first, which is most of what an audit costs. */
export const same = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (!isRecord(a) || !isRecord(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]))
}

/** The event without the driver of its mark, which the ladder's rules do not know. */
const undriven = (event: LoggedEvent<Event> | null): LoggedEvent<Event> | null => {
  if (event?._tag !== "LevelOutcomeRecorded" && event?._tag !== "AddressFailed") return event
  const { driver: _, ...rest } = event
  return rest
}

const compared = (found: ReadonlyArray<LoggedEvent<Event> | null>, derived: ReadonlyArray<Event>): Judgement => {
  const present = found.slice(0, Math.max(1, derived.length))
  if (same(present.map(undriven), derived)) return { explains: derived.length, problem: null }
  const known = present.filter((event): event is Event => event !== null && !isLogEvent(event))
  return wrong(`the ladder's rules give ${named(derived)}; the log says ${named(known)}`)
}

// The allowed number of retries is not recorded. With 0 a batch counts as settled at the earliest moment.
const settled = (batch: StartedBatch) => assess(batch, 0)

/** Why a batch could not yet be replaced for changed code, or null. */
const undecided = ({ batch, batch_number, current_level, strict }: RunState): string | null => {
  if (batch._tag === "NotStarted") return null
  const status = settled(batch)
  if (status._tag === "Running") return "the batch before it was not decided yet"
  if (status._tag === "Complete" && status.withIssues > 0) {
    const last = strict?.last[current_level]
    const waived = last?.batch === batch_number && last.waiver !== undefined
    return waived ? null : "a batch with issues is handed off, not replaced"
  }
  return status._tag === "Failed" && batch.failedAt === 0
    ? "the batch before it had not been recorded as failed"
    : null
}

const targetChanged = (state: RunState, event: EventOf<"BatchOpened">, next: LoggedEvent<Event> | null): Judgement => {
  const { batch, current_level, strict } = state
  if (strict !== undefined) return wrong("a strict run opens a batch for a level that is not covered")
  const derived = { level: current_level, batch: nextBatch(state, current_level), from: current_level }
  if (event.level !== derived.level || event.batch !== derived.batch || event.from !== derived.from) {
    return wrong(`a changed target opens ${batchName(derived)} from ${derived.from}`)
  }
  if (next?._tag !== "BatchStarted") return wrong("a batch opened for a changed target starts in the same line")
  if (batch._tag === "NotStarted") return wrong("no batch had been started, so the target could not change under one")
  const open = undecided(state)
  if (open !== null) return wrong(open)
  return batch.identity._tag === "Known" || batch.completed?._tag === "Known"
    ? sound
    : wrong("what the batch before it reviewed is unknown, which is no reason for another batch")
}

const judged = (problem: string | null): Judgement => problem === null ? sound : wrong(problem)

const opened = (
  state: RunState,
  event: EventOf<"BatchOpened">,
  events: ReadonlyArray<LoggedEvent<Event> | null>
): Judgement => {
  const next = events[1] ?? null
  switch (event.cause) {
    case "TargetChanged":
      return targetChanged(state, event, next)
    case "Stale":
      return judged(undecided(state) ?? staleProblem(state, event, next))
    case "Advanced":
    case "Dropped":
    case "Restarted":
      // A primitive's transition depends on no ceiling.
      return compared(events, decideMark(state, primitives[event.cause], "xhigh").events)
  }
}

const recorded = (
  state: RunState,
  event: EventOf<"LevelOutcomeRecorded">,
  events: ReadonlyArray<LoggedEvent<Event> | null>,
  done: DoneBatches
): Judgement => {
  const { strict } = state
  if (strict !== undefined) {
    const problem = outcomeProblem(state, strict, event, events[1] ?? null, done)
    if (problem !== null || isLate(state, event)) return judged(problem)
  }
  return compared(events, decideMark(state, markOf(event.outcome), event.ceiling).events)
}

const reached = (state: RunState, event: EventOf<"FixedPointReached">): Judgement => {
  if (event.by === "Mark") return wrong("a fixed point by a mark follows the clean outcome in the same line")
  const { batch, batch_number, current_level, fixed_point, strict } = state
  if (fixed_point !== null && same(fixed_point, { level: event.level, batch: event.batch, ceiling: event.ceiling })) {
    return wrong("it had been reached already")
  }
  if (strict !== undefined) return judged(fixedPointProblem(state, strict, event))
  if (event.level !== current_level || event.batch !== batch_number) {
    return wrong(`the current batch was ${batchName({ level: current_level, batch: batch_number })}`)
  }
  if (event.level !== event.ceiling) return wrong(`${event.level} is not the ceiling ${event.ceiling}`)
  const status = batch._tag === "NotStarted" ? null : settled(batch)
  if (batch._tag === "NotStarted" || status?._tag !== "Complete" || status.withIssues > 0) {
    return wrong("the batch was not finished with every review clean")
  }
  if (batch.completed === null) return wrong("the batch was never recorded as complete")
  return changedUnderReview(batch) ? wrong("the code changed while the batch was under review") : sound
}

/**
 * Judges the transition at the head of `events`, the rest of its line: the outcome of a level, an opened batch, a fixed
 * point. Null for an event that is no transition. `done` are the complete batches of a strict run so far.
 */
export const transition = (
  state: RunState,
  event: Event,
  events: ReadonlyArray<LoggedEvent<Event> | null>,
  done: DoneBatches
): Judgement | null => {
  switch (event._tag) {
    case "LevelOutcomeRecorded":
      return recorded(state, event, events, done)
    case "BatchOpened":
      return opened(state, event, events)
    case "FixedPointReached":
      return reached(state, event)
    default:
      return null
  }
}

// Whether an event that is no transition can happen in the state before it.
// It knows the folded state, but not the command line of the invocation that wrote the fact.

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

const ofStart = ({ batch, frozen, target, trust_from }: RunState, event: EventOf<"BatchStarted">): string | null => {
  if (batch._tag !== "NotStarted") return "the batch was started already"
  const base = target._tag === "Base" ? target.branch : target._tag === "PullRequest" ? event.base : null
  if (event.base !== base) return `the target's base is ${base ?? "none"}`
  const instructed = !same(event.argv.slice(-withoutInstructions.length), withoutInstructions)
  // A frozen copy has the instructions of the trusted commit instead of the change's.
  if (frozen === undefined && trust_from !== undefined && instructed) {
    return "its reviewers were given the instructions of the change"
  }
  if (event.variables === "core" && !coreVariables.every((one) => event.argv.includes(one))) {
    return "the commands of its reviewers were not kept from variables"
  }
  return areOfReview(event.argv, target, base, event.level)
    ? null
    : `its reviewers were not called with: ${reviewArguments(target, base, event.level).join(" ")}`
}

/** What is missing after a review: the line of a batch's last review also records that the batch is complete. */
export const uncompleted = (
  after: RunState | null,
  following: ReadonlyArray<LoggedEvent<Event> | null>
): string | null => {
  const batch = after?.batch
  if (batch?._tag !== "Started" || batch.completed !== null) return null
  if (slotsOf(batch, "Finished").length < batch.size) return null
  return following.some((event) => event?._tag === "BatchCompleted")
    ? null
    : "it finished the batch, and its line does not record that the batch is complete"
}

/**
 * Why a fact that is no transition cannot have happened in the state before it, or null. `done` are the complete
 * batches of a strict run so far: the tests of any of them may fail.
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
    case "DismissalWithdrawn":
      return state.dismissed?.some(({ fingerprint }) => fingerprint === event.fingerprint) === true
        ? null
        : "no such dismissal was in force"
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
