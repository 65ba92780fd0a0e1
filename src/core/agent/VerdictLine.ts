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

const marks = "(?:[ \\t]|[-+*\u2022](?=[ \\t])|\\d{1,9}[.)](?=[ \\t]))*"
const fence = new RegExp(
  `^${marks}(\`{3,}(?=[^\`\\n]*$)|~{3,}|("|')\\2\\2).*(?:\\n(?:[^]*?\\n)?(${marks}\\1[\`~"']*[ \\t]*$)|[^]*)`,
  "gm"
)
// Code within a line comes first: it only names a tag.
const element = new RegExp(
  "`[^`\\n]+`|<!--(?:[^]*?-->|[^]*)|<(blockquote|pre|code|q|samp|cite|del|s|textarea|script)\\b[^>]*>" +
    "(?:[^]*</\\1\\s*>|[^]*)",
  "gi"
)
// The lines below it, up to a blank one, may belong to it.
const quotation = new RegExp(`^${marks}>.*(?:\\n.*\\S.*)*`, "gm")
const indented = (block: string): string => block.replace(/^/gm, "    ")

/**
 * A text without its quotations and fences. What may belong to one is indented like code: an ACCEPTABLE there does not
 * count. A fence that nothing ends casts doubt on the text above it too.
 */
export const unquoted = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(fence, (block, _ticks, _quote, end) => end === undefined ? `VERDICT: unclear\n${indented(block)}` : "|")
    .replace(element, (block) => block.startsWith("`") ? block : indented(block))
    .replace(quotation, (block) => indented(block).replace(new RegExp(`^${marks}>.*`, "gm"), "|"))

/** A line without the marks of lists and headings around it, and without emphasis and ticks. */
const bare = (line: string): string =>
  line
    .replace(/^(?:\s|#|[-+\u2022](?=\s)|\*|\d{1,3}[.)](?=\s))+/, "")
    .replace(/[*`]+/g, " ")
    .replace(/_+/g, (run, at: number, all: string) =>
      /[a-z]/i.test(all[at - 1] ?? "") && /[a-z]/i.test(all[at + run.length] ?? "") ? run : "")
    .trim()

const edge = (words: string): string => `(?<!\\p{L})(?:${words})(?!\\p{L})`
const contrary =
  "but|however|(?:al)?though|albeit|nevertheless|nonetheless|notwithstanding|despite|whereas|while|yet|still|given|" +
  "only|except\\p{L}*|excluding|(?:ign|disreg)\\p{L}+|minus|barring|modulo|(?:aside|apart) from|other than|save for|" +
  "once|unless|until|till|provid(?:ed|ing)|(?:assum|suppos)\\p{L}+|pending|subject to|(?:condition|depend)\\p{L}*|" +
  "contingent|(?:as|so) (?:long|soon)|in case|for now|in principle"
const demand =
  "must|should|shall|ought|ha(?:s|ve) to|please|todo|(?<!not )need\\p{L}*|requ(?:ir|est)\\p{L}+|remain\\p{L}*"
const lack =
  "chang|fix|edit|correct|amend|adjust|repair|rework|follow|caveat|reserv|limit|issue|problem|bug|defect|error"
const order = "if|when|after|fix|address|correct|change|repair|resolve|rework|remove|rename|replace|add|do|make|revert"
// An explanation that contrasts, excepts, sets a condition or demands.
const reserved = new RegExp(
  `${edge(`${contrary}|${demand}`)}|(?:(?<!\\p{L})(?:with|w/|after|plus)|\\+) [^,;.]{0,60}(?<= )(?:${lack})|` +
    `^[^,;:=()\u2013\u2014]*${edge("when|after|upon|following|where")}|` +
    `[^\\p{L}\\p{N} '] ?(?:and |so |then |now )*${edge(order)}`,
  "iu"
)

/** Whether the explanation takes ACCEPTABLE back. */
const takenBack = (rest: string): boolean => {
  const before = rest.split(/acceptable/i).slice(0, -1)
  return before.some((part) => denies(part) || /(?:not|non|un)[ -]?$/i.test(part)) || deniedBehind(rest) ||
    reserved.test(rest)
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

const opening = new RegExp(`^${edge(contrary)}`, "iu")

/**
 * Reads the last verdict line of a message: the key VERDICT, then exactly one of the two words. Both words, a negation
 * and an explanation that demands or excepts say NEEDS_FIXES. A line that is the key alone takes the next line that is
 * not blank. A last line with the key that cannot be read, or a later `But ...`, takes an earlier ACCEPTABLE back.
 * Lines in quotations and fences do not count. Null where no line can be read: the caller must take that for
 * NEEDS_FIXES, and say so.
 */
export const parseVerdictLine = (text: string): PlanVerdict | null => {
  const lines = unquoted(text).split("\n")
  let next: string | null = null
  let isTakenBack = false
  for (let i = lines.length - 1; i >= 0; i--) {
    const [raw = "", below = ""] = lines.slice(i, i + 2)
    const line = bare(raw)
    if (line === "") continue
    const isWrapped = /acceptable/i.test(line) && /^ {0,3}(?!.*verdict)\p{Ll}/u.test(below)
    const read = readLine(isWrapped ? `${line} ${below}` : line, next)
    const isCode = /^(?: {4}| {0,3}\t)/.test(raw)
    next = isCode ? null : line
    if (read === null || read === undefined && opening.test(line)) isTakenBack = true
    else if (read === "NEEDS_FIXES" || read === "ACCEPTABLE" && !isCode) return isTakenBack ? "NEEDS_FIXES" : read
  }
  return null
}
