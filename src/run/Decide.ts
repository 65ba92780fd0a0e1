// Decide: what a call of loop mode does next, from the manifest and the batch: act, wait or halt.
// Total and pure. A clean batch leads up only for the code that it saw.
import { assess, type BatchStatus, type SlotOf, slotsOf, type StartedBatch } from "./Batch.ts"
import { differs, type Identity } from "./Identity.ts"
import { atCeiling } from "./Ladder.ts"
import type { Level } from "./Level.ts"
import type { Manifest } from "./Manifest.ts"
import { oneLine } from "../text/Untrusted.ts"
import { batchName, counted } from "../text/Phrases.ts"
import type { Outcome } from "./Outcome.ts"
import type { Settings } from "./Settings.ts"
import { addressPrompt, retrospectivePrompt } from "./words.ts"

/** Why reviews are run: nothing of the batch has run, some slots failed or were stopped, or the code moved on. */
export type RunCause = "not-started" | "failed-slots" | "stopped-slots" | "target-changed"

/** The last part of the key of reviews of changed code. */
export const movedKey = "target-changed" satisfies RunCause

/** One decision. `key` is the blocker key of the contract: equal keys in a row mean no progress. */
export type Decision =
  | { readonly _tag: "RunReviews"; readonly cause: RunCause; readonly key: string }
  /** In a strict run: the level is not covered, and its next batch is opened for it. */
  | { readonly _tag: "RunReviews"; readonly cause: "stale"; readonly level: Level; readonly key: string }
  | { readonly _tag: "AwaitReviews"; readonly key: string }
  | { readonly _tag: "Halt"; readonly outcome: Outcome }

/** The input of a decision, beside the manifest. */
export interface DecideContext extends Pick<Settings, "ceiling" | "retries" | "maxBatches"> {
  /** The last line that existed when this invocation began: later failures are this invocation's to report. */
  readonly openedAt: number
  /** The target's present identity; null if it was not needed. */
  readonly identity: Identity | null
  /** Whether the private repository in which slots would be run again is gone. */
  readonly lost?: boolean
  readonly paths: {
    readonly findings: string
    readonly transcripts: string
    readonly history: string
    /** The transcript of each slot, in order. */
    readonly logs: ReadonlyArray<string>
  }
}

/** Whether the target is known to have changed during the batch, so that its verdicts are about different code. */
export const changedUnderReview = ({ completed, identity }: StartedBatch): boolean =>
  completed !== null && differs(identity, completed)

/** Whether the target has changed since the current batch began, as far as can be known. */
export const targetChanged = ({ batch }: Manifest, now: Identity | null): boolean =>
  batch._tag === "Started" &&
  (changedUnderReview(batch) ||
    (now !== null && (differs(batch.identity, now) || (batch.completed !== null && differs(batch.completed, now)))))

/** One line for a batch with slots that failed for good: which, why, what to do, what is kept. */
export const failureMessage = (
  manifest: Manifest,
  failed: ReadonlyArray<SlotOf<"Failed">>,
  kept: number,
  logs: ReadonlyArray<string>
): string => {
  const ended = (exit: number | null): string => exit === null ? "" : ` exited ${exit}`
  // A reviewer that never started has no transcript.
  const read = ({ kind, slot }: SlotOf<"Failed">): string => {
    const log = kind === "Unstarted" ? undefined : logs[slot - 1]
    return log === undefined ? "" : `, transcript ${oneLine(log)}`
  }
  const why = failed.map((one) => `slot ${one.slot}${ended(one.exit)}: ${one.message}${read(one)}`).join("; ")
  const keeps = kept === 0 ? "no finished review to keep" : `${kept} finished review(s) kept`
  return `${failed.length} review(s) of ${manifest.current_level} batch ${manifest.batch_number} failed: ${why} ` +
    `[${keeps}; the next invocation runs only the failed slots again]`
}

/** One line for a batch whose private repository is gone, and that `next` has replaced. */
export const lostMessage = (manifest: Manifest, place: string, next: Manifest): string => {
  const { batch, batch_number, current_level } = manifest
  const name = batchName({ level: current_level, batch: batch_number })
  const kept = batch._tag === "Started" ? slotsOf(batch, "Finished").length : 0
  return `the private repository of ${name} (${place}) is gone: ` +
    `${batchName({ level: next.current_level, batch: next.batch_number })} reviews the code instead ` +
    `[call again to await it; ${counted(kept, "finished review")} of ${name} kept]`
}

const run = (manifest: Manifest, cause: RunCause, context: DecideContext): Decision => {
  const { batch_number, current_level } = manifest
  // If the code under review changes, the key omits the batch: a new batch for every change is no progress.
  const where = cause === "target-changed" ? current_level : `${current_level}/batch-${batch_number}`
  const key = `${where}/${cause}`
  const startsBatch = cause === "not-started" || cause === "target-changed"
  return startsBatch && context.maxBatches !== null && manifest.batches >= context.maxBatches
    ? { _tag: "Halt", outcome: { _tag: "StuckCapReached", action: "RunReviews", key: `${key}/max-batches` } }
    : { _tag: "RunReviews", cause, key }
}

/** Runs a started batch again if it is about the present code and its input exists; otherwise no review would count. */
const rerun = (manifest: Manifest, cause: RunCause, context: DecideContext): Decision => {
  const over = context.lost === true || targetChanged(manifest, context.identity)
  return run(manifest, over ? "target-changed" : cause, context)
}

/** Whether the decision on a manifest needs the target's present identity, which is slow in large repositories. */
export const needsIdentity = ({ batch }: Manifest, retries: number): boolean => {
  const status = assess(batch, retries)
  return (status._tag === "Complete" && status.withIssues === 0) || status._tag === "Failed" ||
    status._tag === "Interrupted"
}

/** Decides the next action of loop mode. */
export const decide = (manifest: Manifest, context: DecideContext): Decision => {
  // A stop of the batch while this invocation waited also applied to this invocation. The next one continues.
  if (manifest.stopped_at > context.openedAt) return { _tag: "Halt", outcome: { _tag: "DoneAborted" } }
  const status: BatchStatus = assess(manifest.batch, context.retries)
  switch (status._tag) {
    case "NotStarted":
      return run(manifest, "not-started", context)
    case "Interrupted":
      return rerun(manifest, "stopped-slots", context)
    case "Running":
      return { _tag: "AwaitReviews", key: `${manifest.current_level}/batch-${manifest.batch_number}` }
    case "Failed": {
      const recorded = manifest.batch._tag === "Started" ? manifest.batch.failedAt : 0
      return recorded > 0 && recorded <= context.openedAt
        ? rerun(manifest, "failed-slots", context)
        : {
          _tag: "Halt",
          outcome: {
            _tag: "BinaryError",
            message: failureMessage(manifest, status.failed, status.kept, context.paths.logs),
            reviews: status.failed.length
          }
        }
    }
    case "Complete": {
      const level = manifest.current_level
      if (status.withIssues > 0) {
        const prompt = addressPrompt(status.withIssues, level, context.paths)
        return { _tag: "Halt", outcome: { _tag: "HandoffAgent", action: "AddressBatch", prompt } }
      }
      if (targetChanged(manifest, context.identity)) return run(manifest, "target-changed", context)
      return atCeiling({ ceiling: context.ceiling, current: level })
        ? { _tag: "Halt", outcome: { _tag: "DoneFixedPoint" } }
        : {
          _tag: "Halt",
          outcome: {
            _tag: "HandoffAgent",
            action: "Retrospective",
            prompt: retrospectivePrompt(level, manifest.start_level, context.paths)
          }
        }
    }
  }
}
