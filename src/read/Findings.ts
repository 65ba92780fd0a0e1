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
import { EventLog } from "../log/EventLog.ts"

/** There are no findings. A damaged log is this error too, so that nobody takes exit 1 for a batch with findings. */
export class NoFindings extends Schema.TaggedError<NoFindings>()("NoFindings", { message: Schema.String }) {
  readonly exitCode = exits.couldNot
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
    if (isPlanRun(run)) {
      return yield* new NoFindings({
        message: `run ${run.runId} works through a plan: its reviews have issues, not findings [replay RUN tells them]`
      })
    }
    const { commits, head } = yield* (yield* EventLog).read(reviewRun, run)
    const manifest = fold(commits)
    if (manifest === null) return yield* new NoFindings({ message: `the log of run ${run.runId} has no beginning` })
    const opened: Run = { ref: run, manifest, head }
    const base = batchesOf(commits).at(-1)?.batch.base ?? null
    const report = yield* readFindings(opened, {
      bar: yield* barToShow(opened, { block: null, trustFrom: options.trustFrom ?? null }, base),
      ...(batch === undefined ? {} : { until: batch }),
      ...(options.whole === true ? { keep: whole } : {})
    })
    if (report !== null) return report
    const missing = batch === undefined ? "run any reviews" : `started ${batchName(batch)}`
    return yield* new NoFindings({ message: `run ${run.runId} has not ${missing} yet` })
  },
  Effect.catchTag(
    ["LogMissing", "LogDamaged", "LogRewound", "LogTooNew", "LogUnavailable", "ReviewFilesFailed"],
    ({ message }) => Effect.fail(new NoFindings({ message }))
  )
)
