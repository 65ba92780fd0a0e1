// Findings: what the reviewers of a batch of a stored run found.
import { Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import type { BatchName } from "../review/findings/ReviewedBatch.ts"
import { isPlanRun } from "../run/RunKind.ts"
import type { RunRef } from "../log/Refs.ts"
import { fold } from "../run/Manifest.ts"
import { batchesOf, reviewRun } from "../run/ReviewRun.ts"
import { batchName } from "../text/Phrases.ts"
import { readFindings, whole } from "../review/findings/Reviews.ts"
import { barToShow } from "../review/findings/Waiving.ts"
import type { Run } from "../run/Run.ts"
import { EventLog, LogDamaged, LogMissing, LogRewound, LogTooNew, LogUnavailable } from "../log/EventLog.ts"
import { ReviewFilesFailed } from "../review/ReviewFiles.ts"

/** An error of a log or of a review's files. */
const Unreadable = Schema.Union([
  LogMissing,
  LogDamaged,
  LogRewound,
  LogTooNew,
  LogUnavailable,
  ReviewFilesFailed
])

/**
 * Why there are no findings: the run works through a plan, has no beginning or no such batch yet, or a log or review is
 * unreadable.
 */
export const NoFindingsReason = Schema.Union([
  Schema.TaggedStruct("OfPlan", { run: Schema.String }),
  Schema.TaggedStruct("NotBegun", { run: Schema.String }),
  Schema.TaggedStruct("NoBatch", { run: Schema.String, batch: Schema.NullOr(Schema.String) }),
  Schema.TaggedStruct("Unreadable", { error: Unreadable })
])
export type NoFindingsReason = typeof NoFindingsReason.Type

const reasonText = (reason: NoFindingsReason): string => {
  switch (reason._tag) {
    case "OfPlan":
      return `run ${reason.run} works through a plan: its reviews have issues, not findings [replay RUN tells them]`
    case "NotBegun":
      return `the log of run ${reason.run} has no beginning`
    case "NoBatch": {
      const missing = reason.batch === null ? "run any reviews" : `started ${reason.batch}`
      return `run ${reason.run} has not ${missing} yet`
    }
    case "Unreadable":
      return reason.error.message
  }
}

/** There are no findings. A damaged log is this error too, so that nobody takes exit 1 for a batch with findings. */
export class NoFindings extends Schema.TaggedError<NoFindings>()("NoFindings", { reason: NoFindingsReason }) {
  readonly exitCode = exits.couldNot
  override get message() {
    return reasonText(this.reason)
  }
}

/** Which findings are read. */
export interface FindingsOptions {
  /** The batch; by default the last one that the run started. */
  readonly batch?: BatchName
  /** Whether every text is read to its end. Otherwise texts and lists are cut to what a document can show. */
  readonly whole?: boolean
  /** The commit that the repository's dismissals are read from; left out or null it goes by the target. */
  readonly trustFrom?: string | null
}

/**
 * The findings of a batch, merged, the gravest first: who reported each, and what became of it from batch to batch.
 * Only reads.
 */
export const findings = Effect.fn("Findings.findings")(
  function*(run: RunRef, options: FindingsOptions = {}) {
    const { batch } = options
    if (isPlanRun(run)) return yield* new NoFindings({ reason: { _tag: "OfPlan", run: run.runId } })
    const { commits, head } = yield* (yield* EventLog).read(reviewRun, run)
    const manifest = fold(commits)
    if (manifest === null) return yield* new NoFindings({ reason: { _tag: "NotBegun", run: run.runId } })
    const opened: Run = { ref: run, manifest, head }
    const base = batchesOf(commits).at(-1)?.batch.base ?? null
    const report = yield* readFindings(opened, {
      bar: yield* barToShow(opened, { block: null, trustFrom: options.trustFrom ?? null }, base),
      ...(batch === undefined ? {} : { until: batch }),
      ...(options.whole === true ? { keep: whole } : {})
    })
    if (report !== null) return report
    const name = batch === undefined ? null : batchName(batch)
    return yield* new NoFindings({ reason: { _tag: "NoBatch", run: run.runId, batch: name } })
  },
  Effect.catchTag(
    ["LogMissing", "LogDamaged", "LogRewound", "LogTooNew", "LogUnavailable", "ReviewFilesFailed"],
    (error) => Effect.fail(new NoFindings({ reason: { _tag: "Unreadable", error } }))
  )
)
