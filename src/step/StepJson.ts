// StepJson: the JSON document that `--json` prints on stdout.
// Fields are only added; `schema` grows when a field changes its meaning.
import { Effect, Schema } from "effect"
import { findingsFields, findingsPart, SlotFields, slotsJson, stepBound } from "../review/findings/formats/Json.ts"
import { Count, documentText, LogHead, OutcomeName, version } from "../run/Document.ts"
import { ResumeReason } from "../run/Event.ts"
import { Level } from "../run/Level.ts"
import { exitCode } from "../run/Outcome.ts"
import { handoffPlaces } from "./Halt.ts"
import { readFindings } from "../review/findings/Reviews.ts"
import { barToShow, type BarSettings, noBar } from "../review/findings/Waiving.ts"
import type { Run } from "../run/Run.ts"
import { RunStore } from "../run/RunStore.ts"
import type { StepResult } from "./StepResult.ts"
import { recovered } from "../platform/Note.ts"

/** The document of a step, and of `converge`. Its form is a contract, with a bare name for the run. */
export class StepDocument extends Schema.Class<StepDocument>("Step")({
  schema: version,
  outcome: OutcomeName,
  exitCode: Count,
  action: Schema.NullOr(Schema.String),
  key: Schema.NullOr(Schema.String),
  prompt: Schema.NullOr(Schema.String),
  message: Schema.NullOr(Schema.String),
  line: Schema.NullOr(Schema.String),
  run: Schema.NullOr(Schema.Struct({
    run: Schema.String,
    directory: Schema.String,
    opened: Schema.NullOr(ResumeReason),
    level: Level,
    batch: Count,
    reviews: Schema.Array(SlotFields),
    findings: Schema.NullOr(findingsFields.findings),
    unlisted: Schema.NullOr(findingsFields.unlisted),
    gone: Schema.NullOr(findingsFields.gone),
    unseen: Schema.NullOr(findingsFields.unseen),
    estimate: Schema.NullOr(findingsFields.estimate),
    omitted: Schema.NullOr(findingsFields.omitted),
    paths: Schema.Struct({ findings: Schema.String, transcripts: Schema.String, history: Schema.String }),
    head: LogHead
  }))
}) {}

const text = (outcome: StepResult["outcome"]) => ({
  action: "action" in outcome ? outcome.action : null,
  key: "key" in outcome ? outcome.key : null,
  prompt: "prompt" in outcome ? outcome.prompt : null,
  message: "message" in outcome ? outcome.message : "advice" in outcome ? outcome.advice : null
})

const none = { findings: [], unlisted: [], gone: [], unseen: [], estimate: null, omitted: { findings: 0, batches: 0 } }
const unknown = { findings: null, unlisted: null, gone: null, unseen: null, estimate: null, omitted: null }

/** The findings of the current batch as far as its reviews have finished; null if they cannot be read. */
const findingsOf = Effect.fnUntraced(function*(run: Run, judging: BarSettings) {
  const { batch_number, current_level: level } = run.manifest
  const bar = yield* barToShow(run, judging)
  const report = yield* readFindings(run, { until: { level, batch: batch_number }, bar })
  return report === null ? none : findingsPart(report, stepBound)
}, Effect.catch((error) => Effect.as(recovered("the document has no findings")(error), unknown)))

/** The run in the document: its level, its current batch's reviews and merged findings, and its head. */
const runPart = Effect.fnUntraced(function*(run: Run, judging: BarSettings) {
  const { runPlaces } = yield* RunStore
  const { batch, batch_number, current_level, run_id } = run.manifest
  const { logs: _, ...paths } = yield* handoffPlaces(run)
  return {
    run: run_id,
    directory: runPlaces(run.ref).directory,
    opened: run.opened ?? null,
    level: current_level,
    batch: batch_number,
    reviews: batch._tag === "NotStarted" ? [] : slotsJson(batch),
    ...(yield* findingsOf(run, judging)),
    paths,
    head: run.head
  }
})

/** The document of a step's result, on one line, with the issues that block by `judging`. */
export const stepJson = Effect.fn("StepJson.stepJson")(
  function*({ line, outcome, run }: StepResult, judging: BarSettings = noBar) {
    const part = run === null || run.head.seq === 0 ? null : yield* runPart(run, judging)
    return documentText(StepDocument, {
      outcome: outcome._tag,
      exitCode: exitCode(outcome),
      ...text(outcome),
      line,
      run: part
    })
  }
)
