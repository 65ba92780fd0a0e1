// PlanReview: a reviewer's answer about a plan's work: its issues and its verdict, as JSON, else as text.
// Whatever cannot be read is never ACCEPTABLE.
import { Schema } from "effect"
import { answerJsonSchema, answerReader } from "./JsonAnswer.ts"
import { parseVerdictLine, type PlanVerdict, unquoted } from "./VerdictLine.ts"

const Issue = Schema.Struct({
  severity: Schema.Literals(["critical", "major", "minor", "info"]),
  place: Schema.NullOr(Schema.String),
  description: Schema.String,
  suggestion: Schema.String
})
/** An issue. `place` is a path, with a line where there is one; null where the issue has no place. */
export type ReviewIssue = typeof Issue.Type

/** The answer that a reviewer is asked for. */
export const PlanReview = Schema.Struct({
  issues: Schema.Array(Issue),
  verdict: Schema.Literals(["ACCEPTABLE", "NEEDS_FIXES"])
})
export type PlanReview = typeof PlanReview.Type

/** Its JSON schema, for `AgentTask.answer`. */
export const reviewJsonSchema = (): Schema.Json => answerJsonSchema(PlanReview)

/** A review as it was read. Without a verdict it could not be read: it then counts as NEEDS_FIXES. */
export interface ReadReview {
  readonly grammar: "json" | "text" | "none"
  readonly verdict: PlanVerdict | null
  /** The issues of a JSON review; those of a text stand in the text alone. */
  readonly issues: ReadonlyArray<ReviewIssue>
  readonly problems: ReadonlyArray<string>
}

const unread = (...problems: ReadonlyArray<string>): ReadReview => ({
  grammar: "none",
  verdict: null,
  issues: [],
  problems
})

const besideGrave = "the review says ACCEPTABLE but lists a critical or major issue"

const fromJson = ({ issues, verdict }: PlanReview): ReadReview => {
  const isGrave = issues.some(({ severity }) => severity === "critical" || severity === "major")
  return verdict === "ACCEPTABLE" && isGrave
    ? { grammar: "json", verdict: "NEEDS_FIXES", issues, problems: [besideGrave] }
    : { grammar: "json", verdict, issues, problems: [] }
}

const readAnswer = answerReader(PlanReview)
const isMeantAsJson = (text: string): boolean =>
  /^(?:\{|\[\s{0,200}[\]{])|["'](?:issues|verdict|severity)["']\s{0,200}:/.test(text)

// A severity in brackets, behind `severity`, or before its place or what is wrong; or the heading of such issues.
const word = "(?:critical|major|blocker)s?(?: issues?| problems?| findings?)?"
const some = "[^\\p{L}\\p{N}\\n]{0,20}(?!none\\b|no\\b|0\\b|nothing|n\\/a)[\\p{L}\\p{N}]"
const grave = new RegExp(
  `[[(](?:severity:? )?(?:${word}|p[01])[\\])]|severity\\W{1,9}${word}\\b|` +
    `(?:^[^\\p{L}]{0,20}|: )${word}(?:[ *_]{0,9}[:|,\`*\u2013\u2014-]${some}| [\\w-]{0,99}[./][\\w])`,
  "iu"
)
const graveHeading = new RegExp(`^[^\\p{L}\\n]{0,20}${word}[ :*_]{0,9}\\n\\s{0,9}(?:\\d{1,3}[.)])?${some}`, "imu")
const resolved = /(?<![\p{L}_])(?<!(?:not|partially) )resolved\b/iu

const listsGrave = (text: string): boolean =>
  graveHeading.test(text) || text.split("\n").some((line) => grave.test(line) && !resolved.test(line))

// That a program cannot read something may be what a review is about.
const no = "(?:not|n['\u2019]t)"
const unseen = new RegExp(
  `\\bI (?:(?:was|am) (?:un|not )able to|(?:could|did|have|can) ?${no}) (?:read|access|open|see|run git|load)|` +
    `\\b(?:diff|code|work|changes|files) could ?${no} be (?:read|seen|opened|loaded)|nothing could be read`,
  "i"
)

/**
 * Reads a review. JSON must be the whole text, at most with a fence around it, and exactly of the schema; ACCEPTABLE
 * beside a critical or major issue contradicts itself and is read as NEEDS_FIXES. A text that is not meant as JSON is
 * read by its verdict line.
 */
export const readReview = (text: string): ReadReview => {
  const answer = readAnswer(text)
  if (answer._tag === "Wrong") return unread(...answer.problems)
  if (answer._tag === "Read") return fromJson(answer.value)
  if (isMeantAsJson(answer.text)) return unread("the answer is not one JSON object alone")
  const verdict = parseVerdictLine(text)
  if (verdict === null) return unread("the answer is no JSON object and has no verdict line")
  const own = unquoted(text)
  const problem = unseen.test(own)
    ? "the reviewer says that it could not read the work"
    : listsGrave(own)
    ? besideGrave
    : null
  return verdict === "ACCEPTABLE" && problem !== null
    ? { grammar: "text", verdict: "NEEDS_FIXES", issues: [], problems: [problem] }
    : { grammar: "text", verdict, issues: [], problems: [] }
}

const fixes =
  /needs[ _-]{0,3}fixes|\b(?:not|non|un)[ _-]{0,3}acceptable|severity["'\s]{0,9}[:=]["'\s]{0,9}(?:critical|major)/i
const acceptable = /acceptable/i

/** Whose words a second reading is: the reviewer's own, or those of an agent that only converted what was said. */
export type SecondReading = "reviewer" | "converter"

/**
 * A second reading of a review, held against the words that could not be read. Its ACCEPTABLE falls where those words
 * say NEEDS_FIXES or name a critical or major issue; that of a converter also where they say ACCEPTABLE nowhere.
 */
export const heldAgainst = (said: string, later: ReadReview, by: SecondReading): ReadReview => {
  if (later.verdict !== "ACCEPTABLE") return later
  const problem = fixes.test(said)
    ? "ACCEPTABLE contradicts what the review said first"
    : by === "converter" && !acceptable.test(said)
    ? "the review itself never said ACCEPTABLE"
    : null
  return problem === null ? later : { ...later, verdict: "NEEDS_FIXES", problems: [problem] }
}
