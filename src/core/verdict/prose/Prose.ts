// Prose: what a review without codex's structure says: it lists findings, it is no review, it denies, it affirms.
// Clean is a denial, or plain affirmation, in which every sentence is understood. All else is in doubt.
import type { Written } from "../../findings/Finding.ts"
import { plain } from "../../text/Plain.ts"
import { affirmationIn } from "./Affirmation.ts"
import { saysNothing } from "./BareWord.ts"
import { denialIn } from "./Denial.ts"
import { type Doubt, doubtIn, recallsMended, tellsOfChecks } from "./Doubt.ts"
import { failureLine, type FailureLine } from "./FailureLines.ts"
import { hasItems, listedFindings, spellDenials } from "./ListedFindings.ts"
import { type NoReview, noReviewIn } from "./NoReview.ts"
import { quotedPlace, sentences } from "./Sentences.ts"
import { statedVerdict } from "./StatedVerdict.ts"

export { fixedSentence } from "./FailureLines.ts"

/** Why prose was classed as it was. */
export type ProseReason =
  | FailureLine
  | NoReview
  | "empty-body"
  | "listed-findings"
  | "verdict-incorrect"
  | "asserts-defect"
  | "in-doubt"
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

// Eighty times the longest review seen. What is longer was not written to be read, and reading it would take seconds.
const longest = 256 * 1024
// A sentence this long is none, and bounded patterns are slow on it: the review is in doubt.
const longestSentence = 1500
const isLong = (sentence: string): boolean => sentence.length > longestSentence

interface Said {
  readonly denies: boolean
  readonly affirms: boolean
  readonly doubt: Doubt
}

const heading = /^(?:summary|findings|none|review|conclusion|verdict|correctness|overall assessment|result|changes):?$/

// A sentence that neither denies, affirms, tells of checks nor of the change is not understood: it may state a defect.
const saidIn = (all: ReadonlyArray<string>, favourable: boolean): Said => {
  if (all.some(isLong)) return { denies: false, affirms: false, doubt: "in-doubt" }
  const denials = all.map(denialIn)
  const denies = denials.some(({ kind }) => kind === "full")
  const recalls = all.some(recallsMended)
  let doubt: Doubt = null
  let affirms = favourable
  denials.forEach(({ kind, rest }, i) => {
    const sentence = all[i] ?? ""
    const affirmation = affirmationIn(rest)
    affirms ||= affirmation === "right"
    const understood = kind !== "none" || affirmation !== null || tellsOfChecks(sentence) ||
      heading.test(sentence) || saysNothing(sentence)
    const said = doubtIn(rest, sentence, denies)
    const points = kind === "none" && sentence.includes(quotedPlace)
    const open = points || (kind ===
          "residual" && !recalls) ||
        (kind === "partial" && !denies) || !understood ?
      "in-doubt" :
      null
    if (doubt !== "asserts-defect") doubt = said ?? doubt ?? open
  })
  return { denies, affirms, doubt }
}

const clears = (entry: string): boolean => {
  const { affirms, denies, doubt } = saidIn(sentences(entry), false)
  return doubt === null && (denies || affirms)
}

// A list beside a denial is read as findings, unless each entry is itself plainly clean.
const judged = (text: string, all: ReadonlyArray<string>): ProseVerdict => {
  const stated = statedVerdict(text)
  if (stated === "unfavourable") return is("HasIssues", "verdict-incorrect")
  const { affirms, denies, doubt } = saidIn(all, stated === "favourable")
  if (doubt !== null) return is("HasIssues", doubt)
  return (denies || affirms) && !hasItems(text, clears) ? is("Clean", "no-defect-stated") : is("HasIssues", "in-doubt")
}

/** Classes a body of prose. Total and deterministic: any text gets an answer, in time linear in its length. */
export const classifyProse = (body: string): ProseVerdict => {
  if (body.length > longest) return is("HasIssues", "in-doubt")
  const text = spellDenials(plain(body))
  if (text.trim() === "") return is("NoReview", "empty-body")
  const all = sentences(text)
  const unread = noReviewIn(all.filter((sentence) => !isLong(sentence)))
  const listed = listedFindings(text, clears)
  // A reviewer who lists nothing but its own failure has reviewed nothing.
  if (listed.some(({ title }) => unread === null || noReviewIn(sentences(title)) === null)) {
    return is("HasIssues", "listed-findings", listed)
  }
  const failure = failureLine(text)
  if (failure !== null) return is("NoReview", failure)
  return unread === null ? judged(text, all) : is("NoReview", unread)
}
