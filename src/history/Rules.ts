// Rules: whether a transition could have followed from the state before it.
// Transitions are computed again by the ladder's own functions. A second copy of its rules could differ from them.
import { assess, type StartedBatch } from "../core/run/Batch.ts"
import { changedUnderReview } from "../core/loop/Decide.ts"
import { isLogEvent, type Logged } from "../core/log/LogEvent.ts"
import type { Event, EventOf, LevelOutcome } from "../core/run/Event.ts"
import type { RunState } from "../core/run/Manifest.ts"
import { nextBatch } from "../core/run/Manifest.ts"
import { decideMark, type Mark } from "../core/loop/Mark.ts"
import { batchName } from "../core/text/Phrases.ts"
import type { DoneBatches } from "./Answerable.ts"
import { describe } from "./Describe.ts"
import { fixedPointProblem, isLate, outcomeProblem, staleProblem } from "./StrictRules.ts"

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

/** A verdict on a transition: how many events of the line it explains, and what is wrong with them, or null. */
export interface Judgement {
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

/** The event without who set the mark, which the ladder's rules do not know. */
const undriven = (event: Logged<Event> | null): Logged<Event> | null => {
  if (event?._tag !== "LevelOutcomeRecorded" && event?._tag !== "AddressFailed") return event
  const { driver: _, ...rest } = event
  return rest
}

const compared = (found: ReadonlyArray<Logged<Event> | null>, derived: ReadonlyArray<Event>): Judgement => {
  const present = found.slice(0, Math.max(1, derived.length))
  if (same(present.map(undriven), derived)) return { explains: derived.length, problem: null }
  const known = present.filter((event): event is Event => event !== null && !isLogEvent(event))
  return wrong(`the ladder's rules give ${named(derived)}; the log says ${named(known)}`)
}

// How many retries an invocation allowed is not recorded. With 0 a batch counts as settled at the earliest moment.
const settled = (batch: StartedBatch) => assess(batch, 0)

/** Why a batch could not yet be replaced because the code had changed, or null. */
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

const targetChanged = (state: RunState, event: EventOf<"BatchOpened">, next: Logged<Event> | null): Judgement => {
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
  events: ReadonlyArray<Logged<Event> | null>
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
  events: ReadonlyArray<Logged<Event> | null>,
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
  if (event.by === "Mark") return wrong("a fixed point by a mark stands behind the clean outcome in the same line")
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
 * Judges the transition at the head of `events`, the rest of its line: the outcome of a level, an opened batch, a
 * fixed point. Null for an event that is no transition. `done` are the complete batches of a strict run so far.
 */
export const transition = (
  state: RunState,
  event: Event,
  events: ReadonlyArray<Logged<Event> | null>,
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
