// Cover: for each level of a strict run its last complete batch, and whether that batch covers the level.
// A batch covers its level only if it saw, from its beginning to its end, exactly the present input.
import { type Batch, reviewsWithIssues } from "./Batch.ts"
import type { Event, EventOf } from "./Event.ts"
import { type Identity, sameInput, undisturbed } from "./Identity.ts"
import { compare, type Level, levels } from "./Level.ts"

/** A complete batch: what its reviewers saw when it began and when it was complete. */
export interface CompleteBatch {
  readonly batch: number
  readonly withIssues: number
  readonly began: Identity
  readonly completed: Identity
  /** Whether a mark since then has voided it. */
  readonly voided: boolean
  /** The last record of why its findings did not block: the same is not recorded twice. Audits read it too. */
  readonly waiver?: EventOf<"BatchWaived">
}

/** What the fold of a strict run keeps beside its state. */
export interface StrictState {
  readonly last: Readonly<Record<Level, CompleteBatch | null>>
  /** Whether a retrospective was answered clean, with no batch with issues and no change recorded since. */
  readonly retrospected: boolean
  /** The line of the last `Addressed`: the drop in that line is no `--drop-level`. */
  readonly addressedAt: number
}

/** Before any batch. */
export const nothingCovered: StrictState = {
  last: { low: null, medium: null, high: null, xhigh: null },
  retrospected: false,
  addressedAt: 0
}

/** The part of a run's state that the cover needs: its current batch. */
interface Current {
  readonly current_level: Level
  readonly batch_number: number
  readonly batch: Batch
}

const voidFrom = (strict: StrictState, from: Level): StrictState => {
  const kept = (level: Level): CompleteBatch | null => {
    const last = strict.last[level]
    return last === null || compare(level, from) < 0 ? last : { ...last, voided: true }
  }
  return { ...strict, last: { low: kept("low"), medium: kept("medium"), high: kept("high"), xhigh: kept("xhigh") } }
}

/** The state of the cover after one event of the line `seq`. `after` is the state of the run after it. */
export const evolveStrict = (strict: StrictState, after: Current, event: Event, seq: number): StrictState => {
  switch (event._tag) {
    case "BatchCompleted": {
      const { batch } = after
      if (batch._tag === "NotStarted" || event.level !== after.current_level || event.batch !== after.batch_number) {
        return strict
      }
      const withIssues = reviewsWithIssues(batch)
      const last: CompleteBatch = {
        batch: event.batch,
        withIssues,
        began: batch.identity,
        completed: event.identity,
        voided: false
      }
      return {
        ...strict,
        last: { ...strict.last, [event.level]: last },
        retrospected: strict.retrospected && withIssues === 0
      }
    }
    case "LevelOutcomeRecorded":
      switch (event.outcome._tag) {
        case "Clean":
          return { ...strict, retrospected: true }
        case "Addressed":
          return { ...strict, retrospected: false, addressedAt: seq }
        case "RetrospectiveChanges":
          return voidFrom({ ...strict, retrospected: false }, "low")
      }
    case "BatchOpened":
      if (event.cause === "Restarted") return voidFrom(strict, "low")
      return event.cause === "Dropped" && strict.addressedAt !== seq ? voidFrom(strict, event.level) : strict
    case "BatchWaived": {
      const last = strict.last[event.level]
      return last?.batch === event.batch
        ? { ...strict, last: { ...strict.last, [event.level]: { ...last, waiver: event } } }
        : strict
    }
    default:
      return strict
  }
}

/** The last batches of levels that are complete with issues. */
export const lastWithIssues = (
  { last }: StrictState
): ReadonlyArray<{ readonly level: Level; readonly batch: number }> =>
  levels.flatMap((level) => {
    const done = last[level]
    return done === null || done.withIssues === 0 ? [] : [{ level, batch: done.batch }]
  })

/** Which batches with issues do not block, as an invocation judges them now. */
export type IsWaived = (level: Level, batch: number) => boolean

/** Every batch with issues blocks. */
export const noneWaived: IsWaived = () => false

/** Whether a complete batch of a level blocks. */
export const blocks = (level: Level, last: CompleteBatch, waived: IsWaived): boolean =>
  last.withIssues > 0 && !waived(level, last.batch)

/**
 * Whether a complete batch saw exactly the present input, from its beginning to its end. Both identities are compared:
 * if the code was committed during the batch, a reviewer that began late has seen only the commit.
 */
export const isAbout = ({ began, completed, voided }: CompleteBatch, now: Identity): boolean =>
  !voided && undisturbed(began, completed) && sameInput(began, now) === "Same" && sameInput(completed, now) === "Same"

/** Whether the present input is known to differ from what a complete batch saw. */
export const isKnownToDiffer = ({ began, completed }: CompleteBatch, now: Identity): boolean =>
  sameInput(began, now) === "Different" || sameInput(completed, now) === "Different"

/** Whether a level is covered: its last complete batch counts, does not block and saw the present input. */
export const isCovered = (strict: StrictState, level: Level, now: Identity, waived: IsWaived): boolean => {
  const last = strict.last[level]
  return last !== null && !blocks(level, last, waived) && isAbout(last, now)
}

/** The lowest level from the floor to the ceiling that is not covered, or null. */
export const staleLevel = (
  strict: StrictState,
  { ceiling, floor }: { readonly floor: Level; readonly ceiling: Level },
  now: Identity,
  waived: IsWaived
): Level | null =>
  levels.find((level) =>
    compare(level, floor) >= 0 && compare(level, ceiling) <= 0 && !isCovered(strict, level, now, waived)
  ) ?? null
