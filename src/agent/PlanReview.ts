// PlanReview: a review of a plan's work. First: an answer that is one JSON object, its schema and how it is read.
import { Result, Schema, SchemaIssue } from "effect"
import { plainValue, readJsonTree, repeatedKey } from "../text/JsonTree.ts"
import { brief } from "../text/Untrusted.ts"
import { deniesAfter, denies, dropMarkup, dropHarmless } from "./Negation.ts"

/** The schema of an answer, for `AgentTask.answer`: every property is required, and there are no others. */
export const answerJsonSchema = (schema: Schema.Top): Schema.Json =>
  Schema.decodeUnknownSync(Schema.Json)(Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" }).schema)

/** A parsed answer. A `Prose` is not JSON as a whole; `text` is the part that could have been. */
type JsonAnswer<A> =
  | { readonly _tag: "Read"; readonly value: A }
  | { readonly _tag: "Wrong"; readonly problems: ReadonlyArray<string> }
  | { readonly _tag: "Prose"; readonly text: string }

const bounds = { problems: 5, problem: 300 } as const

const fenceAround = /^(?:```|~~~)(?:json)?[ \t]*\n([^]*)\n(?:```|~~~)$/i
const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** A reader of answers of a schema. JSON must be the whole text, at most with a fence around it. */
export const answerReader = <A>(schema: Schema.Decoder<A>): (text: string) => JsonAnswer<A> => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  return (text) => {
    const whole = text.replace(/^\ufeff/, "").trim()
    const json = fenceAround.exec(whole)?.[1]?.trim() ?? whole
    const tree = readJsonTree(json)
    if (Result.isFailure(tree)) return { _tag: "Prose", text: json }
    // If a key occurs twice, a JSON parser keeps the last value without an error.
    const repeated = repeatedKey(tree.success)
    if (repeated !== null) return { _tag: "Wrong", problems: [brief(`${repeated} appears twice`, bounds.problem)] }
    const decoded = decode(plainValue(tree.success))
    if (Result.isSuccess(decoded)) return { _tag: "Read", value: decoded.success }
    const found = issuesOf(decoded.failure.issue).issues.slice(0, bounds.problems)
    return {
      _tag: "Wrong",
      problems: found.map(({ message, path = [] }) => brief([...path.map(String), message].join(": "), bounds.problem))
    }
  }
}

// The line in which a reviewer of a plan's work says ACCEPTABLE or NEEDS_FIXES.
// Only a plain ACCEPTABLE counts as one.

/** What a reviewer says of the work. */
export type PlanVerdict = "ACCEPTABLE" | "NEEDS_FIXES"

/** A parsed verdict line; null for an unreadable one. */
type Read = PlanVerdict | null

const key = /^\(?\s*(?:\(?final\)?\s+)?verdict\b\s*(?:\(\s*final\s*\))?\)?\s*/i
const separator = /^(?:[:=\u2013\u2014\u2192>-]+\s*)?(?:[\u2705\u2713\u2714]\ufe0f?\s*)?/
const box = /^\[([^\]]?)\]\s+/
const acceptable = /(?<![\p{L}\p{N}])(not|non|un)?[ _-]{0,3}acceptable(?![-_]*[\p{L}\p{N}])/iu
const fixes = /(?<![\p{L}\p{N}])needs[ _-]{0,3}fixes(?![-_]*[\p{L}\p{N}])/iu

const marks = "(?:[ \\t]|[-+*\u2022](?=[ \\t])|\\d{1,9}[.)](?=[ \\t]))*"
const fence = new RegExp(
  `^${marks}(\`{3,}(?=[^\`\\n]*$)|~{3,}|("|')\\2\\2).*(?:\\n(?:[^]*?\\n)?(${marks}\\1[\`~"']*[ \\t]*$)|[^]*)`,
  "gm"
)
// Inline code is matched first: it only names a tag. A tag at the beginning of a line without an end holds the rest.
const element = new RegExp(
  "`[^`\\n]+`|<!--(?:[^]*?-->|[^]*)|<(blockquote|pre|code|q|samp|cite|del|s|textarea|script)\\b[^>]*>" +
    "(?:[^]*</\\1\\s*>|(?<=^[ \\t]*<[^<]*)[^]*|)",
  "gim"
)
// A quotation includes the lines below it, up to a blank one.
const quotation = new RegExp(`^${marks}>.*(?:\\n.*\\S.*)*`, "gm")
const indented = (block: string): string => block.replace(/^/gm, "    ")

/**
 * A text without its quotations and fences. Text that may belong to one is indented like code: an ACCEPTABLE there does
 * not count. A fence without an end casts doubt on the text above it too.
 */
const unquoted = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(fence, (block, _ticks, _quote, end) => end === undefined ? `VERDICT: unclear\n${indented(block)}` : "|")
    .replace(element, (block) => block.startsWith("`") ? block : indented(block))
    .replace(quotation, (block) => indented(block).replace(new RegExp(`^${marks}>.*`, "gm"), "|"))

/** A line without the marks of lists and headings, ticks and emphasis. A `+` stays: it marks a line of a diff. */
const bare = (line: string): string =>
  line
    .replace(/^(?:\s|#|[-\u2022](?=\s)|\*|\d{1,3}[.)](?=\s)|[\u2705\u2713\u2714]\ufe0f?)+/, "")
    .replace(/[*`]+/g, " ")
    .replace(/_+/g, (run, at: number, all: string) =>
      /[a-z]/i.test(all[at - 1] ?? "") && /[a-z]/i.test(all[at + run.length] ?? "") ? run : "")
    .trim()

const edge = (words: string): string => `(?<!\\p{L})(?:${words})(?!\\p{L})`
const contrary = "but|however|(?:al)?though|except\\p{L}*|unless|until|once|as (?:soon|long) as|pending|minus|" +
  "subject to|contingent|condition\\p{L}*|depend(?:s|ing)|apart from|other than|notwithstanding|on reflection|" +
  "provid(?:ed|ing)(?= (?:that|the|it|you|we|all)(?!\\p{L}))|(?<!(?:check|test|see|even)\\p{L}* )if"
const lack = "(?:chang|fix|edit|correction|amend|rework|follow|caveat|reserv|issue|problem|bug|blocker)\\p{L}*"
const demand = "must|(?<!as (?:it|they) )should|ha(?:s|ve) to|(?<!not )need\\p{L}*|please|todo|recommend|" +
  `(?:will|can|to) be (?:fixed|handled|done)|will (?:fix|handle)|${lack} (?:(?:is|are) )?(?:required|requested)|` +
  `${lack} remains?|remaining|later|before \\p{L}*(?: is)? ?(?:merg|releas|land|ship)\\p{L}*`
const order = "(?:and |so |then |now |first )*(?:(?:when|after|upon|assuming)(?!\\p{L})|correct (?:the|it|this)|" +
  "(?:fix|address|change|repair|resolve|rework|remove|rename|replace|add|make|revert|update|handle|revise|restore) " +
  "(?!(?:is|are|was|looks?|works?|and)(?!\\p{L}))[\\p{L}\\p{N}])"
// An explanation that contrasts, excepts, sets a condition or demands.
const reserved = new RegExp(
  `${edge(`${contrary}|${demand}`)}|(?:(?<!\\p{L})(?:with|w/|after|plus)|\\+) (?:[^,;.]{0,60} )?${lack}|` +
    `[^\\p{L}\\p{N} '/] ?${order}`,
  "iu"
)
// Words that follow directly continue a sentence about the verdict.
const apart = /^ ?(?:$|[^\p{L}\p{N} ]|(?:because|since|with (?:\p{L}+ )?(?:suggestions|remarks|comments))(?!\p{L}))/iu

/** Whether the explanation takes ACCEPTABLE back. */
const takenBack = (rest: string): boolean =>
  !apart.test(rest) || deniesAfter(rest) || reserved.test(rest) ||
  rest.split(/acceptable/i).slice(0, -1).some((part) => denies(part) || /(?:not|non|un)[ -]?$/i.test(part))

/** The verdict that a text begins with; null if it begins with none that can be read. */
const verdictOf = (said: string): Read => {
  const text = said.replace(/\s+/g, " ")
  if (fixes.test(text)) return "NEEDS_FIXES"
  const found = acceptable.exec(text)
  if (found === null) return null
  const before = text.slice(0, found.index)
  if (found[1] !== undefined || denies(before)) return "NEEDS_FIXES"
  if (!/^[ ("'\u201c[]*$/.test(before)) return null
  const rest = dropHarmless(dropMarkup(text.slice(found.index + found[0].length)))
  return takenBack(rest) ? "NEEDS_FIXES" : "ACCEPTABLE"
}

/** Reads a bare line, with the next one that is not blank. Undefined if it is no verdict line, as most are. */
const readLine = (line: string, next: string | null): Read | undefined => {
  const boxed = box.exec(line)
  const text = boxed === null ? line : line.slice(boxed[0].length)
  const found = key.exec(text)
  if (found === null) return undefined
  const rest = text.slice(found[0].length)
  const said = rest.replace(separator, "")
  const isHeading = /^[#\s)]*$/.test(said)
  const verdict = isHeading ? next === null ? null : verdictOf(next) : verdictOf(said)
  // `Verdict on the tests: …` is prose.
  if (verdict === null && !isHeading && said === rest && /^[^(].*\s/.test(said)) return undefined
  const isUnticked = boxed !== null && !/[x\u2713\u2714]/i.test(boxed[1] ?? "")
  return isUnticked && verdict === "ACCEPTABLE" ? null : verdict
}

// Below the verdict: a contrast, a refusal, or the heading of what must change.
const below = new RegExp(
  `^${edge(contrary)}|needs[ _-]{0,3}fixes|(?<!\\p{L})(?:not|non|un)[ _-]{0,3}acceptable|` +
    "^(?:must[ -]fix|(?:required|requested|necessary) (?:changes|fixes)|(?:changes|fixes) required|blockers?|" +
    "blocking issues)[ ]*(?:$|[:(])",
  "iu"
)
// The line is about code and is not a verdict.
const named = /`[^`]*verdict[^`]*acceptable[^`]*`.*[\p{L}\p{N}]/iu

/**
 * Reads the last verdict line of a message: the key VERDICT, then one of the two words. If the key is alone on its
 * line, the next line that is not blank counts too. NEEDS_FIXES wins if both words, a negation, an explanation that
 * demands or excepts, or text below say so. Lines in quotations and fences do not count. Null if no line can be read.
 */
export const parseVerdictLine = (text: string): PlanVerdict | null => {
  const lines = unquoted(text).split("\n")
  let next: string | null = null
  let isTakenBack = false
  for (let i = lines.length - 1; i >= 0; i--) {
    const [raw = "", after = ""] = lines.slice(i, i + 2)
    const line = bare(raw)
    if (line === "") continue
    const isWrapped = /acceptable/i.test(line) && /^ {0,3}(?!.*verdict)\p{Ll}/u.test(after)
    const read = named.test(raw) ? undefined : readLine(isWrapped ? `${line} - ${after}` : line, next)
    const isCode = /^(?: {4}| {0,3}\t)/.test(raw)
    next = isCode ? null : line
    if (read === null || read === undefined && below.test(line)) isTakenBack = true
    else if (read === "NEEDS_FIXES" || read === "ACCEPTABLE" && !isCode) return isTakenBack ? "NEEDS_FIXES" : read
  }
  return null
}

// A reviewer's answer about a plan's work: its issues and its verdict, as JSON, else as text.
// An unreadable answer is never ACCEPTABLE.

const Issue = Schema.Struct({
  severity: Schema.Literals(["critical", "major", "minor", "info"]),
  place: Schema.NullOr(Schema.String),
  description: Schema.String,
  suggestion: Schema.String
})
/** An issue. `place` is a path, with a line if known; null if the issue has no place. */
export type ReviewIssue = typeof Issue.Type

export const PlanReview = Schema.Struct({
  issues: Schema.Array(Issue),
  verdict: Schema.Literals(["ACCEPTABLE", "NEEDS_FIXES"])
})
export type PlanReview = typeof PlanReview.Type

/** Its JSON schema, for `AgentTask.answer`. */
export const reviewJsonSchema = (): Schema.Json => answerJsonSchema(PlanReview)

/** A parsed review. Without a verdict it counts as NEEDS_FIXES. */
export interface ReadReview {
  readonly grammar: "json" | "text" | "none"
  readonly verdict: PlanVerdict | null
  /** The issues of a JSON review; those of a text are only in the text. */
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

// A program that cannot read something may be the subject of a review.
const no = "(?:not|n['\u2019]t)"
const unseen = new RegExp(
  `\\bI (?:(?:was|am) (?:un|not )able to|(?:could|did|have|can) ?${no}) (?:read|access|open|see|run git|load)|` +
    `\\b(?:diff|code|work|changes|files) could ?${no} be (?:read|seen|opened|loaded)|nothing could be read`,
  "i"
)

/**
 * Reads a review. JSON must be the whole text, at most with a fence around it, and exactly of the schema; ACCEPTABLE
 * beside a critical or major issue contradicts itself and is read as NEEDS_FIXES. Any other text is read by its verdict
 * line.
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

const saysFixes =
  /needs[ _-]{0,3}fixes|\b(?:not|non|un)[ _-]{0,3}acceptable|severity["'\s]{0,9}[:=]["'\s]{0,9}(?:critical|major)/i
const saysAcceptable = /acceptable/i

/** Whose words a second reading is: the reviewer's own, or those of an agent that only converted the review. */
type SecondReading = "reviewer" | "converter"

/**
 * A second reading of a review, compared with the text that could not be read. Its ACCEPTABLE does not count if that
 * text says NEEDS_FIXES or names a critical or major issue, nor in a conversion if that text never says ACCEPTABLE.
 */
export const checkSecondReading = (said: string, later: ReadReview, by: SecondReading): ReadReview => {
  if (later.verdict !== "ACCEPTABLE") return later
  const problem = saysFixes.test(said)
    ? "ACCEPTABLE contradicts what the review said first"
    : by === "converter" && !saysAcceptable.test(said)
    ? "the review itself never said ACCEPTABLE"
    : null
  return problem === null ? later : { ...later, verdict: "NEEDS_FIXES", problems: [problem] }
}
