// Prose: what a review without codex's structure says, decided from what its clauses assert and deny.
// The one rule: silence is not praise; prose that neither denies defects nor assesses the change is in doubt.
import { failureLine, type FailureLine } from "./Failures.ts"
import type { Written } from "./Finding.ts"
import { inability, type Inability } from "./Inability.ts"
import { listedFindings } from "./ListedFindings.ts"
import { readClause } from "./Polarity.ts"
import { plain, type Sentence, sentences, unquoted } from "./Sentences.ts"
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

const said = (verdict: ProseVerdict["verdict"], reason: ProseReason, findings: ReadonlyArray<Written> = []): ProseVerdict => ({
  verdict,
  reason,
  findings
})

// List items, headings and blank lines end a paragraph; a line break inside one is a space.
const paragraphs = (text: string): ReadonlyArray<string> => {
  const found: Array<Array<string>> = [[]]
  for (const line of text.split("\n")) {
    const item = /^\s{0,40}(?:[-*+•|>]|\d{1,3}[.)]|#{1,6})\s?/.exec(line)
    if (line.trim() === "" || /^\s{0,10}(?:```|~~~)/.test(line)) found.push([])
    else if (item !== null) found.push([line.slice(item[0].length)])
    else found.at(-1)?.push(line)
    if (/^\s{0,10}#{1,6}\s/.test(line)) found.push([])
  }
  return found.filter((lines) => lines.length > 0).map((lines) => lines.join(" "))
}

const verdictLine =
  /^[\s*_#>-]{0,8}(?:overall[ _]?correctness|(?:final |overall )?(?:verdict|decision|assessment|recommendation|status|result))[\s*_"`]{0,4}[:=—-][\s*_"`]{0,4}(.{1,200})$/gim
const unfavourable =
  /\b(?:incorrect|not correct|fail(?:s|ed|ing)?|rejected?|request(?:ed)? changes|request_changes|changes[ _]requested|changes[ _]required|needs[ -](?:changes|work|fix(?:es)?|revision)|do not merge|not approved|block(?:ed|ing)?|no[- ]go|has[ -]issues|issues found|not ready)\b|❌|🔴/i
const favourable = /\b(?:correct|pass(?:es|ed)?|approved?|lgtm|clean|ship it|no issues|ok|good|accept(?:ed)?)\b|✅/i
const statement = /\b(?:the |this )?(?:patch|change|diff|commit|pr) is (?:(?:not|in)[ -]?correct|not (?:safe|ready)|incorrect|wrong|broken)\b/i

const intent =
  /^(?:okay|ok|sure|understood|certainly|got it|great|alright)?[,.! ]{0,3}(?:(?:first|next|now|then)[, ]{0,2})?(?:i'll|i will|let me|let's|i am going to|i'm going to|i need to|i'm about to|starting|going to|i am (?:now )?(?:reviewing|looking|checking)|i'm (?:now )?(?:reviewing|looking|checking|inspecting|reading))\b|^(?:okay|ok|sure|understood|certainly|got it|done|hello|hi|hey)[\s.,!]{0,4}$/
const refusal = /\b(?:i'm sorry|i am sorry|sorry|i apologize|unfortunately)\b.{0,60}\b(?:can't|cannot|unable|not able|couldn't)\b|\bi (?:can't|cannot) (?:help|assist|comply|fulfil)/
const request = /^(?:which|could you|can you|would you|do you want|should i|shall i|please (?:provide|share|paste|send|attach|upload|specify)|what (?:would|should|do) )/

const notAReview = (text: string): boolean => {
  const parts = text.toLowerCase().split(/(?<=[.!?])\s+|\n+/).map((part) => part.trim()).filter((part) => part !== "")
  if (parts.length === 0) return true
  if (parts.length <= 4 && parts.every((part) => intent.test(part) || request.test(part))) return true
  return parts.length <= 4 && refusal.test(parts[0] ?? "") ||
    parts.length <= 4 && parts.some((part) => /^please (?:provide|share|paste|send|attach|upload)\b.{0,60}\b(?:diff|patch|changes|code|files)\b/.test(part))
}

const contrasts = new Set("but however although though yet except despite nevertheless nonetheless".split(" "))
const exceptions = /^(?:other than|apart from|aside from|except for|with the exception of|save for)$/

const reasons = new Set("because since so which : ; ( — – as".split(" "))

interface Tally {
  /** Something denies defects without reserve. */
  denies: boolean
  strong: boolean
  weak: boolean
  /** Something is set against a denial. */
  contrasted: boolean
  /** Something is set against an assessment. */
  qualified: boolean
  assesses: boolean
}

const exception = (words: ReadonlyArray<string>): boolean =>
  words.some((word, i) => exceptions.test(`${word} ${words[i + 1] ?? ""}`))
const sole = (words: ReadonlyArray<string>): boolean =>
  words.some((word, i) => word === "only" && /^(?:problem|issue|concern|thing|nit|bug|finding)$/.test(words[i + 1] ?? ""))

const tally = (sentence: Sentence, into: Tally): void => {
  const conditional = /^(?:if|when|whenever|because|unless)$/.test(sentence.words[0] ?? "")
  const readings = sentence.clauses.map((clause) => ({ clause, reading: readClause(clause) }))
  const exempt = readings.some(({ reading }) => reading.exempt)
  const denies = readings.some(({ reading }) => reading.denial !== null)
  const assesses = readings.some(({ reading }) => reading.assesses)
  if (!exempt && (denies && exception(sentence.words) || sole(sentence.words))) into.strong = true
  let contrast = false
  let idle = false
  for (const { clause, reading } of readings) {
    contrast ||= contrasts.has(clause.lead)
    if (reading.denial === "full") into.denies = true
    if (reading.assesses) into.assesses = true
    // What follows from checks that could not be run, or explains why, is about the reviewer's machine.
    idle = reading.idle || idle && reasons.has(clause.lead)
    if (reading.exempt || idle) continue
    if (reading.asserts === "strong" && !exempt) into.strong = true
    if (reading.asserts === "weak") into.weak = true
    if (!contrast || exempt) continue
    if (reading.asserts !== null) into.contrasted = true
    if (reading.denial !== null || clause.words.length < 3) continue
    if (denies && !reading.assesses) into.contrasted = true
    else if (!denies && assesses) into.qualified = true
  }
  if (conditional && !denies) into.weak = true
}

/** Classes a body of prose. Total: any text gets an answer. */
export const classifyProse = (body: string): ProseVerdict => {
  const text = plain(body)
  if (text.trim() === "") return said("NoReview", "empty-body")
  const listed = listedFindings(text)
  if (listed.length > 0) return said("HasIssues", "listed-findings", listed)
  const failure = failureLine(text)
  if (failure !== null) return said("NoReview", failure)
  const prose = paragraphs(text).map(unquoted)
  const all = prose.flatMap(sentences)
  const unable = inability(all)
  if (unable !== null) return said("NoReview", unable)
  if (notAReview(text)) return said("NoReview", "not-a-review")
  const verdicts = [...text.matchAll(verdictLine)].map((found) => found[1] ?? "")
  if (verdicts.some((line) => unfavourable.test(line)) || statement.test(text)) return said("HasIssues", "verdict-incorrect")
  const tongue = readTongue(prose.join("\n"))
  if (tongue === "not-seen") return said("NoReview", "diff-not-seen")
  if (tongue === "unread") return said("HasIssues", "unread-language")
  if (tongue === "denies") return said("Clean", "no-defect-stated")
  const sum: Tally = { denies: false, strong: false, weak: false, contrasted: false, qualified: false, assesses: false }
  for (const sentence of all) tally(sentence, sum)
  if (sum.strong || sum.contrasted) return said("HasIssues", "asserts-defect")
  if (sum.denies || verdicts.some((line) => favourable.test(line))) return said("Clean", "no-defect-stated")
  if (sum.weak || sum.qualified) return said("HasIssues", "asserts-defect")
  return sum.assesses ? said("Clean", "no-defect-stated") : said("HasIssues", "in-doubt")
}
