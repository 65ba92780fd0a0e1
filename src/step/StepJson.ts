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

/** What an outcome has beside its name. */
export const outcomeFields = {
  action: Schema.NullOr(Schema.String),
  key: Schema.NullOr(Schema.String),
  prompt: Schema.NullOr(Schema.String),
  message: Schema.NullOr(Schema.String)
}

/** A run after a step or `converge`: its level, its current batch with its findings, its files and its head. */
export const runFields = {
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
}

/** The document of a step. Its form is a contract: the run's name is a text among the fields of the run. */
export class StepDocument extends Schema.Class<StepDocument>("Step")({
  schema: version,
  outcome: OutcomeName,
  exitCode: Count,
  ...outcomeFields,
  line: Schema.NullOr(Schema.String),
  run: Schema.NullOr(Schema.Struct({ run: Schema.String, ...runFields }))
}) {}

interface AnyOutcome {
  readonly _tag: string
  readonly action?: string
  readonly key?: string
  readonly prompt?: string
  readonly message?: string
  readonly advice?: string
}

/** An outcome, of a step or a driver, as these fields. */
export const outcomePart = ({ action, advice, key, message, prompt }: AnyOutcome) => ({
  action: action ?? null,
  key: key ?? null,
  prompt: prompt ?? null,
  message: message ?? advice ?? null
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

/** A run as these fields; null if it has not begun. */
export const runPart = Effect.fnUntraced(function*(run: Run | null, judging: BarSettings) {
  if (run === null || run.head.seq === 0) return null
  const { runPlaces } = yield* RunStore
  const { batch, batch_number, current_level } = run.manifest
  const { logs: _, ...paths } = yield* handoffPlaces(run)
  return {
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
    const part = yield* runPart(run, judging)
    return documentText(StepDocument, {
      outcome: outcome._tag,
      exitCode: exitCode(outcome),
      ...outcomePart(outcome),
      line,
      run: part === null || run === null ? null : { run: run.ref.runId, ...part }
    })
  }
)
