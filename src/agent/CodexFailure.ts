// CodexFailure: the cause of a failure, from what codex and the service's answer say, as input for the table.
// Only codex's own lines count: the output of a command is a project's text and decides nothing.
import { type Complaint, kindOf, saying } from "../run/FailureKind.ts"
import { type Fields, isFields, numberOrNull, parseJson, textOf } from "../text/Json.ts"
import { plain } from "../text/Untrusted.ts"

/** What codex prints in place of an answer when a reviewer was interrupted. It is never a result. */
export const interruptedSentence = "Review was interrupted. Please re-run /review and wait for it to complete."

const errorLine = /^(?:ERROR|Error|error)\b[^:]{0,60}:/
const prefix = /^(?:ERROR|Error): /
const reconnecting = /^ERROR: Reconnecting\.\.\./
const aside = /^(?:Stack backtrace:|Usage: |For more information|warning: |WARNING: |\s+\d+: |\s+at )/
// The line above and the line below codex's header.
const rule = "--------"
// A message may have several lines, but a line this far from the end is one that the reviewer survived.
const reach = 12

const linesOf = (tail: string): ReadonlyArray<string> =>
  plain(tail.slice(-64 * 1024)).split("\n")
    .filter((line) => line.trim() !== "" && !aside.test(line) && !reconnecting.test(line))

/** An orderly end: the error, codex's notice of the interruption, the same error again, and nothing behind it. */
const orderly = (lines: ReadonlyArray<string>): string | null => {
  const notice = lines.lastIndexOf(interruptedSentence)
  const after = lines.slice(notice + 1)
  const before = lines.slice(Math.max(0, notice - 1 - after.length), Math.max(0, notice - 1))
  const isWhole = notice > 0 && prefix.test(after[0] ?? "") && lines[notice - 1] === "codex"
  return isWhole && after.join("\n") === before.join("\n") ? after.join("\n") : null
}

/** The end of codex's header and its request: they name directories, branches, the model and its effort. */
const startOf = (lines: ReadonlyArray<string>): number => {
  const request = lines.indexOf("user")
  if (request >= 0) return request + 2
  const [first, second] = [lines.indexOf(rule), lines.lastIndexOf(rule)]
  return first < 0 ? 0 : second > first ? second + 1 : lines.length
}

/**
 * The last reason that codex gave for its failure, from the end of its standard error; empty if it gave no known one.
 * Where standard error may hold a command's output (`quotes`), only an orderly end is certainly codex's own.
 */
export const lastWords = (tail: string, quotes: boolean): string => {
  const lines = linesOf(tail)
  const whole = orderly(lines)
  if (whole !== null || quotes) return whole ?? ""
  const end = lines.slice(startOf(lines)).slice(-reach)
  const at = end.findLastIndex((line) => errorLine.test(line))
  if (at >= 0) return end.slice(at).filter((line) => line !== "codex" && line !== interruptedSentence).join("\n")
  return end.findLast((line) => kindOf(saying(line)) !== null) ?? ""
}

/** The last lines of a program that could not even begin. */
export const lastLines = (tail: string): string => linesOf(tail).slice(-3).join("\n")

/** The first lines of a panic of codex; empty if there is none. Its text may be anything. */
export const panicIn = (tail: string): string => {
  const lines = linesOf(tail)
  const at = lines.findLastIndex((line) => /^thread '.{0,80}' panicked at /.test(line))
  return at < 0 ? "" : lines.slice(at, at + 2).join(" ")
}

const jsonIn = (text: string): Fields | null => {
  const value = parseJson(text.slice(Math.max(0, text.indexOf("{")), text.lastIndexOf("}") + 1))
  return isFields(value) ? value : null
}

const texts = (...values: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  values.flatMap((value) => typeof value === "number" ? [String(value)] : textOf(value) || [])

/** Reads a complaint: words, or a service's answer in JSON. Codex prints such an answer whole if its status was 400. */
export const complaintOf = (said: string): Complaint => {
  const text = said.replace(prefix, "").trim()
  const status = /\bstatus:? (\d{3})\b/.exec(text)?.[1]
  const json = jsonIn(text)
  if (json === null) return { words: text, codes: texts(status), until: null }
  const error = isFields(json["error"]) ? json["error"] : json
  const own = texts(status, json["status"], json["status_code"], error["status"])
  const isWhole = text.startsWith("{")
  const until = numberOrNull(error["resets_at"])
  return {
    words: isWhole ? textOf(error["message"]) || textOf(json["detail"]) || text : text,
    codes: [
      ...texts(error["code"], error["type"], error["param"]),
      ...own,
      ...isWhole && own.length === 0 ? ["400"] : []
    ],
    until: until === null ? null : until * 1000
  }
}

/** A complaint as codex's session file records it: its message, and a code, perhaps with the service's status. */
export const recordedComplaint = (error: unknown): Complaint | null => {
  if (!isFields(error)) return null
  const complaint = complaintOf(textOf(error["message"]))
  const info = error["codex_error_info"]
  const codes = isFields(info)
    ? Object.entries(info).flatMap(([name, more]) => texts(name, isFields(more) ? more["http_status_code"] : null))
    : texts(info)
  return { ...complaint, codes: [...codes, ...complaint.codes] }
}

/** An instant for people, to the minute. */
export const instantText = (millis: number): string =>
  `${new Date(millis).toISOString().slice(0, 16).replace("T", " ")} UTC`
