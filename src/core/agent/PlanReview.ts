// PlanReview: a reviewer's answer about a plan's work: its issues and its verdict, as JSON, else as text.
// Whatever cannot be read is never ACCEPTABLE.
import { Result, Schema, SchemaIssue } from "effect"
import { brief } from "../text/Untrusted.ts"
import { parseVerdictLine, type PlanVerdict } from "./VerdictLine.ts"

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

/** Its JSON schema, for `AgentTask.answer`: every property is required, and there are no others. */
export const reviewJsonSchema = (): Schema.Json =>
  Schema.decodeUnknownSync(Schema.Json)(Schema.toJsonSchemaDocument(PlanReview, { onExcessProperty: "error" }).schema)

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
  problems: problems.map((problem) => brief(problem, 300))
})

const decode = Schema.decodeUnknownResult(PlanReview, { errors: "all", onExcessProperty: "error" })
const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()
const mostProblems = 5

const fromJson = (value: unknown): ReadReview => {
  const decoded = decode(value)
  if (Result.isFailure(decoded)) {
    const found = issuesOf(decoded.failure.issue).issues.slice(0, mostProblems)
    return unread(...found.map(({ message, path = [] }) => [...path.map(String), message].join(": ")))
  }
  const { issues, verdict } = decoded.success
  const isGrave = issues.some(({ severity }) => severity === "critical" || severity === "major")
  return verdict === "ACCEPTABLE" && isGrave
    ? { grammar: "json", verdict: "NEEDS_FIXES", issues, problems: ["ACCEPTABLE stands beside a grave issue"] }
    : { grammar: "json", verdict, issues, problems: [] }
}

const parsed = (text: string): { readonly value: unknown } | null => {
  try {
    const value: unknown = JSON.parse(text)
    return { value }
  } catch {
    return null
  }
}

// Of a name that stands twice, a parser would keep the last one without a word.
const twice = /"(issues|verdict)"\s{0,200}:[^]*"\1"\s{0,200}:/
const fenceAround = /^(?:```|~~~)(?:json)?[ \t]*\n([^]*)\n(?:```|~~~)$/i
const isMeantAsJson = (text: string): boolean =>
  /^(?:\{|\[\s{0,200}[\]{])|["'](?:issues|verdict|severity)["']\s{0,200}:/.test(text)

/**
 * Reads a review. JSON must be the whole text, at most with a fence around it, and exactly of the schema; ACCEPTABLE
 * beside a critical or major issue contradicts itself and is read as NEEDS_FIXES. A text that is not meant as JSON is
 * read by its verdict line.
 */
export const readReview = (text: string): ReadReview => {
  const whole = text.replace(/^\ufeff/, "").trim()
  const json = fenceAround.exec(whole)?.[1]?.trim() ?? whole
  if (twice.test(json)) return unread("issues or verdict stands twice")
  const value = parsed(json)
  if (value !== null) return fromJson(value.value)
  if (isMeantAsJson(json)) return unread("the answer is not one JSON object alone")
  const verdict = parseVerdictLine(whole)
  if (verdict === null) return unread("the answer is no JSON object and has no verdict line")
  return { grammar: "text", verdict, issues: [], problems: [] }
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
