// Halt: prepares the end of a loop: records a fixed point, or writes the findings or the history that a prompt names.
// A file that a prompt names is complete before the prompt is printed.
import { Effect } from "effect"
import { findingsDocument } from "../review/findings/formats/Markdown.ts"
import type { Bar } from "../review/findings/Waiving.ts"
import { historyDocument } from "../review/findings/formats/Retrospective.ts"
import type { Level } from "../run/Level.ts"
import type { Manifest } from "../run/Manifest.ts"
import type { Outcome } from "../run/Outcome.ts"
import { readFindings, readHistory } from "../review/findings/Reviews.ts"
import { commit, currentBatch, type Run } from "../run/Run.ts"
import { RunStore } from "../run/RunStore.ts"

/** The files that the prompts of a run name: the findings, the transcripts, the history. */
export const handoffPlaces = Effect.fn("Halt.handoffPlaces")(function*(run: Run) {
  const { batchPlaces, runPlaces } = yield* RunStore
  const { directory, findings, slots } = batchPlaces(currentBatch(run), run.manifest.batch_size)
  return { findings, transcripts: directory, logs: slots.map(({ log }) => log), history: runPlaces(run.ref).history }
})

const writeFindings = Effect.fnUntraced(function*(run: Run, bar: Bar) {
  const batch = currentBatch(run)
  // Another process may have opened the next batch by now; the findings are those of this run's current batch.
  const report = yield* readFindings(run, { until: batch, bar })
  if (report !== null) yield* (yield* RunStore).writeFindings(batch, findingsDocument(report))
})

const writeHistory = Effect.fnUntraced(function*(run: Run) {
  const store = yield* RunStore
  const { batches, failures } = yield* readHistory(run)
  const { transcripts } = store.runPlaces(run.ref)
  yield* store.writeHistory(run.ref, historyDocument(run.manifest, batches, failures, transcripts))
})

/** The batch that a fixed point names: the ceiling's. A strict run may have moved to another level. */
const fixedBy = ({ batch_number, current_level, strict }: Manifest, ceiling: Level) =>
  strict === undefined
    ? { level: current_level, batch: batch_number }
    : { level: ceiling, batch: strict.last[ceiling]?.batch ?? batch_number }

/** Prepares a halt of loop mode and returns the run after that. LogConflict when another process was first. */
export const prepareHalt = Effect.fn("Halt.prepareHalt")(function*(
  run: Run,
  outcome: Outcome,
  ceiling: Level,
  bar: Bar
) {
  if (outcome._tag === "HandoffAgent") {
    yield* outcome.action === "AddressBatch" ? writeFindings(run, bar) : writeHistory(run)
    return run
  }
  if (outcome._tag !== "DoneFixedPoint") return run
  const { fixed_point: known } = run.manifest
  const { batch, level } = fixedBy(run.manifest, ceiling)
  if (known !== null && known.level === level && known.batch === batch && known.ceiling === ceiling) return run
  return yield* commit(run, [{ _tag: "FixedPointReached", level, batch, ceiling, by: "Reviews" }])
})
