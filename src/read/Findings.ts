// Findings: the findings of a batch of a stored run.
import { Effect, Schema } from "effect"
import type { RunRef } from "../log/Refs.ts"
import { exits } from "../platform/Failure.ts"
import { findingsReport } from "../review/findings/Report.ts"
import type { BatchName } from "../review/findings/ReviewedBatch.ts"
import { readBatches, whole } from "../review/findings/Reviews.ts"
import { barToShow } from "../review/findings/Waiving.ts"
import { RunStore } from "../run/RunStore.ts"
import { batchName } from "../text/Phrases.ts"
import { readFacts } from "./Look.ts"
import { runOf } from "./RunFindings.ts"

/** There are no findings to show. A damaged log is this error too, because exit 1 means a batch with findings. */
export class NoFindings extends Schema.TaggedError<NoFindings>()("NoFindings", { message: Schema.String }) {
  readonly exitCode = exits.couldNot
}

/** Which findings to read. */
export interface FindingsOptions {
  /** The batch; by default the last one that the run started. */
  readonly batch?: BatchName
  /** Whether every text is read to its end. Otherwise texts and lists are cut to the limits of a document. */
  readonly whole?: boolean
  /** The commit whose dismissals count; if left out or null, the target decides. */
  readonly trustFrom?: string | null
}

/** The run with the findings, and its reviews: for a plan, the run that last converged its code. */
export const reviewed = Effect.fn("Findings.reviewed")(function*(run: RunRef) {
  const own = yield* readFacts(run)
  const last = own.converged.at(-1)?.run
  const all = last === undefined ? [] : yield* (yield* RunStore).list(run.root, run.repoId)
  const converged = all.find(({ runId }) => runId === last)
  const facts = converged === undefined ? own : yield* readFacts(converged)
  if (facts.unread !== null) return yield* new NoFindings({ message: facts.unread.message })
  const opened = runOf(facts)
  if (opened !== null) return { facts, opened }
  const why = facts.plan === null ? "the log has no beginning" : "the code of its plan has not been converged"
  return yield* new NoFindings({ message: `run ${facts.ref.runId} has no findings: ${why}` })
})

/**
 * The findings of a batch, merged, the gravest first: who reported each, and its history from batch to batch.
 * Only reads.
 */
export const findings = Effect.fn("Findings.findings")(
  function*(run: RunRef, options: FindingsOptions = {}) {
    const { batch } = options
    const { facts, opened } = yield* reviewed(run)
    const base = facts.batches.at(-1)?.started.base ?? null
    const bar = yield* barToShow(opened, { block: null, trustFrom: options.trustFrom ?? null }, base)
    const batches = yield* readBatches(opened, facts.batches, {
      ...(batch === undefined ? {} : { until: batch }),
      ...(options.whole === true ? { keep: whole } : {})
    })
    const report = findingsReport(opened.manifest, batches, bar)
    if (report !== null) return report
    const missing = batch === undefined ? "run any reviews" : `started ${batchName(batch)}`
    return yield* new NoFindings({ message: `run ${opened.ref.runId} has not ${missing} yet` })
  },
  Effect.catchTag("ReviewFilesFailed", ({ message }) => Effect.fail(new NoFindings({ message })))
)
