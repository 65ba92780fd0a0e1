// Verdict: what a review says: clean, issues, or that no review took place.
//
// A false Clean is the worst answer of this program. Phrases of praise cannot decide, since newer models say what they
// checked instead of "no issues". And no words show that anything was read. So a verdict is reached in this order:
//
// 1. Sources (Judge). Codex's session file and what codex printed are both judged, and the worse one wins: findings,
//    then no review, then issues, then clean. If codex's banner is in another stream, standard output is the body,
//    whole; nothing that a command printed into the transcript counts as one (Transcript).
// 2. Structure (ReviewBody, JsonReview): codex's rendering, its JSON, JSON of another schema. A list of defects counts
//    under any name and at any depth, a key that occurs twice is a doubt, of two priorities the graver counts, and a
//    patch is correct only by the exact words. Text around a structure can only make it worse.
// 3. Prose (Prose): a list, a retraction, a claim, a demand or a remark is a doubt; a notice of the service, a
//    confession to have read nothing or a text in which no sentence judges is no review. What is left is clean.
// 4. Having read (Reading): a clean review is a failed slot if its commands show that it read nothing.
//
// In doubt it has issues: also in a language that these rules do not read, and in prose too long for a review. A wrong
// doubt costs a reading; a wrong clean costs a defect.
//
// Evidence. Of 316 real bodies all 143 with findings list them; none states a defect in prose alone. The rules call 315
// right and no flawed one clean. Of 120 confessions written without knowledge of the rules four in five are caught by
// their words alone.
//
// The hole that stays: a defect in plain words, beside a denial, is clean. In the corpus:
//   "I did not find any blocking issues. The default port is 8080 in the code and 9090 in the docs."
//   "The patch does not regress the happy path; error responses are sent with status 200."
// These need pure prose: with a session file or a printed list the findings decide.
//
// Rejected: lists of praise; a grammar of what prose asserts (877 lines, and nine of 168 unknown clean reviews wrong);
// a model as judge (a second opinion that can be wrong, costs money and cannot be replayed). Every verdict is recorded
// with its source, reason and rules version, and can be derived again: `audit --reclassify`, `npm run eval:verdicts`.
import { Schema } from "effect"
import type { RawFinding } from "../findings/Finding.ts"
import { type StructuredReview, structuredFrom } from "./JsonReview.ts"
import { classifyProse, type ProseReason, type ProseVerdict } from "./Prose.ts"
import { parseBody } from "./ReviewBody.ts"

/** The version of these rules, recorded with each verdict; it grows when a rule changes. Without one it was 1. */
export const rulesVersion = 9

/** The reason of a review that neither clearly states a defect nor is clean. */
export const inDoubt = "in-doubt" satisfies VerdictReason

/** The three classes. `NoReview` is a failed slot, never a clean one. */
export const VerdictClass = Schema.Literals(["Clean", "HasIssues", "NoReview"])
export type VerdictClass = typeof VerdictClass.Type

/** Why a body was classed like this; recorded in events, so tokens are only added. */
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

/** A class with its reason and the listed findings; only `HasIssues` ever has findings. */
export type Verdict =
  | { readonly _tag: "Clean"; readonly reason: VerdictReason; readonly findings: readonly [] }
  | { readonly _tag: "HasIssues"; readonly reason: VerdictReason; readonly findings: ReadonlyArray<RawFinding> }
  | { readonly _tag: "NoReview"; readonly reason: VerdictReason; readonly findings: readonly [] }

const clean = (reason: VerdictReason): Verdict => ({ _tag: "Clean", reason, findings: [] })
const noReview = (reason: VerdictReason): Verdict => ({ _tag: "NoReview", reason, findings: [] })
const hasIssues = (reason: VerdictReason, findings: ReadonlyArray<RawFinding> = []): Verdict => ({
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
// Codex itself then prints that its reviewer failed to output a response.
const session: Reasons = {
  findings: "session-findings",
  incorrect: "session-incorrect",
  correct: "session-correct",
  silent: noReview("session-no-review")
}

// A listed finding proves a review. Without one, a failure to review is worse than any verdict.
const rank = ({ _tag, findings }: Verdict): number =>
  findings.length > 0 ? 3 : _tag === "NoReview" ? 2 : _tag === "HasIssues" ? 1 : 0
const worse = (one: Verdict, other: Verdict): Verdict => rank(other) > rank(one) ? other : one

// Text beside a structure counts only if it says more than that it is not understood.
const vague: ReadonlySet<VerdictReason> = new Set(["in-doubt", "not-a-review", "empty-body"])
const beside = (verdict: Verdict, said: Verdict): Verdict => vague.has(said.reason) ? verdict : worse(verdict, said)

const fromStructure = (review: StructuredReview, reasons: Reasons): Verdict => {
  const { correctness, explanation, findings } = review
  if (findings.length > 0) return hasIssues(reasons.findings, findings)
  const said = classifyText(explanation)
  if (correctness === "unknown") return explanation.trim() === "" ? reasons.silent : said
  if (correctness === "incorrect") return beside(hasIssues(reasons.incorrect), said)
  return explanation.trim() === "" ? reasons.silent : beside(clean(reasons.correct), said)
}

// An explanation, or the text around an object, may hold a structure too.
const classifyText = (text: string): Verdict => {
  const { _tag } = parseBody(text)
  return _tag === "Rendered" || _tag === "Json" || _tag === "Broken"
    ? classifyBody(text)
    : fromProse(classifyProse(text))
}

/** Classes the whole body of a review. Never throws; listed findings, and doubt, make it `HasIssues`. */
export const classifyBody = (body: string): Verdict => {
  const parsed = parseBody(body)
  switch (parsed._tag) {
    case "Empty":
      return noReview("empty-body")
    case "FixedSentence":
      return noReview("fixed-sentence")
    case "Rendered":
      return hasIssues("rendered-findings", parsed.rendered.findings)
    case "Json": {
      const { ambiguous, around, review } = parsed
      const verdict = fromStructure(review, json)
      const inside = ambiguous ? worse(verdict, hasIssues("json-broken")) : verdict
      return around === "" ? inside : aside(inside, classifyText(around))
    }
    case "Broken":
      if (parsed.findings.length > 0) return hasIssues("json-findings", parsed.findings)
      return parsed.listEmpty ? noReview("json-broken") : hasIssues("json-broken")
    case "Unknown":
      return parsed.list ? hasIssues("json-broken") : noReview("json-broken")
    case "Prose":
      return fromProse(classifyProse(parsed.text))
  }
}

// A greeting around an object says nothing; a doubt does.
const aside = (verdict: Verdict, said: Verdict): Verdict =>
  said.reason === "not-a-review" || said.reason === "empty-body" ? verdict : worse(verdict, said)

/**
 * Classifies the `review_output` of codex's session file together with the printed text, and returns whether the
 * session decided. The structure comes from the session; the printed text and the explanation can only make it worse:
 * if they list findings, say incorrect, or report a failure. Null output is no review. An empty `overall_correctness`
 * means that codex could not parse the model's answer: then the worse of `body` and the explanation decides, since the
 * printed text may be cut.
 */
export const classifyReviewOutput = (
  output: unknown,
  body: string | null
): { readonly verdict: Verdict; readonly decided: boolean } => {
  if (output === null) return { verdict: noReview("session-no-review"), decided: true }
  const review = structuredFrom(output)
  const printed = body === null || body.trim() === "" ? null : classifyBody(body)
  if (review !== null && (review.findings.length > 0 || review.correctness !== "unknown")) {
    const verdict = fromStructure(review, session)
    // Codex prints that its reviewer failed if the explanation is empty.
    const silent = review.explanation === "" && printed?.reason === "fixed-sentence"
    const worst = printed === null || silent ? verdict : beside(verdict, printed)
    return { verdict: worst, decided: worst === verdict }
  }
  const explanation = review?.explanation ?? ""
  if (printed !== null && explanation.trim() === "") return { verdict: printed, decided: false }
  const explained = classifyBody(explanation)
  const worst = printed === null ? explained : worse(printed, explained)
  return { verdict: worst, decided: worst !== printed }
}
