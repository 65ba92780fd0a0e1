// StrictRules: whether a transition of a strict run could have followed from the state before it.
// `core/run/Cover.ts` alone says what covers a level, here as in the run itself.
import type { Logged } from "../core/log/LogEvent.ts"
import { shortReason } from "../core/findings/Waiving.ts"
import { isAbout, isCovered, noneWaived, staleLevel, type StrictState, type Waived } from "../core/run/Cover.ts"
import type { Event, EventOf } from "../core/run/Event.ts"
import { compare, type Level, levels } from "../core/run/Level.ts"
import { nextBatch, type RunState } from "../core/run/Manifest.ts"
import { batchName } from "../core/text/Phrases.ts"
import { type DoneBatches, doneAt } from "./Answerable.ts"

/** What is wrong with a batch that a strict run opened because a level was not covered, or null. */
export const staleProblem = (
  state: RunState,
  event: EventOf<"BatchOpened">,
  next: Logged<Event> | null
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

/** Which last batches of levels did not block by what was recorded of them. */
const waivedIn = (strict: StrictState): Waived => (level, batch) =>
  strict.last[level]?.batch === batch && strict.last[level]?.waiver !== undefined

/** What is wrong with a batch that is said not to block, or null. */
export const waiverProblem = (
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
      dismissed.some(({ reason, until }) => until === because.until && shortReason(reason) === because.reason)
    if (!known) return `${fingerprint} had not been dismissed so`
  }
  return null
}

/**
 * Null if what one level's last batch saw covers all levels; else the lowest level that the ceiling's does not cover.
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
    // Its issues did not block when it counted as clean. They may block by now.
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
 * What is wrong with the outcome of a level that a strict run recorded, besides what the ladder's rules find, or null.
 * `next` is the event behind it in its line.
 */
export const outcomeProblem = (
  state: RunState,
  strict: StrictState,
  event: EventOf<"LevelOutcomeRecorded">,
  next: Logged<Event> | null,
  done: DoneBatches
): string | null => {
  if (isLate(state, event)) return lateProblem(event, done)
  const problem = answerProblem(strict, event, done)
  return problem === null && next?._tag === "FixedPointReached" ? fixedPointProblem(state, strict, next) : problem
}
