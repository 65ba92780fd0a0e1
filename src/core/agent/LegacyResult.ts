// LegacyResult: results in the words that agents used before there were headers.
// Whatever takes a pass back or contradicts it makes the result one of gaps.
import { deniedBefore, deniedBehind, saysUndone, unmarked, withoutHarmless } from "./Denial.ts"
import type { DecodedResult } from "./Result.ts"

const edge = (words: string): string => `(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`
const passes = new RegExp(
  edge("review[ \\n]passed|spec[ \\n-]compliant|APPROVED|implementation[ \\n](?:is[ \\n])?complete"),
  "giu"
)
const fails = new RegExp(
  edge(
    "FAILED|issues?[ \\n]found|precondition[ \\n]failure|task[ \\n](?:is[ \\n])?blocked[ \\n]on|" +
      "review[ \\n]loop[ \\n](?:limit[ \\n])?exceeded"
  ),
  "giu"
)
// These two are verdicts in capitals alone: "approved" and "failed" are words of every report.
const shouted = /^(?:approved|failed)$/i
// Words that no earlier agent had for a failure, but that no message of a pass holds.
const contrary = new RegExp(
  `${edge("REJECTED|DISAPPROVED|NEEDS[ -]FIXES|CHANGES REQUESTED")}|[1-9]\\d* (?:tests? )?failed|^issues:`,
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
  return deniedBefore(sentence.slice(0, last.index)) || deniedBehind(sentence.slice(last.index + last[0].length))
}

/** A message without headers. Only a pass that nothing takes back or contradicts is one. */
export const legacyResult = (text: string): DecodedResult => {
  const said = withoutHarmless(unmarked(text))
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
