// JsonReview: a review as the requested JSON object, decoded leniently.
// One pass over the text, plus a bounded number of restarts; hostile braces cost no more.
import { Result } from "effect"
import { type Fields, isFields, parseJson } from "../../text/Json.ts"
import { readJsonTree, repeatedKey } from "../../text/JsonTree.ts"
import {
  linesFrom,
  parsePlace,
  type Priority,
  priorityFrom,
  splitTag,
  type RawFinding,
  type RawPlace
} from "../findings/Finding.ts"

/** A text split into the objects that parsed and the text around them. */
interface JsonObjects {
  readonly objects: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly around: string
  /** Whether an object has a key twice, or nests too deep to check: parsers differ on its meaning. */
  readonly ambiguous: boolean
}

// Braces that open nothing (prose, code, a cut-off object) each cost a scan to the end; more than these are ignored.
const restarts = 12
const opener = /\{\s{0,200}(?=["}])/g

// The index after the brace that closes the one at `start`, strings skipped; -1 if the text ends first.
const closing = (text: string, start: number): number => {
  let depth = 0
  let quoted = false
  for (let i = start; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (quoted) {
      if (c === 0x5c) i++
      else if (c === 0x22) quoted = false
    } else if (c === 0x22) quoted = true
    else if (c === 0x7b) depth++
    else if (c === 0x7d && --depth === 0) return i + 1
  }
  return -1
}

const parseObject = (text: string): Readonly<Record<string, unknown>> | null => {
  const value = parseJson(text)
  return isFields(value) ? value : null
}

const isAmbiguous = (text: string): boolean => {
  const read = readJsonTree(text)
  return Result.isFailure(read) || repeatedKey(read.success) !== null
}

/** Every object of the text that is not inside another one, in order. */
export const jsonObjects = (text: string): JsonObjects => {
  const whole = parseObject(text)
  if (whole !== null) return { objects: [whole], around: "", ambiguous: isAmbiguous(text.trim()) }
  const objects: Array<Readonly<Record<string, unknown>>> = []
  const around: Array<string> = []
  let kept = 0
  let failures = 0
  let ambiguous = false
  opener.lastIndex = 0
  for (let found = opener.exec(text); found !== null && failures < restarts; found = opener.exec(text)) {
    const end = closing(text, found.index)
    const object = end < 0 ? null : parseObject(text.slice(found.index, end))
    if (object === null) {
      failures++
      opener.lastIndex = found.index + 1
    } else {
      objects.push(object)
      ambiguous ||= isAmbiguous(text.slice(found.index, end))
      around.push(text.slice(kept, found.index))
      kept = end
      opener.lastIndex = end
    }
  }
  return { objects, around: [...around, text.slice(kept)].join("\n"), ambiguous }
}

// Decoding. A `findings` list that is not empty is never read as empty, however malformed its items are.

/** The reviewer's verdict on the patch as a whole; `unknown` if it gives none. */
export type Correctness = "correct" | "incorrect" | "unknown"

export interface StructuredReview {
  readonly findings: ReadonlyArray<RawFinding>
  readonly correctness: Correctness
  readonly explanation: string
}

const text = (value: unknown): string => (typeof value === "string" ? value.trim() : "")
const first = (values: ReadonlyArray<unknown>): string => values.map(text).find((value) => value !== "") ?? ""
const whole = (value: unknown): number => (typeof value === "number" ? value : Number.NaN)

const placeOf = (item: Readonly<Record<string, unknown>>): RawPlace | null => {
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
const writtenFrom = (item: unknown): RawFinding => {
  if (!isFields(item)) {
    return { ...splitTag(typeof item === "string" ? item : "(a finding in no known form)"), body: "", place: null }
  }
  const body = first([item["body"], item["description"], item["message"], item["explanation"]])
  const { priority, title } = splitTag(first([item["title"], item["summary"], item["name"], body.split("\n", 1)[0]]))
  return { title, body, priority: graver(priority, gradeOf(item["priority"])), place: placeOf(item) }
}

const correct: ReadonlySet<string> = new Set(["patch is correct", "correct", "true"])

/**
 * Reads `overall_correctness`: any text but the exact words counts as incorrect ("mostly correct", "0% correct"). A
 * missing or empty field is unknown: codex leaves it empty if it could not parse the model's answer.
 */
export const correctnessOf = (value: unknown): Correctness => {
  if (value === undefined || value === null) return "unknown"
  if (typeof value === "string" && value.trim() === "") return "unknown"
  return value === true || correct.has(text(value).toLowerCase()) ? "correct" : "incorrect"
}

const worst = (said: ReadonlyArray<Correctness>): Correctness =>
  (["incorrect", "correct"] as const).find((word) => said.includes(word)) ?? "unknown"

// Fields in which reviewers with other schemas state their verdict, and the words for a good one.
const verdictField =
  /verdict|decision|recommendation|correct|approv|passed|conclusion|merge|lgtm|ok$|ready|safe|ship|clean/i
const statusField = /status|result|state|success|outcome|complete|reviewed/i
const favourable =
  /^(?:(?:the )?patch is correct|correct|true|pass(?:ed)?|approved?|accept(?:able|ed)?|ok|clean|lgtm|success)$/i
const neutral = /^(?:complete|completed|done|finished|reviewed|final|)$/i
const defectField = new RegExp(
  "finding|issue|comment|problem|bug|defect|concern|block|warning|error|violat|vulnerab|regression|risk|must|changes|" +
    // Counts by severity, and fields that deny a good verdict or a whole review.
    "critical|sever|^p[0-3]$|fail|needs|incomplete|truncated|incorrect|unsafe|unclean|disapprov|" +
    "(?:not|un)_?(?:approv|merg|ready|correct|safe|clean|ok)",
  "i"
)
const denial = /^(?:none|no|n\/a|nothing|0|zero|false)\b/i
// Lists of names that say what a reviewer did.
const workField = /file|test|check|command|read|step|scope|source|strength/i

/** The combined verdict of an object's fields. */
interface CombinedVerdict {
  readonly findings: ReadonlyArray<unknown>
  readonly correctness: ReadonlyArray<Correctness>
}

const wordOf = (name: string, value: unknown): Correctness => {
  if (name === "overall_correctness") return correctnessOf(value)
  const words = typeof value === "string" ? value.replaceAll("_", " ").trim() : ""
  if (defectField.test(name)) return !/comment|error/i.test(name) && claims(value) ? "incorrect" : "unknown"
  const isVerdict = verdictField.test(name)
  if (!isVerdict && !statusField.test(name)) return "unknown"
  if (value === true || favourable.test(words)) return isVerdict ? "correct" : "unknown"
  if (typeof value === "string") return words === "" || (!isVerdict && neutral.test(words)) ? "unknown" : "incorrect"
  const says = isVerdict ? value !== null && value !== undefined : value === false || value === 0
  return says ? "incorrect" : "unknown"
}

/** Whether the value of a field of defects names any. */
const claims = (value: unknown, depth = 0): boolean => {
  if (typeof value === "string") return value.trim() !== "" && !denial.test(value.trim())
  if (typeof value !== "object" || value === null) return value === true || (typeof value === "number" && value > 0)
  return depth > deepest || Object.values(value).some((one) => claims(one, depth + 1))
}

const deepest = 50

const saidBy = (name: string, value: unknown, depth: number): CombinedVerdict => {
  if (depth > deepest) return { findings: [], correctness: ["incorrect"] }
  if (Array.isArray(value)) {
    const isWork = workField.test(name) && !defectField.test(name) && value.every((one) => typeof one === "string")
    return { findings: isWork ? [] : value, correctness: [] }
  }
  if (!isFields(value)) return { findings: [], correctness: [wordOf(name, value)] }
  const said = saidIn(value, depth + 1)
  const isDefect = defectField.test(name) && !/^errors?$/i.test(name) && said.findings.length === 0 && claims(value)
  return isDefect ? { findings: [value], correctness: said.correctness } : said
}

// Lists of defects count under any name and at any depth, except inside an item of such a list.
const saidIn = (object: Fields, depth = 0): CombinedVerdict => {
  const all = Object.entries(object).map(([name, value]) => saidBy(name, value, depth))
  return { findings: all.flatMap(({ findings }) => findings), correctness: all.flatMap((said) => said.correctness) }
}

// All texts of an object, except the words of its verdict.
const wordsIn = (object: Fields): ReadonlyArray<string> =>
  Object.entries(object).flatMap(([name, value]) =>
    typeof value === "string" &&
      (name === "overall_explanation" || (!verdictField.test(name) && /\s/.test(value.trim())))
      ? [value.trim()]
      : []
  )

const reviewFrom = (object: Fields): StructuredReview => {
  const { correctness, findings } = saidIn(object)
  const words = [object, ...Object.values(object).filter(isFields)].flatMap(wordsIn)
  return { findings: findings.map(writtenFrom), correctness: worst(correctness), explanation: words.join("\n\n") }
}

/** Decodes a `review_output`; null without a `findings` list. */
export const structuredFrom = (value: unknown): StructuredReview | null =>
  isFields(value) && (Array.isArray(value["findings"]) || value["findings"] === null) ? reviewFrom(value) : null

const isReview = (object: Fields): boolean => {
  const { correctness, findings } = saidIn(object)
  const lists = [object, ...Object.values(object).filter(isFields)].some((one) => "findings" in one)
  return lists || findings.length > 0 || correctness.some((word) => word !== "unknown")
}

/** A finding beside a review, or alone. */
const isFinding = (object: Fields): boolean =>
  "title" in object && ["body", "description", "priority", "code_location", "severity"].some((name) => name in object)

/** A body that holds a review as JSON, with the prose around it; null without one. */
export const parseJsonReview = (
  body: string
): { readonly review: StructuredReview; readonly around: string; readonly ambiguous: boolean } | null => {
  const { ambiguous, around, objects } = jsonObjects(body)
  const loose = objects.filter((object) => isFinding(object))
  const reviews = objects.filter((object) => !isFinding(object) && isReview(object)).map(reviewFrom)
  if (reviews.length + loose.length === 0) return null
  const explanation = reviews.map((review) => review.explanation).filter((part) => part !== "").join("\n\n")
  const correctness = worst(reviews.map((review) => review.correctness))
  return {
    review: {
      findings: [...reviews.flatMap(({ findings }) => findings), ...loose.map(writtenFrom)],
      correctness,
      explanation
    },
    around: around.replace(/^[ \t]{0,40}(?:```|~~~)\w{0,20}[ \t]{0,40}$/gm, "").trim(),
    ambiguous
  }
}

// An object that does not parse. Its list counts as empty only if that is visible.

const listed = /"findings"\s{0,200}:\s{0,200}\[/
const listedEmpty = /"findings"\s{0,200}:\s{0,200}\[\s{0,200}\]/
const chars = (most: number): string => `"((?:[^"\\\\\\n]|\\\\.){0,${most}})`
const field = (name: string, value: string, flags = ""): RegExp =>
  new RegExp(`"${name}"\\s{0,200}:\\s{0,200}${value}`, flags)
const titles = field("title", chars(4000), "g")
const path = field("absolute_file_path", `${chars(4000)}"`)
const start = field("start", "(\\d{1,10})")
const end = field("end", "(\\d{1,10})")
const priorityField = field("priority", "([0-3])\\b")
const bodyField = field("body", chars(20000))
const unquote = (raw: string): string => {
  const value = parseJson(`"${raw}"`)
  return typeof value === "string" ? value.trim() : raw
}

const numberIn = (pattern: RegExp, part: string): number => Number(pattern.exec(part)?.[1] ?? Number.NaN)

const saved = (raw: string, part: string): RawFinding => {
  const { priority, title } = splitTag(unquote(raw))
  const file = path.exec(part)?.[1]
  const first = numberIn(start, part)
  const last = numberIn(end, part)
  return {
    title,
    body: unquote(bodyField.exec(part)?.[1] ?? ""),
    priority: priorityFrom(numberIn(priorityField, part)) ?? priority,
    place: file === undefined
      ? null
      : { path: unquote(file), lines: linesFrom(first, Number.isNaN(last) ? first : last) }
  }
}

/** Recovers titles and places from broken JSON with a `findings` list; null without one. It is never clean. */
export const salvageJsonReview = (
  body: string
): { readonly findings: ReadonlyArray<RawFinding>; readonly listEmpty: boolean } | null => {
  const at = body.search(listed)
  if (at < 0) return null
  const list = body.slice(at)
  const found = [...list.matchAll(titles)]
  const findings = found.map((title, i) => saved(title[1] ?? "", list.slice(title.index, found[i + 1]?.index)))
  return { findings, listEmpty: listedEmpty.test(list) || /"findings"\s{0,200}:\s{0,200}\[\s{0,200}$/.test(list) }
}
