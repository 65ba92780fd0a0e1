// JsonFindings: the review as the object the model was asked for, decoded leniently.
// The one rule: a `findings` list that is not empty is never read as empty, however badly its items are formed.
import { priorityFrom, splitTag, type Written } from "../findings/Finding.ts"
import { isObject, jsonObjects } from "./JsonObjects.ts"
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
  const location = isObject(item["code_location"]) ? item["code_location"] : item
  const path = first([location["absolute_file_path"], location["file_path"], location["path"], location["file"]])
  if (path === "") return null
  const range = location["line_range"]
  const start = isObject(range) ? whole(range["start"]) : whole(location["line"])
  const end = isObject(range) ? whole(range["end"] ?? range["start"]) : start
  const lines = linesFrom(start, end)
  return lines === null ? parsePlace(path) ?? { path, lines } : { path, lines }
}

/** One item of `findings`: priority from the number or the title's tag, place and scores optional. */
const writtenFrom = (item: unknown): Written => {
  if (!isObject(item)) {
    return { ...splitTag(typeof item === "string" ? item : "(a finding in no known form)"), body: "", place: null }
  }
  const body = first([item["body"], item["description"], item["message"], item["explanation"]])
  const { priority, title } = splitTag(first([item["title"], item["summary"], item["name"], body.split("\n", 1)[0]]))
  return { title, body, priority: priorityFrom(item["priority"]) ?? priority, place: placeOf(item) }
}

const plainlyCorrect = /^(?:(?:the )?(?:patch|change|changes|code|diff) )?(?:(?:is|are) )?correct$/
const incorrect = /\b(?:incorrect|wrong)\b|\b(?:not|isn t|aren t|never|hardly|only|far from)\b.*\bcorrect\b/

/** Reads `overall_correctness`; what is hedged ("mostly correct") is unknown, so that the explanation decides. */
export const correctnessOf = (value: unknown): Correctness => {
  const said = text(value).slice(0, 200).toLowerCase().replace(/[^a-z]+/g, " ").trim()
  if (incorrect.test(said)) return "incorrect"
  return plainlyCorrect.test(said) ? "correct" : "unknown"
}

/** Decodes a `review_output`; null when it has no `findings` list. */
export const structuredFrom = (value: unknown): Structured | null => {
  if (!isObject(value)) return null
  const findings = value["findings"] ?? ("findings" in value ? [] : undefined)
  if (!Array.isArray(findings)) return null
  return {
    findings: findings.map(writtenFrom),
    correctness: correctnessOf(value["overall_correctness"]),
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
  const said = reviews.map((review) => review.correctness)
  const correctness = (["incorrect", "correct"] as const).find((word) => said.includes(word)) ?? "unknown"
  const explanation = reviews.map((review) => review.explanation).filter((part) => part !== "").join("\n\n")
  return {
    review: { findings: reviews.flatMap((review) => review.findings), correctness, explanation },
    around: around.replace(/^[ \t]{0,40}(?:```|~~~)\w{0,20}[ \t]{0,40}$/gm, "").trim()
  }
}
