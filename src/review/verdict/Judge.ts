// Judge: the result of a reviewer that has ended: a verdict, or a failed slot with its kind.
import { complaintOf, instantText, lastLines, lastWords, panicIn } from "../../agent/CodexFailure.ts"
import { type Complaint, type FailureKind, kindOf } from "../../run/FailureKind.ts"
import type { VerdictSource } from "../../run/ReviewTokens.ts"
import type { RawFinding } from "../findings/Finding.ts"
import { cut } from "../../text/Untrusted.ts"
import { notShown, readBy, type Reading } from "./Reading.ts"
import { hasBanner, markedBodies, markedBody } from "./Transcript.ts"
import { classifyBody, classifyReviewOutput, rulesVersion, type Verdict, type VerdictReason } from "./Verdict.ts"

/** The output of a reviewer. */
export interface Sources {
  /** `review_output` of the session file: absent when no session file was found, null when codex recorded none. */
  readonly session: { readonly _tag: "Absent" } | { readonly _tag: "Found"; readonly output: unknown }
  /** The error that the session file records; absent without one. */
  readonly error?: Complaint
  /** Standard output, whole. */
  readonly out: string
  /** The beginning of standard error. */
  readonly logHead: string
  /** The end of standard error; for reviewers that print everything there. */
  readonly logTail: string
  /** The sources' record of the commands that it ran. */
  readonly reading: Reading
}

interface ChosenVerdict {
  readonly source: VerdictSource
  readonly verdict: Verdict
}

const none: Verdict = { _tag: "NoReview", reason: "no-verdict", findings: [] }

interface Printed {
  readonly source: VerdictSource
  readonly body: string
  /** The texts after earlier markers of the same stream. */
  readonly earlier: ReadonlyArray<string>
}

// Codex prints its review to standard output. If its banner went elsewhere, standard output is the whole body, and is
// never searched for markers; the output of a command in the transcript does not replace an empty body.
const printed = (sources: Sources): Printed | null => {
  const apart = hasBanner(sources.logHead)
  if (apart) return sources.out.trim() === "" ? null : { source: "stdout", body: sources.out, earlier: [] }
  const found = [sources.out, sources.logTail].map(markedBodies).find((bodies) => bodies.length > 0) ?? []
  const body = found.at(-1)
  return body === undefined ? null : { source: "marker", body, earlier: found.slice(0, -1) }
}

// A finding may quote a line that is just `codex`: then it is before the last marker, and its review is not clean.
const classifyPrinted = ({ body, earlier }: Printed): Verdict => {
  const verdict = classifyBody(body)
  if (verdict._tag !== "Clean") return verdict
  return earlier.map(classifyBody).find(({ findings }) => findings.length > 0) ?? verdict
}

/** The verdict of a reviewer that exited with zero, and its source. */
export const chooseVerdict = (sources: Sources): ChosenVerdict => {
  const body = printed(sources)
  if (sources.session._tag === "Found") {
    const { decided, verdict } = classifyReviewOutput(sources.session.output, body?.body ?? null)
    return { source: decided ? "session" : body?.source ?? "session", verdict }
  }
  return body === null ? { source: "marker", verdict: none } : { source: body.source, verdict: classifyPrinted(body) }
}

const explanationOf = ({ session }: Sources): string => {
  const output = session._tag === "Found" ? session.output : null
  const said = typeof output === "object" && output !== null && "overall_explanation" in output
    ? output.overall_explanation
    : null
  return typeof said === "string" ? said : ""
}

/** The final answer of a reviewer, without its transcript. */
export const finalText = (sources: Sources, source: VerdictSource): string => {
  if (source === "marker") return markedBody(sources.out) ?? markedBody(sources.logTail) ?? sources.out
  // The printed text may be cut.
  const said = explanationOf(sources)
  const isCut = source === "session" && said.length > sources.out.trim().length
  return sources.out.trim() === "" || isCut ? said : sources.out
}

// A review counts from a reviewer that exited with zero, or that was ended after codex had recorded its review.
// Everything else is a failure.

/** A judged reviewer. `message` says in codex's own words, on one line, what went wrong. */
type Judgement =
  | {
    readonly _tag: "Reviewed"
    readonly verdict: "Clean" | "HasIssues"
    readonly reason: VerdictReason
    readonly source: VerdictSource
    /** The version of the rules that judged. */
    readonly rules: number
    readonly findings: ReadonlyArray<RawFinding>
    /** Whether its commands show that it read something. */
    readonly read: "tools" | "not-shown"
  }
  | { readonly _tag: "Failed"; readonly kind: FailureKind; readonly message: string }

const failed = (kind: FailureKind, message: string): Judgement => ({ _tag: "Failed", kind, message })

const longest = 500
const onLine = (text: string): string => cut(text.replace(/\s+/g, " "), longest).trim()

/** Whether a transcript may hold the output of a command. */
const quotes = ({ transcript }: Reading): boolean =>
  transcript === null || transcript.succeeded + transcript.failed + transcript.unknown > 0

// 128 + signal for a death by signal; the shell's own 126 and 127 say that the program could not be run.
const failedBy = ({ error, logTail, reading }: Sources, status: number): Judgement => {
  const isQuoting = quotes(reading)
  // Codex exits with 1 after its own last words. After any other end, the last words may be a command's.
  const complaint = error ?? complaintOf(isQuoting && status !== 1 ? "" : lastWords(logTail, isQuoting))
  const kind = kindOf(complaint)
  const said = onLine(complaint.words)
  if (kind !== null) {
    const until = complaint.until === null ? "" : `; until ${instantText(complaint.until)}`
    return failed(kind, `${said}${until}`)
  }
  if (status === 127 || status === 126) {
    const why = onLine(lastLines(logTail))
    return failed("MissingBinary", `codex could not be run (exit status ${status})${why === "" ? "" : `: ${why}`}`)
  }
  if (status > 128) return failed("KilledBySignal", `codex was ended by signal ${status - 128}`)
  return failed("ExitStatus", said || onLine(panicIn(logTail)) || "codex gave no reason for ending")
}

const places: Readonly<Record<VerdictSource, string>> = {
  session: "the session file",
  stdout: "the standard output",
  marker: "the transcript"
}

/** The status for a reviewer that left none: SIGKILL's. */
export const killed = 137

/** Judges a reviewer by its exit status and its output. Total and deterministic. */
export const judge = (sources: Sources, status: number): Judgement => {
  const { error, session } = sources
  const wasEnded = status > 128 && error === undefined && session._tag === "Found" && session.output !== null
  if (status !== 0 && !wasEnded) return failedBy(sources, status)
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

const sampleExplanation = "The change is correct; nothing to report."
const sample: Sources = {
  session: {
    _tag: "Found",
    output: { findings: [], overall_correctness: "patch is correct", overall_explanation: sampleExplanation }
  },
  out: sampleExplanation,
  logHead: "",
  logTail: "",
  reading: notShown
}

/**
 * Judges a sample of a clean review. The rules' patterns are compiled at their first and second use, which takes longer
 * than anything else between the end of a reviewer and the end of the step: a step that is about to wait does it
 * before.
 */
export const warmUp = (): Judgement => {
  judge(sample, 0)
  return judge(sample, 0)
}
