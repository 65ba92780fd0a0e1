// History: every finding from batch to batch: new, still there, gone, came back.
// Findings are recognised by fingerprint. One is gone only when a batch with all its reviews does not report it.
import { type Finding, fingerprint } from "./Finding.ts"
import { type BatchName, isSettled, type ReviewedBatch } from "./ReviewedBatch.ts"

/** The state of a finding in the batch that reports it, compared with earlier batches. */
export type FindingState = "new" | "still there" | "came back"

/** When a finding was reported. */
export interface Sightings {
  readonly first: BatchName
  readonly last: BatchName
  /** In how many batches. */
  readonly times: number
}

/** A finding as one batch reports it; `before` describes earlier batches and is null for a new finding. */
export interface TrackedFinding {
  readonly finding: Finding
  readonly state: FindingState
  readonly before: Sightings | null
  /** The index of its thread. */
  readonly thread: number
}

/** One defect through all batches. */
export interface Thread {
  /** As last reported. */
  readonly finding: Finding
  /** Other findings with this fingerprint in the same batch, at other places. */
  readonly others: ReadonlyArray<Finding>
  readonly seen: Sightings
  /** The first complete batch that no longer reported it, or null. */
  readonly gone: BatchName | null
}

/** One batch: the findings it reports, and the threads that it is the first not to report. */
export interface Chapter {
  readonly at: BatchName
  readonly tracked: ReadonlyArray<TrackedFinding>
  readonly gone: ReadonlyArray<number>
}

/** The history of a run's findings. Threads are in the order of their first report. */
export interface FindingHistory {
  readonly threads: ReadonlyArray<Thread>
  readonly chapters: ReadonlyArray<Chapter>
}

/** Every fingerprint under which a finding was reported: reviewers word one defect differently. */
export const namesOf = (finding: Finding): ReadonlyArray<string> => {
  const others = finding.reports.slice(1).map(fingerprint)
  return others.length === 0 ? [finding.fingerprint] : [...new Set([finding.fingerprint, ...others])]
}

const root = (parents: Map<string, string>, name: string): string => {
  let at = name
  for (let up = parents.get(at) ?? at; up !== at; up = parents.get(at) ?? at) {
    parents.set(at, parents.get(up) ?? up)
    at = up
  }
  return at
}

/** For each fingerprint the one that represents it: all fingerprints of a finding mean the same defect. */
const united = (named: ReadonlyArray<ReadonlyArray<string>>): (name: string) => string => {
  const parents = new Map<string, string>()
  for (const [first, ...others] of named) {
    if (first === undefined) continue
    for (const other of others) {
      const [a, b] = [root(parents, first), root(parents, other)]
      if (a !== b) parents.set(a < b ? b : a, a < b ? a : b)
    }
  }
  return (name) => root(parents, name)
}

/** Follows findings by fingerprint through a run's batches; an unsettled batch makes nothing gone. Linear. */
export const findingHistory = (batches: ReadonlyArray<ReviewedBatch>): FindingHistory => {
  const rootOf = united(batches.flatMap(({ findings }) => findings.map(namesOf)))
  const threads: Array<Thread> = []
  const indices = new Map<string, number>()
  const present = new Set<number>()
  const twins = new Map<number, Array<Finding>>()

  const track = (finding: Finding, at: BatchName, heads: Map<number, TrackedFinding>): TrackedFinding => {
    const name = rootOf(finding.fingerprint)
    const thread = indices.get(name) ?? threads.length
    const twin = heads.get(thread)
    // Findings of one batch with the same fingerprint have the same state.
    if (twin !== undefined) {
      twins.get(thread)?.push(finding)
      return { ...twin, finding }
    }
    const before = threads[thread]?.seen ?? null
    const state = before === null ? "new" : present.has(thread) ? "still there" : "came back"
    const tracked: TrackedFinding = { finding, state, before, thread }
    const seen: Sightings = { first: before?.first ?? at, last: at, times: (before?.times ?? 0) + 1 }
    indices.set(name, thread)
    heads.set(thread, tracked)
    present.add(thread)
    const others: Array<Finding> = []
    twins.set(thread, others)
    threads[thread] = { finding, others, seen, gone: null }
    return tracked
  }

  const chapters = batches.map((batch): Chapter => {
    const at: BatchName = { level: batch.level, batch: batch.batch }
    const heads = new Map<number, TrackedFinding>()
    const tracked = batch.findings.map((finding) => track(finding, at, heads))
    const gone = isSettled(batch) ? [...present].filter((thread) => !heads.has(thread)) : []
    for (const thread of gone) {
      const open = threads[thread]
      present.delete(thread)
      if (open !== undefined) threads[thread] = { ...open, gone: at }
    }
    return { at, tracked, gone }
  })
  return { threads, chapters }
}
