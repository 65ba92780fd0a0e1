// JsonFindings: the review as the object the model was asked for, decoded leniently.
// The one rule: a `findings` list that is not empty is never read as empty, however badly its items are formed.
import { priorityFrom, splitTag, type Written } from "../findings/Finding.ts"
import { isFields } from "../text/Fields.ts"
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

/** One item of `findings`: priority from the number or the title's tag, place and scores optional. */
const writtenFrom = (item: unknown): Written => {
  if (!isFields(item)) {
    return { ...splitTag(typeof item === "string" ? item : "(a finding in no known form)"), body: "", place: null }
  }
  const body = first([item["body"], item["description"], item["message"], item["explanation"]])
  const { priority, title } = splitTag(first([item["title"], item["summary"], item["name"], body.split("\n", 1)[0]]))
  return { title, body, priority: priorityFrom(item["priority"]) ?? priority, place: placeOf(item) }
}

const plainlyCorrect = /^(?:(?:the )?(?:patch|change|changes|code|diff) )?(?:(?:is|are) )?correct$/

/**
 * Reads `overall_correctness` or a verdict field: whatever is there and does not plainly say "correct" says incorrect
 * ("mostly correct", "reject"). A field that is missing or empty is unknown: codex leaves it empty when it could not
 * parse the model's answer.
 */
export const correctnessOf = (value: unknown): Correctness => {
  if (value === undefined || value === null) return "unknown"
  const said = text(value).slice(0, 200).toLowerCase().replace(/[^a-z]+/g, " ").trim()
  if (said === "" && typeof value === "string") return "unknown"
  return plainlyCorrect.test(said) ? "correct" : "incorrect"
}

const verdictFields = ["overall_correctness", "verdict", "decision", "recommendation", "overall_verdict"] as const
const worst = (said: ReadonlyArray<Correctness>): Correctness =>
  (["incorrect", "correct"] as const).find((word) => said.includes(word)) ?? "unknown"

// Reviewers with a schema of their own list findings under other names as well.
const otherLists = ["issues", "comments", "problems", "bugs", "defects", "concerns", "blockers", "warnings"] as const

/** Decodes a `review_output`; null when it has no `findings` list. */
export const structuredFrom = (value: unknown): Structured | null => {
  if (!isFields(value)) return null
  const findings = value["findings"] ?? ("findings" in value ? [] : undefined)
  if (!Array.isArray(findings)) return null
  const others = otherLists.flatMap((name) => Array.isArray(value[name]) ? value[name] : [])
  return {
    findings: [...findings, ...others].map(writtenFrom),
    correctness: worst(verdictFields.map((name) => correctnessOf(value[name]))),
    explanation: text(value["overall_explanation"])
  }
}

// The outermost objects, else one level further in: some reviewers wrap the object they were asked for.
const reviewsIn = (objects: ReadonlyArray<Readonly<Record<string, unknown>>>): ReadonlyArray<Structured> =>
  [...objects, ...objects.flatMap((object) => Object.values(object))]
    .map(structuredFrom)
    .filter((review): review is Structured => review !== null)

/** A body that holds such an object, with the prose around it; null when none can be read. */
export const parseJsonReview = (body: string): { readonly review: Structured; readonly around: string } | null => {
  const { around, objects } = jsonObjects(body)
  const reviews = reviewsIn(objects)
  if (reviews.length === 0) return null
  const correctness = worst(reviews.map((review) => review.correctness))
  const explanation = reviews.map((review) => review.explanation).filter((part) => part !== "").join("\n\n")
  return {
    review: { findings: reviews.flatMap((review) => review.findings), correctness, explanation },
    around: around.replace(/^[ \t]{0,40}(?:```|~~~)\w{0,20}[ \t]{0,40}$/gm, "").trim()
  }
}
