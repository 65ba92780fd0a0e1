// Analysis: what is to be fixed after a review.
import { Schema } from "effect"
import { answerJsonSchema, answerReader, parseVerdictLine, type ReviewIssue } from "../../agent/PlanReview.ts"
import { blockLine, brief, cut, lines, plain } from "../../text/Untrusted.ts"
import { Dropped } from "./Event.ts"
import type { GivenReview, PromptTask } from "./Prompts.ts"

// Whether an issue of a review weighs on security or correctness, by its severity and its words.
// In doubt it does: such an issue is fixed whatever an analysis says of it.

// Beginnings of words. An issue that only says that a feature is not there yet needs none of them.
const security = [
  "secur|vulnerab|inject|exploit|attack|malicious|sanitiz|sanitis|escap(?:e|ing)|leak|credential|password|secret",
  "(?:access|api|auth) ?token|api[ -]?key|private key|authenti|authori|permission|privilege|travers|xss|csrf|ssrf",
  "rce\\b|cve\\b|encrypt|decrypt|symlink|sandbox|unsafe|untrusted|denial of service"
]
const correctness = [
  "corrupt|data[ -]?loss|los(?:e|es|ing|s of|t) |destroy|overwrit|crash|panic|segfault|deadlock|hangs?\\b",
  "rac(?:es?|y)\\b|unhandled|uncaught|throws\\b|infinite|overflow|underflow|off[ -]by[ -]one|null pointer|use after",
  "wrong|incorrect|bugs?\\b|buggy|broken|breaks?\\b|regress|fails\\b|failing\\b|false (?:positive|negative)|silently",
  "critical|severe|blocker"
]
const heavy = new RegExp(`(?<![\\p{L}\\p{N}])(?:${[...security, ...correctness].join("|")})`, "iu")
// Parts of longer words, as in names of code: `sqlInjection`, `memoryLeak`.
const within = /injection|corrupt|vulnerab|credential|password|leak|deadlock|traversal/i

/** Whether words weigh on security or correctness. */
export const weighs = (words: string): boolean => {
  const text = plain(words).replace(/\s+/g, " ")
  return heavy.test(text) || within.test(text)
}

/** Whether an issue is critical or major. */
export const isGrave = ({ severity }: Pick<ReviewIssue, "severity">): boolean =>
  severity === "critical" || severity === "major"

/** Whether an issue weighs on security or correctness: a critical one does, whatever its words. */
export const issueWeighs = ({ description, severity, suggestion }: ReviewIssue): boolean =>
  severity === "critical" || weighs(`${description}\n${suggestion}`)

// What is to be fixed after a review, and what belongs to tasks of the plan that are still pending.
// An agent only proposes what to drop. A drop that cannot be proven changes nothing, and in doubt there is to be fixed.

/** The answer that the analysis is asked for. */
export const Analysis = Schema.Struct({
  needs_fixes: Schema.Boolean,
  fix_instructions: Schema.String,
  dropped: Schema.Array(Schema.Struct({ issue: Schema.String, task: Schema.Int, quote: Schema.String }))
})
export type Analysis = typeof Analysis.Type
type Drop = Analysis["dropped"][number]

/** Its JSON schema, for `AgentTask.answer`. */
export const analysisJsonSchema = (): Schema.Json => answerJsonSchema(Analysis)

const reader = answerReader(Analysis)

/** Reads the answer. It must be one JSON object of the schema, at most with a fence around it; else it is null. */
export const readAnalysis = (
  text: string
): { readonly answer: Analysis | null; readonly problems: ReadonlyArray<string> } => {
  const read = reader(text)
  if (read._tag === "Read") return { answer: read.value, problems: [] }
  return {
    answer: null,
    problems: read._tag === "Wrong" ? read.problems : ["the analysis is not one JSON object alone"]
  }
}

/** What is analysed. `answer` is the analysis in its agent's words; null where it gave none. */
interface Analysing {
  readonly review: GivenReview
  readonly pending: ReadonlyArray<PromptTask>
  readonly answer: string | null
}

/** What is to be fixed. `problems` say why an answer, or a drop in it, was not taken. */
interface Analysed {
  readonly needsFixes: boolean
  readonly instructions: string
  readonly dropped: ReadonlyArray<Dropped>
  readonly problems: ReadonlyArray<string>
}

const bounds = { drops: 200, quote: 12, named: 300, kept: 2000, instructions: 20_000, problems: 10 } as const

const severities: ReadonlyArray<ReviewIssue["severity"]> = ["critical", "major", "minor", "info"]

/** A text as it is compared: with single blanks, and hidden characters as prompts show them. */
const plainly = (text: string): string => lines(text).map(blockLine).join(" ").replace(/\s+/g, " ").trim()

/** The texts of a task that may be quoted, each by itself: no quote can be put together from several of them. */
const wordsOf = ({ description, steps, title }: PromptTask): ReadonlyArray<string> =>
  [title, description, ...steps.map(({ prompt }) => prompt)].map(plainly)

/** The one issue that a drop names, by its number or by its words; null for none, and where there are several. */
const issueNamed = (name: string, issues: ReadonlyArray<ReviewIssue>): ReviewIssue | null => {
  const number = /^(?:issue )?#?(\d{1,6})\.?$/i.exec(name)?.[1]
  if (number !== undefined) return issues[Number(number) - 1] ?? null
  const same = issues.filter(({ description }) => plainly(description) === name)
  const found = same.length > 0 || name.length < bounds.quote
    ? same
    : issues.filter(({ description }) => plainly(description).includes(name))
  return found.length === 1 ? found[0] ?? null : null
}

/** Why a drop does not count, whatever issue it names; null where it may. */
const unfounded = ({ quote, task }: Drop, pending: ReadonlyArray<PromptTask>): string | null => {
  const found = pending.find(({ index }) => index === task)
  if (found === undefined) return `task ${task} is not pending`
  const words = plainly(quote)
  if (words.length < bounds.quote) return "its quote is too short"
  return wordsOf(found).some((text) => text.includes(words)) ? null : `its quote is not in task ${task}`
}

/** A judged drop: what it drops, or why it drops nothing. `issue` is null in a review without a list. */
type Judged =
  | { readonly dropped: Dropped; readonly issue: ReviewIssue | null }
  | { readonly refused: string }

/** Whether a text says these words, and asks for fixes: one without a verdict could not be read, and hides anything. */
const says = (text: string, words: string): boolean =>
  words.length >= bounds.quote && plainly(text).includes(words) && parseVerdictLine(text) === "NEEDS_FIXES"

const judge = (drop: Drop, { pending, review: { issues, text } }: Analysing): Judged => {
  const name = plainly(drop.issue)
  const issue = issueNamed(name, issues)
  const isNamed = issues.length > 0 ? issue !== null : says(text, name)
  const why = !isNamed
    ? "the review names no such issue"
    : unfounded(drop, pending) ??
      ((issue === null ? weighs(text) : issueWeighs(issue)) ? "it may touch security or correctness" : null)
  if (why !== null) return { refused: `an issue stays, because ${why}: ${brief(name, bounds.named)}` }
  const words = issue === null ? name : plainly(issue.description)
  return {
    dropped: { issue: cut(words, bounds.kept), task: drop.task, quote: cut(plainly(drop.quote), bounds.kept) },
    issue
  }
}

// What a text may hold beside its issues: blank lines, a heading, and the verdict alone.
const bare = /^[^\p{L}]*(?:(?:issues?|problems?|findings?|review)|verdict[^\p{L}]+needs[ _-]?fixes)?[^\p{L}]*$/iu

/** Whether a review that is a text says anything but what was dropped of it: that may well be another issue. */
const saysMore = (text: string, dropped: ReadonlyArray<Dropped>): boolean => {
  const words = plainly(lines(text).filter((line) => !bare.test(line)).join("\n"))
  return /\p{L}/u.test(dropped.reduce((left, { issue }) => left.replaceAll(issue, " "), words))
}

const issueText = ({ description, place, severity, suggestion }: ReviewIssue): string =>
  `[${severity}] ${place ?? "no place"}: ${description.trim()}\n   ${suggestion.trim()}`.trimEnd()

/** What to fix: the analysis's words, then each grave issue that they leave out. Without words: all that is left. */
const instructionsOf = (said: string, left: ReadonlyArray<ReviewIssue>, review: GivenReview): string => {
  const words = cut(said.trim(), bounds.instructions)
  if (words === "") return left.length === 0 ? review.text : left.map(issueText).join("\n\n")
  const mentioned = plainly(words)
  const missing = left.filter((one) => isGrave(one) && !mentioned.includes(plainly(one.description)))
  return [words, ...missing.map(issueText)].join("\n\n")
}

/**
 * What is to be fixed after a review. A drop counts only if its task is pending, its quote is in that task, its
 * issue is in the review, and that issue weighs neither on security nor on correctness. There is nothing to fix
 * only if the analysis says so and nothing but `info` is left of the issues. If the review is a text without a list of
 * issues, the drops that count must also cover all that it says. If the analysis cannot be read, all is to be fixed.
 */
export const analyse = (analysing: Analysing): Analysed => {
  const { answer: text, review } = analysing
  const raw = (problems: ReadonlyArray<string>): Analysed => ({
    needsFixes: true,
    instructions: review.text,
    dropped: [],
    problems
  })
  if (text === null || text.trim() === "") return raw(["the analysis is empty"])
  const { answer, problems } = readAnalysis(text)
  if (answer === null) return raw(problems)
  const judged = answer.dropped.slice(0, bounds.drops).map((drop) => judge(drop, analysing))
  const counted = judged.flatMap((one) => "dropped" in one ? [one] : [])
  const gone = new Set(counted.map(({ issue }) => issue))
  const remains = review.issues.filter((one) => one.severity !== "info" && !gone.has(one))
  // The gravest first: what is too long for a prompt is cut at its end.
  const left = [...remains].sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity))
  const dropped = counted.map(({ dropped }) => dropped)
  const needsFixes = answer.needs_fixes || left.length > 0 ||
    (review.issues.length === 0 && (counted.length === 0 || saysMore(review.text, dropped)))
  return {
    needsFixes,
    instructions: needsFixes ? instructionsOf(answer.fix_instructions, left, review) : "",
    dropped,
    problems: judged.flatMap((one) => "refused" in one ? [one.refused] : []).slice(0, bounds.problems)
  }
}
