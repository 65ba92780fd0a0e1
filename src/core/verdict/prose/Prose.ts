// Prose: what a review without codex's structure says, decided from what its clauses assert and deny.
// The one rule: silence is not praise; prose that neither denies defects nor accounts for the change is in doubt.
import type { Written } from "../../findings/Finding.ts"
import { failureLine, type FailureLine } from "./FailureLines.ts"
import { inability, type Inability } from "./Inability.ts"
import { listedFindings, spellDenials } from "./ListedFindings.ts"
import { notAReview } from "./NotAReview.ts"
import { paragraphs, plain, sentences, unquoted } from "./Sentences.ts"
import { statedVerdict } from "./StatedVerdict.ts"
import { type Tally, tally } from "./Tally.ts"
import { readTongue } from "./Tongues.ts"

/** Why prose was classed as it was. */
export type ProseReason =
  | FailureLine
  | Inability
  | "empty-body"
  | "not-a-review"
  | "listed-findings"
  | "verdict-incorrect"
  | "asserts-defect"
  | "in-doubt"
  | "unread-language"
  | "no-defect-stated"

export interface ProseVerdict {
  readonly verdict: "Clean" | "HasIssues" | "NoReview"
  readonly reason: ProseReason
  readonly findings: ReadonlyArray<Written>
}

const is = (
  verdict: ProseVerdict["verdict"],
  reason: ProseReason,
  findings: ReadonlyArray<Written> = []
): ProseVerdict => ({ verdict, reason, findings })

// "No other issues" admits some, unless the text told of one that is mended.
const deniesOthers = (sum: Tally): boolean => sum.others && sum.recalls && !sum.weak && !sum.unaccounted
const asserts = (sum: Tally): boolean => sum.strong || sum.contrasted || (sum.others && !deniesOthers(sum))

// An entry of a list of findings that is none: "No blocking problems", "The lock order is consistent".
const clears = (entry: string): boolean => {
  const sum = tally(sentences(unquoted(entry)))
  return sum.denies ? !asserts(sum) : sum.assesses && !asserts(sum) && !sum.weak && !sum.qualified
}

const demanding = /\b(?:should|must|needs?|ought|consider|please|instead)\b/i

// "src/a.ts:10 validates the cursor": where all defects are denied and nothing is asserted, a place says what was read.
const isEvidence = (sum: Tally) => (claim: string): boolean => {
  if (!sum.denies || asserts(sum)) return false
  if (demanding.test(claim) || asserts(tally(sentences(unquoted(claim))))) return false
  const said = tally(sentences(unquoted(`□ ${claim}`)))
  return !asserts(said) && !said.qualified && (!said.weak || said.assesses)
}

// Eighty times the longest review seen. What is longer was not written to be read, and reading it would take seconds.
const longest = 256 * 1024

/** Classes a body of prose. Total and deterministic: any text gets an answer, in time linear in its length. */
export const classifyProse = (body: string): ProseVerdict => {
  if (body.length > longest) return is("HasIssues", "in-doubt")
  const text = plain(body)
  if (text.trim() === "") return is("NoReview", "empty-body")
  const prose = paragraphs(spellDenials(text)).map(unquoted)
  const all = prose.flatMap(sentences)
  const sum = tally(all)
  const listed = listedFindings(text, clears, isEvidence(sum))
  if (listed.length > 0) return is("HasIssues", "listed-findings", listed)
  const failure = failureLine(text)
  if (failure !== null) return is("NoReview", failure)
  const unable = inability(all)
  if (unable !== null) return is("NoReview", unable)
  if (notAReview(text)) return is("NoReview", "not-a-review")
  const stated = statedVerdict(text)
  if (stated === "unfavourable") return is("HasIssues", "verdict-incorrect")
  switch (readTongue(prose.join("\n"))) {
    case "not-seen":
      return is("NoReview", "diff-not-seen")
    case "unread":
      return is("HasIssues", "unread-language")
    case "denies":
      return is("Clean", "no-defect-stated")
    case null:
      return fromTally(sum, stated === "favourable")
  }
}

const fromTally = (sum: Tally, favourable: boolean): ProseVerdict => {
  if (asserts(sum)) return is("HasIssues", "asserts-defect")
  if (sum.denies || favourable || deniesOthers(sum)) return is("Clean", "no-defect-stated")
  if (sum.weak || sum.qualified) return is("HasIssues", "asserts-defect")
  return sum.assesses && !sum.unaccounted ? is("Clean", "no-defect-stated") : is("HasIssues", "in-doubt")
}
