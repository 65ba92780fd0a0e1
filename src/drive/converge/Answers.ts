// Answers: what an agent says it did about each finding, read from its last message.
// Whatever is not said plainly counts as not done.
import { brief, cut, lines } from "../../text/Untrusted.ts"
import type { Answer, AnswerWord } from "./Event.ts"

// The most of one line that is read, of a reason that is kept, and of all reasons: an event has to hold them.
const bounds = { line: 2000, why: 400, whys: 12_000 } as const

const silent = "the agent did not say"
const unexplained = "the agent gave no reason"

// Each repetition is bounded, so that a line costs no more than its length.
const mark = "[\\s*_`~<>]{0,20}"
const list = "(?:[\\s*_`~+\\u2022-]|\\d{1,3}[.)]\\s|\\[[ xX]?\\]\\s){0,20}"
const separator = "[-:=\\u2012-\\u2015]{1,3}"
const answer = new RegExp(
  `^(${list})finding\\b${mark}([0-9a-f]{16})${mark}${separator}${mark}(fixed|refuted|documented|not[-_ ]?done)` +
    `${mark}(?:$|${separator}|[.,;]|(?=\\())(.*)$`,
  "iu"
)

const wordOf = (said: string): AnswerWord => {
  const word = said.toLowerCase()
  return word === "fixed" || word === "refuted" || word === "documented" ? word : "not-done"
}

/** The reason without the marks around it; those at its end are marks only where the line began with some. */
const reasonOf = (said: string, before: string): string => {
  const text = said.replace(/^[\s*_`~]+/, "").trimEnd()
  const bare = /[*_`~]/.test(before) ? text.replace(/[*_`~]+$/, "").trimEnd() : text
  return bare === "" ? unexplained : brief(bare, bounds.why)
}

const readLine = (line: string): Answer | null => {
  const found = answer.exec(cut(line, bounds.line).trimEnd())
  if (found === null) return null
  const [, before = "", fingerprint = "", word = "", why = ""] = found
  return { fingerprint: fingerprint.toLowerCase(), answer: wordOf(word), why: reasonOf(why, before) }
}

/** Whether a message says of each of `fingerprints`, at least one, what was done about it. */
export const answersAll = (message: string, fingerprints: ReadonlyArray<string>): boolean =>
  fingerprints.length > 0 && parseAnswers(message, fingerprints).every(({ answer }) => answer !== "not-done")

/**
 * One answer for each of `fingerprints`, in their order. An agent answers with one line for each finding:
 * `finding <fingerprint>: fixed|refuted|documented|not-done - <why>`. Of several lines for one finding the last one
 * counts. A finding without a line is not done.
 */
export const parseAnswers = (message: string, fingerprints: ReadonlyArray<string>): ReadonlyArray<Answer> => {
  const said = new Map<string, Answer>()
  for (const line of lines(message)) {
    const read = readLine(line)
    if (read !== null) said.set(read.fingerprint, read)
  }
  const most = Math.max(silent.length, Math.floor(bounds.whys / Math.max(1, fingerprints.length)))
  return fingerprints.map((fingerprint) => {
    const one = said.get(fingerprint) ?? { fingerprint, answer: "not-done", why: silent }
    return { ...one, why: brief(one.why, most) }
  })
}
