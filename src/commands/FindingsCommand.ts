// FindingsCommand: the `findings` subcommand: the findings of a batch of a stored run, in one of five formats.
// The one rule: what it exits with is an answer about the batch, also when nobody reads what it prints.
import { Effect, Schema } from "effect"
import { annotations } from "../core/findings/formats/Annotations.ts"
import { findingsDocument } from "../core/findings/formats/Markdown.ts"
import { findingsJson } from "../core/findings/formats/Json.ts"
import { type FindingsReport, verdictOf } from "../core/findings/FindingsReport.ts"
import { fold } from "../core/run/Manifest.ts"
import { sarif } from "../core/findings/formats/Sarif.ts"
import type { FindingsCommand } from "./Subcommand.ts"
import { readFindings, whole } from "../runs/ReadReviews.ts"
import { batchName } from "../core/text/Phrases.ts"
import { EventLog } from "../services/EventLog.ts"
import { Output } from "../services/Output.ts"
import { findingsTable } from "../core/findings/formats/Table.ts"
import { select } from "../runs/SelectRun.ts"

/** There is nothing that findings could be told of: no such batch, or its files or its log cannot be read. */
export class NoFindings extends Schema.TaggedError<NoFindings>()("NoFindings", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

const written = (report: FindingsReport, format: FindingsCommand["format"], version: string): string => {
  switch (format) {
    case "Table":
      return findingsTable(report)
    case "Json":
      return findingsJson(report)
    case "Sarif":
      return sarif(report, version)
    case "Markdown":
      return findingsDocument(report)
    case "GitHub":
      return annotations(report)
  }
}

const unreadable = ({ message }: { readonly message: string }) => Effect.fail(new NoFindings({ reason: message }))

/** The report of the batch that a command names, or of the last one that its run started. */
const reportOf = Effect.fnUntraced(function*({ batch, format, selector, stateRoot }: FindingsCommand, cwd: string) {
  const ref = yield* select(selector, { stateRoot, cwd })
  const { commits, head } = yield* (yield* EventLog).read(ref)
  const manifest = fold(commits)
  if (manifest === null) return yield* new NoFindings({ reason: `the log of run ${ref.runId} has no beginning` })
  const report = yield* readFindings({ ref, manifest, head }, {
    ...(batch === null ? {} : { until: batch }),
    ...(format === "Json" ? { keep: whole } : {})
  })
  const missing = batch === null ? "run any reviews" : `started ${batchName(batch)}`
  return report ?? (yield* new NoFindings({ reason: `run ${ref.runId} has not ${missing} yet` }))
}, Effect.catchTag([
  "LogMissing",
  "LogDamaged",
  "LogRewound",
  "LogTooNew",
  "LogUnavailable",
  "ReviewFilesFailed"
], unreadable))

/** Writes the findings and says what they amount to. `version` is this program's. */
export const findings = Effect.fn("FindingsCommand.findings")(
  function*(command: FindingsCommand, cwd: string, version: string) {
    const report = yield* reportOf(command, cwd)
    yield* Effect.catchTag(
      (yield* Output).write(written(report, command.format, version)),
      "OutputClosed",
      () => Effect.void
    )
    return verdictOf(report)
  }
)
