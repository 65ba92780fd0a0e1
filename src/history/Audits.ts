// Audits: audits one run or many, and says whether all of them are sound.
// An audit goes on to its end even when nobody reads its output any more, because its exit code is an answer too.
import { Effect } from "effect"
import { Output, type OutputError, type OutputFailed } from "../services/Output.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { RunStore } from "../services/RunStore.ts"
import type { GivenStatement } from "../core/attest/ReadStatement.ts"
import { heldAgainst } from "./Attestation.ts"
import { type AuditOptions, auditRun } from "./Audit.ts"
import type { Word } from "./ReviewRunAuditor.ts"
import { jsonPrinter, type RunEnd, textPrinter } from "./AuditText.ts"

/** What an audit says of all its runs together. */
export type AuditVerdict = "Sound" | "Findings" | "Unreadable"

const unlessClosed = (write: Effect.Effect<void, OutputError>): Effect.Effect<void, OutputFailed> =>
  Effect.catchTag(write, "OutputClosed", () => Effect.void)

const verdictOf = (ends: { readonly findings: number; readonly unreadable: number }): AuditVerdict =>
  ends.findings > 0 ? "Findings" : ends.unreadable > 0 ? "Unreadable" : "Sound"

/** How runs are audited, whether as one document for programs, and what others were told of the run. */
export interface AuditsOptions extends AuditOptions {
  readonly json: boolean
  readonly attestation: GivenStatement | null
}

/** Audits a run, and holds an attestation against it where there is one. */
const audited = Effect.fnUntraced(function*<E>(
  run: RunRef,
  options: AuditsOptions,
  say: (words: ReadonlyArray<Word>) => Effect.Effect<void, E>
) {
  const ended = yield* auditRun(run, options, say)
  if (options.attestation === null) return ended
  const problems = yield* heldAgainst(run, ended, options.attestation)
  yield* say(problems)
  return { ...ended, findings: ended.findings + problems.length }
})

/** Audits runs and writes. A finding outweighs a run that could not be read. */
export const audits = Effect.fn("Audits.audits")(function*(runs: ReadonlyArray<RunRef>, options: AuditsOptions) {
  const output = yield* Output
  const { runPlaces } = yield* RunStore
  const printer = options.json ? jsonPrinter() : textPrinter()
  const write = (text: string) => unlessClosed(output.write(text))
  const ends = { findings: 0, unreadable: 0 }
  yield* write(printer.begin)
  for (const stored of runs) {
    yield* write(printer.run(stored, runPlaces(stored).directory))
    const end: RunEnd = yield* audited(stored, options, (words) => write(printer.words(words))).pipe(
      Effect.catchTag(
        ["LogMissing", "LogTooNew", "LogUnavailable", "ReviewFilesFailed", "StoreFailed"],
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
