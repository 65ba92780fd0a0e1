// Verdict: what a review says: clean, issues, or that no review took place.
// The one rule: a false Clean is the worst answer; findings decide, then failure; praise only ever settles a doubt.
import { Schema } from "effect"
import type { Written } from "../findings/Finding.ts"
import { type Structured, structuredFrom } from "./JsonFindings.ts"
import { classifyProse, type ProseReason, type ProseVerdict } from "./prose/Prose.ts"
import { parseBody } from "./ReviewBody.ts"

/**
 * The version of these rules. It is recorded with each verdict, and grows whenever a rule changes what some text is
 * called. Programs that recorded none had version 1.
 */
export const rulesVersion = 3

/** The reason of a review that was neither seen to state a defect nor to be clean. */
export const inDoubt = "in-doubt" satisfies VerdictReason

/** The three classes. `NoReview` is a failed slot, never a clean one. */
export const VerdictClass = Schema.Literals(["Clean", "HasIssues", "NoReview"])
export type VerdictClass = typeof VerdictClass.Type

/** Why a body was classed as it was; recorded in events, so tokens are only added. */
export type VerdictReason =
  | ProseReason
  | "rendered-findings"
  | "json-findings"
  | "json-incorrect"
  | "json-no-findings"
  | "json-broken"
  | "session-findings"
  | "session-incorrect"
  | "session-correct"
  | "session-no-review"
  | "no-verdict"

/** A class with the reason for it and the findings that were listed; only `HasIssues` ever has findings. */
export type Verdict =
  | { readonly _tag: "Clean"; readonly reason: VerdictReason; readonly findings: readonly [] }
  | { readonly _tag: "HasIssues"; readonly reason: VerdictReason; readonly findings: ReadonlyArray<Written> }
  | { readonly _tag: "NoReview"; readonly reason: VerdictReason; readonly findings: readonly [] }

const clean = (reason: VerdictReason): Verdict => ({ _tag: "Clean", reason, findings: [] })
const noReview = (reason: VerdictReason): Verdict => ({ _tag: "NoReview", reason, findings: [] })
const hasIssues = (reason: VerdictReason, findings: ReadonlyArray<Written> = []): Verdict => ({
  _tag: "HasIssues",
  reason,
  findings
})

const fromProse = ({ findings, reason, verdict }: ProseVerdict): Verdict =>
  verdict === "HasIssues" ? hasIssues(reason, findings) : verdict === "Clean" ? clean(reason) : noReview(reason)

interface Reasons {
  readonly findings: VerdictReason
  readonly incorrect: VerdictReason
  readonly correct: VerdictReason
  /** The verdict on a review that lists no finding and explains nothing. */
  readonly silent: Verdict
}

const json: Reasons = {
  findings: "json-findings",
  incorrect: "json-incorrect",
  correct: "json-no-findings",
  silent: clean("json-no-findings")
}
// Codex itself prints then that its reviewer failed to output a response.
const session: Reasons = {
  findings: "session-findings",
  incorrect: "session-incorrect",
  correct: "session-correct",
  silent: noReview("session-no-review")
}

// A listed finding proves a review; without one, a confession of not having seen the change is worse than any verdict.
const fromStructure = (review: Structured, prose: string, reasons: Reasons): Verdict => {
  if (review.findings.length > 0) return hasIssues(reasons.findings, review.findings)
  const said = prose.trim() === "" ? null : classifyProse(prose)
  if (said?.verdict === "NoReview") return noReview(said.reason)
  if (review.correctness === "incorrect") return hasIssues(reasons.incorrect, said?.findings)
  if (said?.reason === "listed-findings" || said?.reason === "verdict-incorrect") return fromProse(said)
  if (said === null) return reasons.silent
  return review.correctness === "correct" ? clean(reasons.correct) : fromProse(said)
}

/**
 * Classes the body of a review, whole as the reviewer printed it. Total and deterministic; never throws.
 * Findings, however listed, make it `HasIssues`; when in doubt it is `HasIssues` too.
 */
export const classifyBody = (body: string): Verdict => {
  const parsed = parseBody(body)
  switch (parsed._tag) {
    case "Empty":
      return noReview("empty-body")
    case "FixedSentence":
      return noReview("fixed-sentence")
    case "Rendered":
      return hasIssues("rendered-findings", parsed.rendered.findings)
    case "Json":
      return fromJson(parsed.review, parsed.around)
    case "Broken":
      if (parsed.review.findings.length > 0) return hasIssues("json-findings", parsed.review.findings)
      if (!parsed.listEmpty) return hasIssues("json-broken")
      return parsed.review.correctness === "unknown" ? noReview("json-broken") : fromJson(parsed.review, "")
    case "Prose":
      return fromProse(classifyProse(parsed.text))
  }
}

const fromJson = (review: Structured, around: string): Verdict => {
  const inside = nested(review.explanation)
  if (review.findings.length === 0 && inside !== null) return inside
  const verdict = fromStructure(review, review.explanation, json)
  if (verdict._tag === "HasIssues" || around === "") return verdict
  const outside = classifyProse(around)
  return outside.verdict === "Clean" || outside.reason === "in-doubt" || outside.reason === "not-a-review"
    ? verdict
    : fromProse(outside)
}

// An explanation may itself hold codex's rendering.
const nested = (explanation: string): Verdict | null => {
  const parsed = parseBody(explanation)
  return parsed._tag === "Rendered" ? hasIssues("rendered-findings", parsed.rendered.findings) : null
}

const structural: ReadonlySet<VerdictReason> = new Set([
  "rendered-findings",
  "json-findings",
  "json-incorrect",
  "fixed-sentence"
])

/**
 * The verdict of a printed body whose structure contradicts a clean session: then the two are not of one review. It is
 * null if nothing contradicts, or if the body is the session's own explanation.
 */
const contradiction = (body: string | null, explanation: string): Verdict | null => {
  const printed = body?.trim() ?? ""
  if (printed === "" || printed === explanation) return null
  const verdict = classifyBody(printed)
  return structural.has(verdict.reason) ? verdict : null
}

/**
 * Classes the `review_output` of codex's session file. The structure comes from there; the rules for failure and
 * inability are applied to its explanation all the same. Null output is no review. An empty `overall_correctness`
 * means that codex could not parse the model's answer: `body` decides then, or the explanation where there is none.
 * Returns the verdict and whether the session decided it.
 */
export const classifyReviewOutput = (
  output: unknown,
  body: string | null
): { readonly verdict: Verdict; readonly decided: boolean } => {
  if (output === null) return { verdict: noReview("session-no-review"), decided: true }
  const review = structuredFrom(output)
  if (review !== null && (review.findings.length > 0 || review.correctness !== "unknown")) {
    const inside = review.findings.length > 0 ? null : nested(review.explanation)
    const verdict = inside ?? fromStructure(review, review.explanation, session)
    const printed = verdict._tag === "Clean" ? contradiction(body, review.explanation) : null
    return printed === null ? { verdict, decided: true } : { verdict: printed, decided: false }
  }
  if (body !== null && body.trim() !== "") return { verdict: classifyBody(body), decided: false }
  return { verdict: classifyBody(review?.explanation ?? ""), decided: true }
}
