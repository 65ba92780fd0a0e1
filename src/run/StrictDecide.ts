// StrictDecide: the next action of loop mode in a strict run: wait, hand off, or run the lowest uncovered level.
import { Schema } from "effect"
import { assess, type StartedBatch } from "./Batch.ts"
import { blocks, type CompleteBatch, isAbout, staleLevel, type StrictState, type IsWaived } from "./Cover.ts"
import { type Identity, sameInput, undisturbed } from "./Identity.ts"
import { Level, levels } from "./Level.ts"
import type { Manifest, RunState } from "./Manifest.ts"
import { type DecideContext, type Decision, failureMessage, movedKey } from "./Decide.ts"
import type { Outcome } from "./Outcome.ts"
import { addressPrompt, answerLine, retrospectivePrompt } from "./words.ts"

/** The input of a strict decision, beside the manifest. */
export interface StrictContext extends DecideContext {
  /** Which batches with issues do not block, by the invocation's `--block` and the present dismissals. */
  readonly waived: IsWaived
}

export type WaitContext = Pick<StrictContext, "ceiling" | "identity" | "lost" | "retries" | "waived">

/** What a strict run waits for: reviews, an answer to a hand-off, or nothing. */
export const Wait = Schema.TaggedUnion({
  Reviewers: {},
  Address: {},
  Retrospective: {},
  Reviews: { level: Level },
  Nothing: {},
  Identity: { why: Schema.String }
})
export type Wait = typeof Wait.Type

const halt = (outcome: Outcome): Decision => ({ _tag: "Halt", outcome })

/** The current batch as a complete one, or null while it is not complete. */
const complete = ({ batch_number, current_level }: RunState, { last }: StrictState): CompleteBatch | null =>
  last[current_level]?.batch === batch_number ? last[current_level] : null

/** Whether a batch whose slots are to be run again still sees its original input. */
const stillAbout = (batch: StartedBatch, now: Identity): boolean => sameInput(batch.identity, now) === "Same"

/** What a strict run waits for, given its present identity; null if that was not computed. */
export const waitOf = (
  manifest: RunState,
  strict: StrictState,
  { ceiling, identity: now, lost = false, retries, waived }: WaitContext
): Wait => {
  const { batch, current_level: level, start_level: floor } = manifest
  const status = assess(batch, retries)
  if (status._tag === "Running") return { _tag: "Reviewers" }
  const done = status._tag === "Complete" ? complete(manifest, strict) : null
  if (done !== null && blocks(level, done, waived)) return { _tag: "Address" }
  if (now === null || now._tag === "Unknown") {
    return { _tag: "Identity", why: now === null ? "it was not asked for" : now.why }
  }
  const rerun = status._tag === "Interrupted" || status._tag === "Failed"
  if (rerun && !lost && batch._tag === "Started" && stillAbout(batch, now)) return { _tag: "Reviews", level }
  if (done !== null && level !== ceiling && !strict.retrospected && isAbout(done, now)) {
    return { _tag: "Retrospective" }
  }
  const stale = staleLevel(strict, { floor, ceiling }, now, waived)
  return stale === null ? { _tag: "Nothing" } : { _tag: "Reviews", level: stale }
}

/** Whether a strict decision may depend on the present identity, which is slow in large repositories. */
export const dependsOnPresent = (
  { batch, batch_number, current_level }: RunState,
  retries: number,
  waived: IsWaived
): boolean => {
  const status = assess(batch, retries)
  return status._tag !== "Running" &&
    (status._tag !== "Complete" || status.withIssues === 0 || waived(current_level, batch_number))
}

/**
 * The batches with issues that count as clean if a run continues: the current one, and those that cover a level. Empty
 * while the run waits for reviewers or for an answer to issues.
 */
export const countedClean = (
  manifest: RunState,
  strict: StrictState,
  context: WaitContext
): ReadonlyArray<{ readonly level: Level; readonly batch: number }> => {
  const waiting = waitOf(manifest, strict, context)._tag
  if (waiting === "Reviewers" || waiting === "Address" || waiting === "Identity") return []
  return levels.flatMap((level) => {
    const last = strict.last[level]
    if (last === null || last.withIssues === 0 || blocks(level, last, context.waived)) return []
    const current = level === manifest.current_level && last.batch === manifest.batch_number
    const counts = current || (context.identity !== null && isAbout(last, context.identity))
    return counts ? [{ level, batch: last.batch }] : []
  })
}

/** The message if a strict run cannot continue because the present identity is unknown. Most causes name a remedy. */
const unknownInputText = (why: string): string =>
  `cannot read the code to review: ${why}${why.endsWith("]") ? "" : " [fix this and call again]"}`

/** Whether the code has changed since the current batch began, or while it was reviewed, so that no review counts. */
const movedOn = ({ batch }: RunState, now: Identity | null): boolean =>
  batch._tag === "Started" &&
  ((now !== null && !stillAbout(batch, now)) ||
    (batch.completed !== null && !undisturbed(batch.identity, batch.completed)))

const runReviews = (manifest: Manifest, level: Level, context: StrictContext): Decision => {
  const { batch, batch_number, batches, current_level } = manifest
  const { _tag: status } = assess(batch, context.retries)
  const here = `${level}/batch-${batch_number}`
  const moved = movedOn(manifest, context.identity)
  if (!moved && context.lost !== true && level === current_level) {
    if (status === "Interrupted") return { _tag: "RunReviews", cause: "stopped-slots", key: `${here}/stopped-slots` }
    if (status === "Failed") return { _tag: "RunReviews", cause: "failed-slots", key: `${here}/failed-slots` }
  }
  const fresh = status === "NotStarted" && level === current_level
  // If the code under review changes, the key omits the batch: a new batch for every change is no progress.
  const key = fresh ? `${here}/not-started` : `${level}/${moved ? movedKey : "stale"}`
  if (context.maxBatches !== null && batches >= context.maxBatches) {
    return halt({ _tag: "StuckCapReached", action: "RunReviews", key: `${key}/max-batches` })
  }
  return fresh
    ? { _tag: "RunReviews", cause: "not-started", key }
    : { _tag: "RunReviews", cause: "stale", level, key }
}

/** Decides the next action of loop mode in a strict run. */
export const decideStrict = (manifest: Manifest, strict: StrictState, context: StrictContext): Decision => {
  if (manifest.stopped_at > context.openedAt) return halt({ _tag: "DoneAborted" })
  const { batch, current_level: level, batch_number } = manifest
  const status = assess(batch, context.retries)
  if (status._tag === "Failed" && batch._tag === "Started") {
    const recorded = batch.failedAt
    const earlier = recorded > 0 && recorded <= context.openedAt
    if (!earlier) {
      const message = failureMessage(manifest, status.failed, status.kept, context.paths.logs)
      return halt({ _tag: "BinaryError", message, reviews: status.failed.length })
    }
  }
  const waiting = waitOf(manifest, strict, context)
  const answer = answerLine({ level, batch: batch_number, run: manifest.run_id })
  switch (waiting._tag) {
    case "Reviewers":
      return { _tag: "AwaitReviews", key: `${level}/batch-${batch_number}` }
    case "Address": {
      const count = status._tag === "Complete" ? status.withIssues : 0
      const prompt = `${addressPrompt(count, level, context.paths)}\n${answer}`
      return halt({ _tag: "HandoffAgent", action: "AddressBatch", prompt })
    }
    case "Retrospective": {
      const waived = status._tag === "Complete" ? status.withIssues : 0
      const prompt = `${retrospectivePrompt(level, manifest.start_level, context.paths, waived)}\n${answer}`
      return halt({ _tag: "HandoffAgent", action: "Retrospective", prompt })
    }
    case "Reviews":
      return runReviews(manifest, waiting.level, context)
    case "Nothing":
      return halt({ _tag: "DoneFixedPoint" })
    case "Identity":
      return halt({ _tag: "BinaryError", message: unknownInputText(waiting.why) })
  }
}
