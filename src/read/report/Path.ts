// Path: the way of a run through its levels.
import { slotsOf, type StartedBatch } from "../../run/Batch.ts"
import { estimateOf, type ExpectedFindings } from "../../review/findings/Estimate.ts"
import type { FindingHistory } from "../../review/findings/History.ts"
import type { ReviewedBatch } from "../../review/findings/ReviewedBatch.ts"
import type { BatchCause, Event } from "../../run/Event.ts"
import { compare, type Level, levels } from "../../run/Level.ts"
import { type Commit, isLogEvent } from "../../log/StreamKind.ts"
import { batchesOf, type PastBatch } from "../../run/ReviewRun.ts"
import { noUsage, plusUsage, type Usage } from "../../run/Usage.ts"
import { batchName } from "../../text/Phrases.ts"

// The way of a run through its levels: its batches in order, with their times, tokens and findings.

/** What a batch came to. `Waived`: it has findings, and none of them blocks. */
export type BatchVerdict = "Clean" | "Waived" | "Issues" | "Failed" | "Unfinished"

/** How a batch was reached from the one before it. */
export type Step = "Began" | "Climbed" | "Dropped" | "Stayed" | "Restarted"

/** How many findings a batch reports, how many of them are new or came back, and how many it is the first to lack. */
export interface Counts {
  readonly open: number
  readonly new: number
  readonly gone: number
  /** What nobody has reported, by who reported which of the findings; null where that tells nothing. */
  readonly unreported: Pick<ExpectedFindings, "more" | "low" | "high"> | null
}

const unreportedBy = (batch: ReviewedBatch): Counts["unreported"] => {
  const estimated = estimateOf(batch)
  return estimated._tag === "Silent" ? null : { more: estimated.more, low: estimated.low, high: estimated.high }
}

/** One batch. Times in epoch milliseconds; `counts` is null where its reviews were not read. */
export interface BatchPart {
  readonly level: Level
  readonly batch: number
  readonly verdict: BatchVerdict
  readonly step: Step
  readonly reviews: number
  readonly withIssues: number
  readonly size: number
  readonly from: number
  readonly to: number
  readonly used: Usage
  readonly counts: Counts | null
  /** The rounds in which agents answered it. */
  readonly rounds: ReadonlyArray<number>
}

/** What the batches of a level took together. */
export interface LevelPart {
  readonly level: Level
  readonly batches: number
  readonly reviews: number
  readonly millis: number
  readonly used: Usage
}

/** The way of a run. */
export interface PathPart {
  readonly batches: ReadonlyArray<BatchPart>
  readonly levels: ReadonlyArray<LevelPart>
  /** What the agents of its driver used. */
  readonly agents: Usage
}

/** What the lines of a log tell of a batch beside its state. */
interface Told {
  from: number
  to: number
  used: Usage
  waived: boolean
}

/** When each batch began and when it was last told of, the tokens of its reviews, and whether its findings block. */
const toldOf = (commits: ReadonlyArray<Commit<Event>>): ReadonlyMap<string, Told> => {
  const told = new Map<string, Told>()
  for (const { at, events } of commits) {
    for (const event of events) {
      if (isLogEvent(event) || !("batch" in event) || event._tag === "BatchOpened") continue
      const now = Date.parse(at)
      const known = told.get(batchName(event))
      if (event._tag === "BatchStarted") {
        told.set(batchName(event), { from: now, to: now, used: noUsage, waived: false })
      }
      if (known === undefined) continue
      if (event._tag === "BatchWaived") known.waived = true
      if (event._tag === "ReviewFinished" || event._tag === "ReviewFailed") {
        known.used = plusUsage(known.used, event.usage ?? noUsage)
      }
      // A later event about the batch, such as a waiver, says nothing of when its reviewers worked.
      if (event._tag.startsWith("Review") || event._tag === "BatchCompleted" || event._tag === "BatchFailed") {
        known.to = now
      }
    }
  }
  return told
}

const verdictOf = (batch: StartedBatch, waived: boolean): BatchVerdict => {
  const finished = slotsOf(batch, "Finished")
  if (finished.length === batch.size) {
    return finished.every(({ verdict }) => verdict === "Clean") ? "Clean" : waived ? "Waived" : "Issues"
  }
  return batch.failedAt > 0 ? "Failed" : "Unfinished"
}

const restarts: ReadonlyArray<BatchCause | null> = ["Restarted", "TargetChanged"]

/** How a batch follows the one before it. A run that begins again at its floor restarts, also where it was there. */
const stepOf = (before: PastBatch | undefined, { level }: PastBatch): Step => {
  if (before === undefined) return "Began"
  if (restarts.includes(before.left)) return "Restarted"
  const moved = compare(level, before.level)
  return moved > 0 ? "Climbed" : moved < 0 ? "Dropped" : "Stayed"
}

const countsOf = (history: FindingHistory, batches: ReadonlyArray<ReviewedBatch>): ReadonlyMap<string, Counts> =>
  new Map(
    history.chapters.flatMap(({ at, gone, tracked }, i) => {
      const batch = batches[i]
      if (batch?.read !== true) return []
      const fresh = tracked.filter(({ state }) => state !== "still there").length
      const counts = { open: tracked.length, new: fresh, gone: gone.length, unreported: unreportedBy(batch) }
      return [[batchName(at), counts] as const]
    })
  )

const levelsOf = (batches: ReadonlyArray<BatchPart>): ReadonlyArray<LevelPart> =>
  levels.flatMap((level) => {
    const own = batches.filter((one) => one.level === level)
    return own.length === 0 ? [] : [{
      level,
      batches: own.length,
      reviews: own.reduce((sum, { reviews }) => sum + reviews, 0),
      millis: own.reduce((sum, { from, to }) => sum + (to - from), 0),
      used: own.reduce((sum, { used }) => plusUsage(sum, used), noUsage)
    }]
  })

/** What the driver of a run did: the tokens of its agents, and its rounds by the names of the batches they answer. */
export interface DriverPart {
  readonly agents: Usage
  readonly rounds: ReadonlyMap<string, ReadonlyArray<number>>
}

/** Nobody has driven the run. */
export const nobody: DriverPart = { agents: noUsage, rounds: new Map() }

/** The way that the lines of a run tell, with the findings of its batches. */
export const pathPart = (
  commits: ReadonlyArray<Commit<Event>>,
  history: FindingHistory,
  reviewed: ReadonlyArray<ReviewedBatch>,
  { agents, rounds }: DriverPart = nobody
): PathPart => {
  const told = toldOf(commits)
  const counts = countsOf(history, reviewed)
  const past = batchesOf(commits)
  const batches = past.map((one, i): BatchPart => {
    const at = { level: one.level, batch: one.number }
    const { from, to, used, waived } = told.get(batchName(at)) ?? { from: 0, to: 0, used: noUsage, waived: false }
    const finished = slotsOf(one.batch, "Finished")
    return {
      ...at,
      verdict: verdictOf(one.batch, waived),
      step: stepOf(past[i - 1], one),
      reviews: finished.length,
      withIssues: finished.filter(({ verdict }) => verdict === "HasIssues").length,
      size: one.batch.size,
      from,
      to,
      used,
      counts: counts.get(batchName(at)) ?? null,
      rounds: rounds.get(batchName(at)) ?? []
    }
  })
  return { batches, levels: levelsOf(batches), agents }
}
