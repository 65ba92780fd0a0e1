// ListedFindings: findings a reviewer lists in a form of its own: tags, severities, `file:line`, headings, tables.
// A list says "finding" by its form; an entry that says "none" or "0" is no finding.
import { type Priority, splitTag, type Written } from "../../findings/Finding.ts"
import { parsePlace } from "../../findings/Place.ts"

const bullet = /^\s{0,40}(?:[-*+•]|\d{1,3}[.)]|#{1,6}|>)\s{1,10}/
const tagged = /^[\s*_(\[`]{0,6}P([0-3])(?![\w/-])[\])*_`:\s—–-]{0,6}/i
const grades = "critical|blocker|blocking|high|major|medium|minor|low|nit|nitpick"
const graded = new RegExp(
  `^[\\s*_(\\[\`]{0,6}(?:🔴|🟠|🟡)?\\s?(${grades}|severity)\\b(?: (?:severity|priority|risk))?[\\])*_\`]{0,4}\\s?` +
    "(?::|—|–|-|\\||$)[*_]{0,2}\\s?",
  "i"
)
const bracketed = new RegExp(`^[\\s*_\`]{0,4}[[(](${grades}|bug|issue)[\\])][*_\`]{0,4}:?\\s?`, "i")
const headed = new RegExp(
  "^[\\s*_#]{0,10}(?:(?:review|key|main|actionable|detailed|blocking|open|code|potential|required|requested) )?" +
    "(?:findings?|issues?|problems?|bugs?|defects?|concerns?|blockers?|review comments?|must[- ]fix|nits?|" +
    "action items|required changes|requested changes|suggestions?)(?: (?:found|identified))?[\\s*_]{0,4}" +
    "(?::|\\(\\d+\\)|$)[\\s*_]{0,4}",
  "i"
)
const placed = new RegExp(
  "^[\\s*_`(]{0,4}((?=[^\\s`]{0,400}[./\\\\])[^\\s`]{1,400}?:\\d{1,7}(?:[-–:]\\d{1,7})?)" +
    "[`*_)]{0,4}\\s?(?::|—|–|-|\\s)\\s?(.*)$"
)
const none = new RegExp(
  "^[\\s*_`|:-]{0,10}(?:none|no\\b|nothing|n\\/a|nil|0\\b|zero|not applicable|✅|✓|ok\\b|pass\\b|fixed|resolved|clean|" +
    "(?:\\p{L}{1,20} ){0,4}(?:is|are|was|were|has been) (?:now )?(?:fixed|resolved|addressed))",
  "iu"
)
// "P0/P1 issues: none", "High: no findings": a count or a denial behind the tag.
const noneBehind = /(?::|=|—|–|-)\s?(?:none|0|no\b|nothing)[\s.*_]*$/i

const priorities: Readonly<Record<string, Priority>> = {
  critical: 0,
  blocker: 0,
  blocking: 0,
  high: 1,
  major: 1,
  medium: 2,
  minor: 3,
  low: 3,
  nit: 3,
  nitpick: 3
}
const priorityOf = (grade: string | undefined): Priority | null => priorities[grade?.toLowerCase() ?? ""] ?? null

// "No more. - [P2] Reset the counter": a tag behind the end of a sentence opens an entry as well.
const inline = /([.!?:;])[ \t]{1,20}(?=(?:[-*•–—][ \t]{1,20})?\*{0,2}\[P[0-3]\])/gi

const entry = (line: string): string => line.replace(bullet, "")
const isNone = (text: string): boolean => none.test(text) || noneBehind.test(text.slice(-60))

const bare = /^[\s*_`]{0,6}(?:none|0|zero|nil|n\/a|✅)[\s*_`.!]{0,6}$/i

const longest = 1000

const written = (text: string, priority: Priority | null): Written => {
  const split = splitTag(text.replace(/[*_`]{2,}/g, "").trim())
  const at = split.title.search(/\s(?:—|–|--)\s(?=[^\s]{1,400}$)/)
  const place = at < 0 ? null : parsePlace(split.title.slice(at).replace(/^\s\S+\s/, ""))
  const title = place === null ? split.title : split.title.slice(0, at)
  return { title: title.slice(0, longest), body: "", priority: split.priority ?? priority, place }
}

// A table row with a cell that is a priority or a severity, and another that says something.
const row = (line: string): Written | null => {
  if (!/^\s{0,20}\|/.test(line)) return null
  const cells = line.split("|").map((cell) => cell.replace(/[*_`]/g, "").trim()).filter((cell) => cell !== "")
  const at = cells.findIndex((cell) => /^(?:\[?P[0-3]\]?|critical|high|medium|low|major|minor|blocker)$/i.test(cell))
  const said = cells.filter((cell, i) => i !== at && !/^[\d\s.:#-]+$/.test(cell))
  if (at < 0 || said.length === 0 || said.some(isNone)) return null
  const cell = cells[at] ?? ""
  return written(said.join(" — "), splitTag(`${cell}: `).priority ?? priorityOf(cell))
}

const listed = (text: string): Written | null => {
  const byTag = tagged.exec(text)
  if (byTag !== null) {
    const rest = text.slice(byTag[0].length)
    return rest.trim() === "" || isNone(rest) ? null : written(text, null)
  }
  const byGrade = graded.exec(text) ?? bracketed.exec(text)
  if (byGrade !== null) {
    const rest = text.slice(byGrade[0].length)
    const heading = rest.trim() === "" && !/severity/i.test(byGrade[1] ?? "")
    return heading || isNone(rest) ? null : written(rest, priorityOf(byGrade[1]))
  }
  const byPlace = placed.exec(text)
  const claim = byPlace?.[2] ?? ""
  if (!/\s/.test(claim.trim()) || isNone(claim)) return null
  return { ...written(claim, null), place: parsePlace(byPlace?.[1] ?? "") }
}

/** The text with lines such as "Findings: none" and "Issues: 0" put as the denials that they are. */
export const spellDenials = (text: string): string =>
  text.split("\n").map((line) => {
    const item = entry(line)
    const opening = headed.exec(item)
    return opening !== null && bare.test(item.slice(opening[0].length)) ? "No issues." : line
  }).join("\n")

/**
 * Findings listed in a plain text, in order, with priorities and places where the form gives them. `clears` says of
 * an entry under a heading such as "Findings" that it denies defects.
 */
export const listedFindings = (text: string, clears: (entry: string) => boolean): ReadonlyArray<Written> => {
  const found: Array<Written> = []
  let under = false
  for (const line of text.replace(inline, "$1\n").split("\n")) {
    if (line.trim() === "") continue
    const item = entry(line)
    const opening = headed.exec(item)
    const one = opening === null ? row(line) ?? listed(item) : null
    if (opening !== null) {
      const rest = item.slice(opening[0].length)
      under = rest.trim() === ""
      if (!under && !isNone(rest) && !clears(rest)) found.push(written(rest, null))
    } else if (one !== null) found.push(one)
    else if (under && item !== line && !/^\s*#/.test(line)) {
      if (!isNone(item) && !clears(item)) found.push(written(item, null))
    } else if (item === line && !/^\s{2,}/.test(line)) under = false
  }
  return found
}

/** Whether the text holds an entry of a list that neither denies defects nor tells of checks. */
export const hasItems = (text: string, harmless: (entry: string) => boolean): boolean =>
  text.split("\n").some((line) => {
    const item = entry(line)
    return item !== line && !/^\s{0,40}[#>]/.test(line) && item.trim() !== "" && !isNone(item) && !harmless(item)
  })
