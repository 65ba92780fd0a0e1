// Path: the way of a run through its levels: its batches in order, with their times, tokens and findings.
import { estimateOf, type ExpectedFindings } from "../../review/findings/Estimate.ts"
import type { ReviewedBatch } from "../../review/findings/ReviewedBatch.ts"
import { slotsOf } from "../../run/Batch.ts"
import { type Level, levels } from "../../run/Level.ts"
import { noUsage, plusUsage, type Usage } from "../../run/Usage.ts"
import { batchName } from "../../text/Phrases.ts"
import type { ReadRun } from "../RunFindings.ts"
import type { BatchView, RunFacts } from "../RunView.ts"

/** How many findings a batch reports, how many of them are new or came back, and how many it no longer reports. */
export interface Counts {
  readonly open: number
  readonly new: number
  readonly gone: number
  /** The estimated number of unreported findings, or null. */
  readonly unreported: Pick<ExpectedFindings, "more" | "low" | "high"> | null
}

const unreportedBy = (batch: ReviewedBatch): Counts["unreported"] => {
  const estimated = estimateOf(batch)
  return estimated._tag === "Silent" ? null : { more: estimated.more, low: estimated.low, high: estimated.high }
}

/** One batch. `counts` is null if its reviews were not read. */
export interface BatchPart extends Omit<BatchView, "started"> {
  readonly reviews: number
  readonly withIssues: number
  readonly size: number
  readonly counts: Counts | null
  /** The rounds in which agents answered it. */
  readonly rounds: ReadonlyArray<number>
}

/** The sums of a level's batches. */
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
  /** The usage of its driver's agents. */
  readonly agents: Usage
}

const countsOf = ({ batches, history }: ReadRun): ReadonlyMap<string, Counts> =>
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

/** The way of a run, with the findings of its batches. */
export const pathPart = ({ batches: all, rounds, usage }: RunFacts, read: ReadRun): PathPart => {
  const counts = countsOf(read)
  const batches = all.map(({ started, ...one }): BatchPart => {
    const name = batchName(one)
    const finished = slotsOf(started, "Finished")
    return {
      ...one,
      reviews: finished.length,
      withIssues: finished.filter(({ verdict }) => verdict === "HasIssues").length,
      size: started.size,
      counts: counts.get(name) ?? null,
      rounds: rounds.flatMap(({ about, round }) => about !== null && batchName(about) === name ? [round] : [])
    }
  })
  return { batches, levels: levelsOf(batches), agents: usage.agents }
}
