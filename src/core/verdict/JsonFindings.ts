// JsonFindings: the review as the object the model was asked for, decoded leniently.
// The one rule: a `findings` list that is not empty is never read as empty, however badly its items are formed.
import { type Priority, priorityFrom, splitTag, type Written } from "../findings/Finding.ts"
import { type Fields, isFields } from "../text/Fields.ts"
import { jsonObjects } from "./JsonObjects.ts"
import { linesFrom, parsePlace, type WrittenPlace } from "../findings/Place.ts"

/** What the reviewer says of the patch as a whole; `unknown` when it does not say. */
export type Correctness = "correct" | "incorrect" | "unknown"

/** A review's structure. */
export interface Structured {
  readonly findings: ReadonlyArray<Written>
  readonly correctness: Correctness
  readonly explanation: string
}

const text = (value: unknown): string => (typeof value === "string" ? value.trim() : "")
const first = (values: ReadonlyArray<unknown>): string => values.map(text).find((value) => value !== "") ?? ""
const whole = (value: unknown): number => (typeof value === "number" ? value : Number.NaN)

const placeOf = (item: Readonly<Record<string, unknown>>): WrittenPlace | null => {
  const location = isFields(item["code_location"]) ? item["code_location"] : item
  const path = first([location["absolute_file_path"], location["file_path"], location["path"], location["file"]])
  if (path === "") return null
  const range = location["line_range"]
  const start = isFields(range) ? whole(range["start"]) : whole(location["line"])
  const end = isFields(range) ? whole(range["end"] ?? range["start"]) : start
  const lines = linesFrom(start, end)
  return lines === null ? parsePlace(path) ?? { path, lines } : { path, lines }
}

const gradeOf = (value: unknown): Priority | null => {
  const named = /^P([0-3])$/i.exec(text(value))?.[1]
  return priorityFrom(named === undefined ? value : Number(named))
}

const graver = (a: Priority | null, b: Priority | null): Priority | null => a === null || (b !== null && b < a) ? b : a

/** One item of a list: place and scores optional; of the title's tag and the priority the graver counts. */
const writtenFrom = (item: unknown): Written => {
  if (!isFields(item)) {
    return { ...splitTag(typeof item === "string" ? item : "(a finding in no known form)"), body: "", place: null }
  }
  const body = first([item["body"], item["description"], item["message"], item["explanation"]])
  const { priority, title } = splitTag(first([item["title"], item["summary"], item["name"], body.split("\n", 1)[0]]))
  return { title, body, priority: graver(priority, gradeOf(item["priority"])), place: placeOf(item) }
}

const correct: ReadonlySet<string> = new Set(["patch is correct", "correct", "true"])

/**
 * Reads `overall_correctness`: whatever is there and is not one of the exact words says incorrect ("mostly correct",
 * "0% correct"). A field that is missing or empty is unknown: codex leaves it empty when it could not parse the model's
 * answer.
 */
export const correctnessOf = (value: unknown): Correctness => {
  if (value === undefined || value === null) return "unknown"
  if (typeof value === "string" && value.trim() === "") return "unknown"
  return value === true || correct.has(text(value).toLowerCase()) ? "correct" : "incorrect"
}

const worst = (said: ReadonlyArray<Correctness>): Correctness =>
  (["incorrect", "correct"] as const).find((word) => said.includes(word)) ?? "unknown"

// Fields by which reviewers with a schema of their own say how it ended, and the words that say that it ended well.
const verdictField = /verdict|decision|recommendation|correct|approv|passed|conclusion|mergeable/i
const favourable =
  /^(?:(?:the )?patch is correct|correct|true|pass(?:ed)?|approved?|accept(?:able|ed)?|ok|clean|lgtm|success)$/i
const statusField = /status|result|state|success|outcome/i
const fails = /fail|reject|request|block|incorrect|\bnot\b|needs|wrong|error|issues|denied|unsuccessful/i
const defectField =
  /finding|issue|comment|problem|bug|defect|concern|block|warning|error|violation|vulnerabilit|regression|risk/i
const denial = /^(?:none|no|n\/a|nothing|0|zero)\b/i

/** What an object says in all of its fields. */
interface Said {
  readonly findings: ReadonlyArray<unknown>
  readonly correctness: ReadonlyArray<Correctness>
}

const wordOf = (name: string, value: unknown): Correctness => {
  if (name === "overall_correctness") return correctnessOf(value)
  const said = typeof value === "string" ? value.trim() : value
  const words = typeof said === "string" ? said : ""
  if (defectField.test(name)) {
    const claims = words !== "" && !/comment|error/i.test(name) && !denial.test(words)
    return said === true || (typeof said === "number" && said > 0) || claims ? "incorrect" : "unknown"
  }
  if (statusField.test(name)) return said === false || fails.test(words) ? "incorrect" : "unknown"
  if (!verdictField.test(name) || said === "" || said === null) return "unknown"
  return said === true || favourable.test(words) ? "correct" : "incorrect"
}

const saidBy = (name: string, value: unknown): Said => {
  if (isFields(value)) return saidIn(value)
  if (!Array.isArray(value)) return { findings: [], correctness: [wordOf(name, value)] }
  return { findings: defectField.test(name) || value.some(isFields) ? value : [], correctness: [] }
}

// Lists of defects count under any name and at any depth, but not what an item of one holds in its turn.
const saidIn = (object: Fields): Said => {
  const all = Object.entries(object).map(([name, value]) => saidBy(name, value))
  return { findings: all.flatMap(({ findings }) => findings), correctness: all.flatMap((said) => said.correctness) }
}

const reviewFrom = (object: Fields): Structured => {
  const { correctness, findings } = saidIn(object)
  const explanations = [object, ...Object.values(object).filter(isFields)].map((one) => one["overall_explanation"])
  return { findings: findings.map(writtenFrom), correctness: worst(correctness), explanation: first(explanations) }
}

/** Decodes a `review_output`; null when it has no `findings` list. */
export const structuredFrom = (value: unknown): Structured | null =>
  isFields(value) && (Array.isArray(value["findings"]) || value["findings"] === null) ? reviewFrom(value) : null

const isReview = (object: Fields): boolean => {
  const { correctness, findings } = saidIn(object)
  const lists = [object, ...Object.values(object).filter(isFields)].some((one) => "findings" in one)
  return lists || findings.length > 0 || correctness.some((word) => word !== "unknown")
}

/** A body that holds a review as JSON, with the prose around it; null when it holds none. */
export const parseJsonReview = (
  body: string
): { readonly review: Structured; readonly around: string; readonly ambiguous: boolean } | null => {
  const { ambiguous, around, objects } = jsonObjects(body)
  const reviews = objects.filter(isReview).map(reviewFrom)
  if (reviews.length === 0) return null
  const explanation = reviews.map((review) => review.explanation).filter((part) => part !== "").join("\n\n")
  const correctness = worst(reviews.map((review) => review.correctness))
  return {
    review: { findings: reviews.flatMap(({ findings }) => findings), correctness, explanation },
    around: around.replace(/^[ \t]{0,40}(?:```|~~~)\w{0,20}[ \t]{0,40}$/gm, "").trim(),
    ambiguous
  }
}
