// StepJson: the one JSON document that `--json` puts on stdout.
// The one rule: fields are only added; `schema` grows when a field changes its meaning.
import { Effect } from "effect"
import { exitCode } from "./core/Outcome.ts"
import { mergeFindings } from "./core/Merge.ts"
import { batchesOf } from "./core/History.ts"
import { handoffPaths } from "./Handoff.ts"
import { readReviews } from "./Reviews.ts"
import { EventLog } from "./services/EventLog.ts"
import type { StepResult } from "./Step.ts"

const schema = 1

const text = (outcome: StepResult["outcome"]) => ({
  action: "action" in outcome ? outcome.action : null,
  key: "key" in outcome ? outcome.key : null,
  prompt: "prompt" in outcome ? outcome.prompt : null,
  message: "message" in outcome ? outcome.message : null
})

/** What is told of the run: where it stands, its current batch's reviews and merged findings, and its head. */
const runPart = Effect.fnUntraced(function*(run: NonNullable<StepResult["run"]>) {
  const { batch, batch_number, current_level, run_id } = run.manifest
  const { commits } = yield* (yield* EventLog).read(run.dir)
  const current = batchesOf(commits).find(({ level, number }) => level === current_level && number === batch_number)
  const reviewed = current === undefined ? null : yield* readReviews(run, current)
  const findings = mergeFindings((reviewed?.reviews ?? []).flatMap((review) => review.findings))
  const slots = batch._tag === "NotStarted" ? [] : batch.slots
  return {
    run: run_id,
    directory: run.dir,
    level: current_level,
    batch: batch_number,
    reviews: slots.map((slot) => ({
      slot: slot.slot,
      state: slot._tag,
      attempt: slot.attempts,
      verdict: slot._tag === "Finished" ? slot.verdict : null,
      reason: slot._tag === "Finished" ? slot.reason : null,
      source: slot._tag === "Finished" ? slot.source : null,
      failure: slot._tag === "Failed" ? { kind: slot.kind, message: slot.message } : null
    })),
    findings,
    paths: handoffPaths(run),
    head: run.head
  }
})

/** The document of a step's result, one line, ending in a newline. What cannot be read again is null in it. */
export const stepJson = Effect.fn("StepJson.stepJson")(function*({ line, outcome, run }: StepResult) {
  const part = run === null || run.head.seq === 0
    ? null
    : yield* Effect.match(runPart(run), { onFailure: () => null, onSuccess: (value) => value })
  const document = { schema, outcome: outcome._tag, exitCode: exitCode(outcome), ...text(outcome), line, run: part }
  return `${JSON.stringify(document)}\n`
})
