// Audits: audits one run or many, and says whether all of them are sound.
// The one rule: an audit goes on to its end although nobody reads it any more: its exit code is an answer too.
import { Effect } from "effect"
import type { AuditCommand } from "../commands/Subcommand.ts"
import { Output, type OutputError, type OutputFailed } from "../services/Output.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { auditRun } from "./Audit.ts"
import { jsonPrinter, type RunEnd, textPrinter } from "./AuditText.ts"
import { select, selectAll, type Where } from "../runs/SelectRun.ts"

/** What an audit says of all its runs together. */
export type AuditVerdict = "Sound" | "Findings" | "Unreadable"

const unlessClosed = (write: Effect.Effect<void, OutputError>): Effect.Effect<void, OutputFailed> =>
  Effect.catchTag(write, "OutputClosed", () => Effect.void)

const verdictOf = (ends: { readonly findings: number; readonly unreadable: number }): AuditVerdict =>
  ends.findings > 0 ? "Findings" : ends.unreadable > 0 ? "Unreadable" : "Sound"

/** Audits and writes. `version` is this program's. A finding outweighs a run that could not be read. */
export const audits = Effect.fn("Audits.audits")(function*(command: AuditCommand, cwd: string, version: string) {
  const output = yield* Output
  const where: Where = { stateRoot: command.stateRoot, cwd }
  const options = { ...command, version }
  const printer = command.json ? jsonPrinter() : textPrinter()
  const write = (text: string) => unlessClosed(output.write(text))
  const runs: ReadonlyArray<RunRef> = command.selector === null
    ? yield* selectAll(where, true)
    : [yield* select(command.selector, where)]
  const ends = { findings: 0, unreadable: 0 }
  yield* write(printer.begin)
  for (const stored of runs) {
    yield* write(printer.run(stored))
    const end: RunEnd = yield* auditRun(stored, options, (words) => write(printer.words(words))).pipe(
      Effect.catchTag(
        ["LogMissing", "LogDamaged", "LogRewound", "LogTooNew", "LogUnavailable", "ReviewFilesFailed", "StoreFailed"],
        (error) => Effect.succeed({ problem: error.message })
      )
    )
    if ("problem" in end) ends.unreadable++
    else ends.findings += end.findings
    yield* write(printer.ended(end))
  }
  const verdict = verdictOf(ends)
  yield* write(printer.end(verdict === "Sound"))
  return verdict
})
