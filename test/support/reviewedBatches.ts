// reviewedBatches: reviewed batches, made from a few words.
// Everything that is not named is ordinary: a settled batch of three reviewers at the level low.
import type { Slot, StartedBatch } from "../../src/run/Batch.ts"
import type { Digest } from "../../src/run/Event.ts"
import type { Level } from "../../src/run/Level.ts"
import { type Finding, findingOf, type Priority } from "../../src/review/findings/Finding.ts"
import { type FindingsReport, findingsReport } from "../../src/review/findings/Report.ts"
import { mergeFindings } from "../../src/review/findings/Merge.ts"
import type { ReviewedBatch, UnlistedReview } from "../../src/review/findings/ReviewedBatch.ts"
import type { BatchPlaces } from "../../src/run/RunStore.ts"

export interface Wrote {
  readonly title?: string
  readonly body?: string
  readonly priority?: Priority | null
  readonly path?: string | null
  readonly lines?: readonly [number, number] | null
}

/** What a slot wrote, as a finding. */
export const wrote = (slot: number, what: Wrote = {}): Finding => {
  const { body = "It breaks.", lines = [10, 12], path = "src/a.ts", priority = 1, title = "Guard a null user" } = what
  const place = path === null ? null : { path, lines: lines === null ? null : { start: lines[0], end: lines[1] } }
  return findingOf({ title, body, priority, place }, slot, "/repo")
}

const digest = (bytes: number): Digest => ({ algorithm: "sha256", hex: "0".repeat(64), bytes })

export const finished = (slot: number, verdict: "Clean" | "HasIssues", bytes = 1000): Slot => ({
  _tag: "Finished",
  slot,
  attempts: 1,
  tries: 1,
  verdict,
  reason: verdict === "Clean" ? "no-defect-stated" : "rendered-findings",
  source: "stdout",
  findings: verdict === "Clean" ? 0 : 1,
  files: { log: digest(5000), out: digest(bytes), review: null }
})

export const failed = (slot: number, message: string): Slot => ({
  _tag: "Failed",
  slot,
  attempts: 1,
  tries: 1,
  kind: "Quota",
  transient: false,
  message,
  exit: 1,
  since: "2026-01-01T00:00:00.000Z"
})

export const running = (slot: number): Slot => ({
  _tag: "Running",
  slot,
  attempts: 1,
  tries: 1,
  id: "a",
  since: "2026-01-01T00:00:00.000Z"
})

export const started = (slots: ReadonlyArray<Slot>): StartedBatch => ({
  _tag: "Started",
  size: slots.length,
  base: null,
  argv: [],
  identity: { _tag: "Unknown", why: "a test" },
  slots,
  completed: null,
  failedAt: 0,
  stopped: false
})

/** The places of a batch of three reviewers in the directory of its run. */
export const placesOf = (run: string, level: Level, batch: number): BatchPlaces => {
  const directory = `${run}/levels/level-${level}/batch-${batch}`
  const stem = (slot: number) => `${directory}/${level}-${slot}`
  return {
    directory,
    findings: `${directory}/findings.md`,
    transcripts: `${stem(1)}.log to ${level}-3.log`,
    slots: [1, 2, 3].map((slot) => ({
      log: `${stem(slot)}.log`,
      out: `${stem(slot)}.out`,
      review: `${stem(slot)}.review.json`
    }))
  }
}

/** Where the transcripts of the whole run are. */
export const transcripts = "/state/run/levels/level-<L>/batch-<n>/<L>-<slot>.log"

/** A batch with these findings; `missing` are slots that have no review. */
export const batchOf = (
  batch: number,
  findings: ReadonlyArray<Finding>,
  rest: Partial<ReviewedBatch> & { readonly missing?: ReadonlyArray<Slot> } = {}
): ReviewedBatch => {
  const { missing = [], ...fields } = rest
  const unlisted: ReadonlyArray<UnlistedReview> = fields.unlisted ?? []
  const flawed = new Set([...findings.flatMap(({ detectedBy }) => detectedBy), ...unlisted.map(({ slot }) => slot)])
  const absent = new Map(missing.map((slot) => [slot.slot, slot]))
  const slots = [1, 2, 3].map((slot) => absent.get(slot) ?? finished(slot, flawed.has(slot) ? "HasIssues" : "Clean"))
  return {
    level: "low",
    batch,
    places: placesOf("/state/run", fields.level ?? "low", batch),
    started: started(slots),
    findings: mergeFindings(findings),
    unlisted,
    dropped: 0,
    read: true,
    ...fields
  }
}

/** The report of the last of these batches. */
export const report = (...batches: ReadonlyArray<ReviewedBatch>): FindingsReport => {
  const run = {
    run_id: "20260101T000000Z-000000000-p1",
    repo_id: "repo-noremote",
    target_key: "uncommitted",
    worktree: "/repo",
    level_history: []
  }
  const made = findingsReport(run, batches)
  if (made === null) throw new Error("a report needs a batch")
  return made
}
