// Json: the JSON document of converge.
import { Effect, Record, Schema, Struct } from "effect"
import { type BarSettings, noBar } from "../../review/findings/Waiving.ts"
import { Count, documentText, OutcomeName, RunName, runName, version } from "../../run/Document.ts"
import { exitCode } from "../../run/Outcome.ts"
import { outcomeFields, outcomePart, runFields, runPart } from "../../step/StepJson.ts"
import type { StepResult } from "../../step/StepResult.ts"

/** The document of `converge --json`: what a step's document says, with the run as every other document names it. */
export class ConvergeDocument extends Schema.Class<ConvergeDocument>("Converge")({
  schema: version,
  outcome: OutcomeName,
  exitCode: Count,
  ...outcomeFields,
  run: Schema.NullOr(RunName),
  ...Struct.map(runFields, Schema.NullOr)
}) {}

const noRun = { run: null, ...Record.map(runFields, () => null) }

/** The document of a call, one line, ending in a newline, with the issues that block by `judging`. */
export const convergeJson = Effect.fn("Json.convergeJson")(
  function*({ outcome, run }: Omit<StepResult, "line">, judging: BarSettings = noBar) {
    const part = yield* runPart(run, judging)
    return documentText(ConvergeDocument, {
      outcome: outcome._tag,
      exitCode: exitCode(outcome),
      ...outcomePart(outcome),
      ...(part === null || run === null ? noRun : { run: runName(run.ref), ...part })
    })
  }
)
