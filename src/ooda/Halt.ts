// Halt: what a halt leaves behind before its header is printed: a recorded fixed point, findings, history.
// A file that a prompt names exists, whole, before the prompt is printed.
import { Effect } from "effect"
import { runDir } from "../core/run/Paths.ts"
import { findingsDocument } from "../core/findings/formats/Markdown.ts"
import { historyDocument } from "../core/findings/formats/Retrospective.ts"
import type { Level } from "../core/run/Level.ts"
import type { Outcome } from "../core/loop/Outcome.ts"
import { readFindings, readHistory } from "../runs/ReadReviews.ts"
import { commit, currentBatchDir, type Run } from "../runs/Run.ts"
import { RunStore } from "../services/RunStore.ts"

/** Where the handoff files of a run lie. */
export const handoffPaths = (run: Run) => {
  const dir = currentBatchDir(run)
  return { findings: `${dir}/findings.md`, transcripts: dir, history: `${runDir(run.ref)}/history.md` }
}

const writeFindings = Effect.fnUntraced(function*(run: Run) {
  const store = yield* RunStore
  const { batch_number: batch, current_level: level } = run.manifest
  // Another process may have opened the next batch by now; the findings are those of this run's current batch.
  const report = yield* readFindings(run, { until: { level, batch } })
  if (report !== null) yield* store.writeFile(handoffPaths(run).findings, findingsDocument(report))
})

const writeHistory = Effect.fnUntraced(function*(run: Run) {
  const store = yield* RunStore
  const { batches, failures } = yield* readHistory(run)
  yield* store.writeFile(handoffPaths(run).history, historyDocument(run.manifest, batches, failures))
})

/** Prepares a halt of loop mode and returns the run as it stands then. LogConflict when another process was first. */
export const prepareHalt = Effect.fn("Halt.prepareHalt")(function*(run: Run, outcome: Outcome, ceiling: Level) {
  if (outcome._tag === "HandoffAgent") {
    yield* outcome.action === "AddressBatch" ? writeFindings(run) : writeHistory(run)
    return run
  }
  if (outcome._tag !== "DoneFixedPoint") return run
  const { batch_number: batch, current_level: level, fixed_point: known } = run.manifest
  if (known !== null && known.level === level && known.batch === batch && known.ceiling === ceiling) return run
  return yield* commit(run, [{ _tag: "FixedPointReached", level, batch, ceiling, by: "Reviews" }])
})
