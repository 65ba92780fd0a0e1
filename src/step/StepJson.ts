// StepJson: the JSON document that `--json` prints on stdout.
// Fields are only added; `schema` grows when a field changes its meaning.
import { Effect } from "effect"
import { findingsPart, slotsJson, stepBound } from "../review/findings/formats/Json.ts"
import { exitCode } from "../run/Outcome.ts"
import { jsonText } from "../text/Json.ts"
import { handoffPlaces } from "./Halt.ts"
import { readFindings } from "../review/findings/Reviews.ts"
import { barToShow, type BarSettings, noBar } from "../review/findings/Waiving.ts"
import type { Run } from "../run/Run.ts"
import { RunStore } from "../run/RunStore.ts"
import type { StepResult } from "./StepResult.ts"
import { recovered } from "../platform/Note.ts"

const schema = 1

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
    const document = { schema, outcome: outcome._tag, exitCode: exitCode(outcome), ...text(outcome), line, run: part }
    return `${jsonText(document)}\n`
  }
)
