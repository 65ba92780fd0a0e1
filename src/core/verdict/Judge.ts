// Judge: decides what a reviewer that ended gave: a verdict, or a failed slot with its kind.
// Only an exit status of zero with a review in the output is a review. Everything else is a failure.
import { chooseVerdict, type Sources } from "./ChooseVerdict.ts"
import { notShown, readBy } from "./Reading.ts"
import { failureFrom } from "./Failure.ts"
import type { FailureKind } from "../run/FailureKind.ts"
import type { Written } from "../findings/Finding.ts"
import { rulesVersion, type VerdictReason } from "./Verdict.ts"
import type { VerdictSource } from "../run/VerdictSource.ts"

/** A judged reviewer. `message` says in codex's own words, on one line, what went wrong. */
export type Judged =
  | {
    readonly _tag: "Reviewed"
    readonly verdict: "Clean" | "HasIssues"
    readonly reason: VerdictReason
    readonly source: VerdictSource
    /** The version of the rules that judged. */
    readonly rules: number
    readonly findings: ReadonlyArray<Written>
    /** Whether its commands show that it read something. */
    readonly read: "tools" | "not-shown"
  }
  | { readonly _tag: "Failed"; readonly kind: FailureKind; readonly message: string }

const failed = (kind: FailureKind, message: string): Judged => ({ _tag: "Failed", kind, message })

// 128 + signal for a death by signal; the shell's own 126 and 127 say that the program could not be run at all.
const named = (kind: FailureKind, said: string, status: number): Judged => {
  if (kind !== "Unknown") return failed(kind, said)
  if (status === 127 || status === 126) return failed("MissingBinary", `codex could not be run (exit status ${status})`)
  if (status > 128) return failed("KilledBySignal", `codex was ended by signal ${status - 128}`)
  return failed("ExitStatus", said === "" ? "codex gave no reason for ending" : said)
}

const places: Readonly<Record<VerdictSource, string>> = {
  session: "the session file",
  stdout: "the standard output",
  marker: "the transcript"
}

/** Judges a reviewer by its exit status and what it left. Total and deterministic. */
export const judge = (sources: Sources, status: number): Judged => {
  if (status !== 0) {
    const { kind, message } = failureFrom(sources.logTail)
    return named(kind, message, status)
  }
  const { source, verdict } = chooseVerdict(sources)
  const { _tag, findings, reason } = verdict
  if (_tag === "NoReview") return failed("NoReview", `${places[source]} holds no review (${reason})`)
  const read = readBy(sources.reading)
  if (_tag === "Clean" && read === "nothing") {
    return failed("Unread", "the review found nothing, and none of the reviewer's commands succeeded")
  }
  return {
    _tag: "Reviewed",
    verdict: _tag,
    reason,
    source,
    rules: rulesVersion,
    findings,
    read: read === "tools" ? "tools" : "not-shown"
  }
}

const explanation = "The change is correct; nothing to report."
const sample: Sources = {
  session: {
    _tag: "Found",
    output: { findings: [], overall_correctness: "patch is correct", overall_explanation: explanation }
  },
  out: explanation,
  logHead: "",
  logTail: "",
  reading: notShown
}

/**
 * Judges a sample of a clean review. The patterns of the rules are compiled when they run for the first and the second
 * time, which takes longer than all else between the end of a reviewer and the end of the step: a step that is about to
 * wait does it before.
 */
export const rehearse = (): Judged => {
  judge(sample, 0)
  return judge(sample, 0)
}
