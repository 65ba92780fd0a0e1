// VerdictLine: the line in which a reviewer of a plan's work says ACCEPTABLE or NEEDS_FIXES.
// Whatever is not plainly ACCEPTABLE is never taken for it.
import { deniedBehind, denies, unmarked, withoutHarmless } from "./Denial.ts"

/** What a reviewer says of the work. */
export type PlanVerdict = "ACCEPTABLE" | "NEEDS_FIXES"

/** A verdict line as it was read; null for one that claims to be a verdict and is none. */
type Read = PlanVerdict | null

const key = /^\(?\s*(?:\(?final\)?\s+)?verdict\b\s*(?:\([^)]{0,40}\))?\)?\s*/i
const separator = /^[:=\u2013\u2014\u2192>-]+\s*/
const box = /^\[([^\]]?)\]\s+/
const acceptable = /(?<![\p{L}\p{N}])(not|non|un)?[ _-]{0,3}acceptable(?![-_]*[\p{L}\p{N}])/iu
const fixes = /(?<![\p{L}\p{N}])needs[ _-]{0,3}fixes(?![-_]*[\p{L}\p{N}])/iu

/** A line without the marks of lists, quotations and headings around it, and without emphasis and ticks. */
const bare = (line: string): string =>
  line
    .replace(/^(?:\s|>|#|[-+\u2022](?=\s)|\*|\d{1,3}[.)](?=\s))+/, "")
    .replace(/[*`]+/g, " ")
    .replace(/_+/g, (run, at: number, all: string) =>
      /[a-z]/i.test(all[at - 1] ?? "") && /[a-z]/i.test(all[at + run.length] ?? "") ? run : "")
    .trim()

/** Whether a later word of the explanation takes ACCEPTABLE back. */
const takenBack = (rest: string): boolean => {
  const before = rest.split(/acceptable/i).slice(0, -1)
  return before.some((part) => denies(part) || /(?:not|non|un)[ -]?$/i.test(part)) || deniedBehind(rest)
}

/** The verdict that a text begins with; null where it begins with none that can be read. */
const verdictOf = (said: string): Read => {
  const text = said.replace(/\s+/g, " ")
  if (fixes.test(text)) return "NEEDS_FIXES"
  const found = acceptable.exec(text)
  if (found === null) return null
  const before = text.slice(0, found.index)
  if (found[1] !== undefined || denies(before)) return "NEEDS_FIXES"
  if (!/^[ ("'\u201c[]*$/.test(before)) return null
  const rest = withoutHarmless(unmarked(text.slice(found.index + found[0].length)))
  return takenBack(rest) ? "NEEDS_FIXES" : "ACCEPTABLE"
}

/** Reads a bare line, with the next one that is not blank. Undefined where it is no verdict line, as most are. */
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
  if (verdict === null && !isHeading && said === rest && /\s/.test(said)) return undefined
  const isUnticked = boxed !== null && !/[x\u2713\u2714]/i.test(boxed[1] ?? "")
  return isUnticked && verdict === "ACCEPTABLE" ? null : verdict
}

/**
 * Reads the last verdict line of a message: the key VERDICT, then exactly one of the two words. Both words or a
 * negation say NEEDS_FIXES. A line that is the key alone takes the next line that is not blank. A last line with the
 * key that cannot be read takes an earlier ACCEPTABLE back. Null where no line can be read: the caller must take that
 * for NEEDS_FIXES, and say so.
 */
export const parseVerdictLine = (text: string): PlanVerdict | null => {
  const lines = text.split(/\r\n|[\n\r]/)
  let next: string | null = null
  let isUnreadable = false
  for (let i = lines.length - 1; i >= 0; i--) {
    const line = bare(lines[i] ?? "")
    if (line === "") continue
    const read = readLine(line, next)
    next = line
    if (read === undefined) continue
    if (read !== null) return isUnreadable ? "NEEDS_FIXES" : read
    isUnreadable = true
  }
  return null
}
