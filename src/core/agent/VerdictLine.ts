// VerdictLine: the line in which a reviewer of a plan's work says ACCEPTABLE or NEEDS_FIXES.
// Whatever is not plainly ACCEPTABLE is never taken for it.

/** What a reviewer says of the work. */
export type PlanVerdict = "ACCEPTABLE" | "NEEDS_FIXES"

const key = /^\(?\s*(?:final\s+)?verdict\b\s*(?:\([^)]{0,40}\))?\s*/i
const separator = /^[:=\u2013\u2014-]+\s*/
const negation = /(?:\bnot\b|n['\u2019]t\b|\bcannot\b|\bnever\b|\bno\b|\bun(?=acceptable\b))/i

/** A line without the marks of lists, quotations and headings around it, and without emphasis and ticks. */
const bare = (line: string): string =>
  line
    .replace(/^(?:\s|>|#|[-+\u2022](?=\s)|\*|\d{1,3}[.)](?=\s))+/, "")
    .replace(/[*`~]/g, "")
    .replace(/(^|[\s(:=-])_+(?=[a-z])/gi, "$1")
    .replace(/_+(?=$|[\s).,:;!])/g, "")
    .trim()

/** What stands behind the key of a verdict line; null where the line has no such key. */
const behindKey = (line: string): { readonly separated: boolean; readonly said: string } | null => {
  const found = key.exec(line)
  if (found === null) return null
  const rest = line.slice(found[0].length)
  const said = rest.replace(separator, "")
  return { separated: said.length < rest.length, said }
}

/** The verdict that a text begins with; null where it begins with none. */
const verdictOf = (said: string): PlanVerdict | null => {
  const text = said.replace(/\bneeds[ -]fixes\b/gi, "NEEDS_FIXES")
  const acceptable = /(?<![\w-])(?:un)?acceptable(?![\w-]*\w)/i.exec(text)
  const fixes = /(?<![\w-])needs_fixes(?![\w-]*\w)/i.exec(text)
  const first = Math.min(acceptable?.index ?? Infinity, fixes?.index ?? Infinity)
  if (first === Infinity) return null
  if (/^un/i.test(acceptable?.[0] ?? "")) return "NEEDS_FIXES"
  const before = text.slice(0, first)
  if (negation.test(before)) return "NEEDS_FIXES"
  if (before.replace(/[\s("'\u201c[]/g, "") !== "") return null
  return fixes === null ? "ACCEPTABLE" : "NEEDS_FIXES"
}

/**
 * Reads the last verdict line of a message: the key VERDICT, then exactly one of the two words. Both words or a
 * negation say NEEDS_FIXES. A line that is the key alone takes the next line that is not blank. Null where no verdict
 * line stands: the caller must take that for NEEDS_FIXES, and say so.
 */
export const parseVerdictLine = (text: string): PlanVerdict | null => {
  const lines = text.split(/\r\n|[\n\r]/).map(bare)
  for (let i = lines.length - 1; i >= 0; i--) {
    const found = behindKey(lines[i] ?? "")
    if (found === null) continue
    const said = found.said === "" || found.said === ")" ? lines.slice(i + 1).find((line) => line !== "") : found.said
    const verdict = said === undefined ? null : verdictOf(said)
    if (verdict !== null) return verdict
  }
  return null
}
