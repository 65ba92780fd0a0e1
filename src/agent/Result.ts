// Result: the result contract: header lines, JSON, or the words of earlier agents.
import { Schema } from "effect"
import { oneLine } from "../text/Untrusted.ts"
import { parseFailedReport } from "./AgentEnding.ts"
import { deniesBefore, deniesAfter, saysUndone, dropMarkup, dropHarmless, wholeWord } from "./Negation.ts"
import { answerJsonSchema, answerReader } from "./PlanReview.ts"

// Results in the words that agents used before there were headers.
// Whatever takes a pass back or contradicts it makes the result `gaps`.

const passes = new RegExp(
  wholeWord("review[ \\n]passed|spec[ \\n-]compliant|APPROVED|implementation[ \\n](?:is[ \\n])?complete"),
  "giu"
)
const fails = new RegExp(
  wholeWord(
    "FAILED|issues?[ \\n]found|precondition[ \\n]failure|task[ \\n](?:is[ \\n])?blocked[ \\n]on|" +
      "review[ \\n]loop[ \\n](?:limit[ \\n])?exceeded"
  ),
  "giu"
)
// These two count only in capitals: "approved" and "failed" occur in every report.
const shouted = /^(?:approved|failed)$/i
// Words that earlier agents did not use for a failure, but that no passing message holds.
const contrary = new RegExp(
  `${wholeWord("REJECTED|DISAPPROVED|NEEDS[ -]FIXES|CHANGES REQUESTED")}|[1-9]\\d* (?:tests? )?failed|^issues:`,
  "mu"
)
const range = /\b[0-9a-f]{7,64}\.\.[0-9a-f]{7,64}\b/
const sentenceEnd = /(?<=[.!?][)\]']{0,3})\s+|\n\n/

const found = (text: string, words: RegExp): ReadonlyArray<RegExpExecArray> =>
  Array.from(text.matchAll(words)).filter(([said]) => !shouted.test(said) || said === said.toUpperCase())

/** Whether a sentence that holds a word of a pass takes it back; null for a sentence without one. */
const passDenied = (sentence: string): boolean | null => {
  const last = found(sentence, passes).at(-1)
  if (last === undefined) return null
  return deniesBefore(sentence.slice(0, last.index)) || deniesAfter(sentence.slice(last.index + last[0].length))
}

/** A message without headers. It passes only if nothing takes the pass back or contradicts it. */
export const legacyResult = (text: string): DecodedResult => {
  const said = dropHarmless(dropMarkup(text))
  const passed = said.split(sentenceEnd).map(passDenied).filter((denied) => denied !== null)
  const failed = found(said, fails).length > 0
  const named = range.exec(text)?.[0]
  const fields = named === undefined ? {} : { git_range: named }
  if (passed.length === 0 && !failed) {
    return {
      grammar: "none",
      valid: false,
      status: null,
      fields,
      problems: ["the message is no result in JSON or headers, and says neither that it passed nor that it failed"]
    }
  }
  const isPass = !failed && !passed.includes(true) && !contrary.test(said) && !saysUndone(text)
  return { grammar: "legacy", valid: true, status: isPass ? "pass" : "gaps", fields, problems: [] }
}

// The result contract, version 2: one JSON object, or header lines and then free text.
// Whatever is unclear is never a pass. The words of earlier agents count only for callers of `decodeResult`.

export const roles = ["worker", "spec-reviewer", "code-quality-reviewer"] as const
export type Role = (typeof roles)[number]

/** What a result says. `gaps` is work that is not good enough yet, `error` work that could not be done. */
export const statuses = ["pass", "gaps", "error"] as const
export type ResultStatus = (typeof statuses)[number]

/** A message as a result. `fields` are the headers as they were written; `problems` say why it is not valid. */
export const DecodedResult = Schema.Struct({
  grammar: Schema.Literals(["v2", "legacy", "none"]),
  valid: Schema.Boolean,
  status: Schema.NullOr(Schema.Literals(statuses)),
  fields: Schema.Record(Schema.String, Schema.String),
  problems: Schema.Array(Schema.String)
})
export type DecodedResult = typeof DecodedResult.Type

/** What is expected: the role and the task that were asked. */
export interface ExpectedResult {
  readonly role: Role
  readonly taskId: string
}

const [text, optional] = [Schema.String, Schema.optionalKey(Schema.NullOr(Schema.String))]
const required = { role: text, task_id: text, status: text }
const others = { git_range: optional, issues: optional, files_changed: optional, confidence: optional, text: optional }
const readJson = answerReader(Schema.Struct({ ...required, ...others }))

/** The JSON schema of a result, for `AgentTask.answer`: the headers as fields, and what is below them as `text`. */
export const resultJsonSchema = ({ role, taskId }: ExpectedResult): Schema.Json => {
  const stated = { role: Schema.Literal(role), task_id: Schema.Literal(taskId), status: Schema.Literals(statuses) }
  const optional = Schema.NullOr(Schema.String)
  return answerJsonSchema(Schema.Struct({ ...stated, git_range: optional, issues: optional, text }))
}

/** A result in JSON as its headers and text, or as the report of failure that its text is; any other text unchanged. */
export const toHeaders = (message: string): string => {
  const answer = readJson(message)
  if (answer._tag !== "Read") return message
  const { role, text, ...others } = answer.value
  if (text !== null && text !== undefined && parseFailedReport(text) !== null) return text
  const headers = Object.entries({ role, ...others }).filter(([, value]) => (value ?? "") !== "")
  return [...headers.map(([name, value]) => `${name}: ${oneLine(value ?? "")}`), "", text ?? ""].join("\n")
}

const header = /^([a-z][a-z_]*):(?!\/\/)(.*)$/

const isRole = (text: string): text is Role => roles.some((role) => role === text)
const isStatus = (text: string): text is ResultStatus => statuses.some((status) => status === text)

/** Whether a text is a range of two revisions, `base..head`. */
export const isRange = (text: string): boolean => {
  const ends = text.split("..")
  return ends.length === 2 && ends.every((end) => /^[\w@][\w./@^~{}+-]*$/.test(end) && !end.endsWith("."))
}

interface Block {
  readonly fields: Readonly<Record<string, string>>
  readonly problems: ReadonlyArray<string>
}

const blockOf = (lines: ReadonlyArray<string>): Block => {
  const fields: Record<string, string> = Object.create(null)
  const problems: Array<string> = []
  for (const line of lines) {
    if (line === "") break
    const found = header.exec(line)
    if (found === null) {
      problems.push("a blank line must follow the header lines")
      break
    }
    const name = found[1] ?? ""
    if (name in fields) problems.push(`header ${name} appears twice`)
    else fields[name] = (found[2] ?? "").trim()
  }
  return { fields: { ...fields }, problems }
}

const missing = (fields: Block["fields"], name: string): boolean => (fields[name] ?? "") === ""

const v2Problems = (
  fields: Block["fields"],
  { role, taskId }: ExpectedResult,
  needsRange: boolean
): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const said = fields["role"] ?? ""
  const status = fields["status"] ?? ""
  const range = fields["git_range"] ?? ""
  if ((said === "worker") !== (role === "worker")) problems.push(`role must be ${role}`)
  if (missing(fields, "task_id")) problems.push("task_id is missing")
  else if (fields["task_id"] !== taskId) problems.push(`task_id must be ${taskId}`)
  if (status === "") problems.push("status is missing")
  else if (!isStatus(status)) problems.push(`status must be one of ${statuses.join(", ")}`)
  if (range !== "" && !isRange(range)) problems.push("git_range must be <base>..<head>")
  if (needsRange && status === "pass" && said === "worker" && range === "") problems.push("git_range is missing")
  const hasIssues = !/^(?:none|0|n\/a|)[.]?$/i.test(fields["issues"] ?? "")
  if ((status === "gaps" || status === "error") && missing(fields, "issues")) problems.push("issues is missing")
  if (status === "pass" && role !== "worker" && hasIssues) problems.push("a pass must name no issues")
  return problems
}

const unread = (...problems: ReadonlyArray<string>): DecodedResult => ({
  grammar: "none",
  valid: false,
  status: null,
  fields: {},
  problems
})
const noRole = unread(`role must be one of ${roles.join(", ")}`)
const unstated = unread("the message is neither one JSON object of a result nor begins with a role: header")

/** Judges a message that must state its result in JSON or in headers. `needsRange`: a worker's pass must name one. */
export const decodeStated = (text: string, expected: ExpectedResult, needsRange = true): DecodedResult => {
  const answer = readJson(text)
  if (answer._tag === "Wrong") return unread(...answer.problems)
  const lines = toHeaders(text).replace(/^\ufeff/, "").split(/\r\n|\n|\r/).map((line) => line.trimEnd())
  const first = lines[0] ?? ""
  if (!first.startsWith("role:")) return unstated
  if (!isRole(first.slice("role:".length).trim())) return noRole
  const { fields, problems } = blockOf(lines)
  const all = [...problems, ...v2Problems(fields, expected, needsRange)]
  const status = fields["status"] ?? ""
  const valid = all.length === 0
  return { grammar: "v2", valid, status: valid && isStatus(status) ? status : null, fields, problems: all }
}

/**
 * Judges an agent's last message. It is version 2 if it is one JSON object of a result, or if its first line is `role:`
 * and one of the roles; with another word it is no result. A byte order mark, CRLF and blanks at the ends of lines do
 * not matter, but text or a blank line before the headers does. Any other message is read in the words of earlier
 * agents.
 */
export const decodeResult = (text: string, expected: ExpectedResult): DecodedResult => {
  const stated = decodeStated(text, expected)
  return stated === unstated ? legacyResult(text) : stated
}
