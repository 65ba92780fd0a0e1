// ListedFindings: findings a reviewer lists in a form of its own: tags, severities, `file:line`, headings.
// The one rule: a list says "finding" by its form; an entry that says "none" or "0" is no finding.
import { splitTag, type Priority, type Written } from "./Finding.ts"
import { parsePlace } from "./Place.ts"
import { bodyLines } from "./RenderedFindings.ts"

const bullet = /^\s{0,40}(?:[-*+•]|\d{1,3}[.)]|#{1,6}|>)\s{1,10}/
const tagged = /^[\s*_(\[`]{0,6}P([0-3])(?![\w/-])[\])*_`:\s—–-]{0,6}/i
const severity =
  /^[\s*_(\[`]{0,6}(?:🔴|🟠|🟡)?\s?(critical|blocker|blocking|high|major|medium|minor|low|nit|nitpick|severity)\b(?: (?:severity|priority|risk))?[\])*_`]{0,4}\s?(?::|—|–|-|\||$)[*_]{0,2}\s?/i
const bracketed = /^[\s*_`]{0,4}[[(](critical|blocker|blocking|high|major|medium|minor|low|nit|bug|issue)[\])][*_`]{0,4}:?\s?/i
const headed =
  /^[\s*_#]{0,10}(?:(?:review|key|main|actionable|detailed|blocking|open|code|potential|required|requested) )?(findings?|issues?|problems?|bugs?|defects?|concerns?|blockers?|review comments?|must[- ]fix|nits?|required changes|requested changes|action items|suggestions?)(?: (?:found|identified))?[\s*_]{0,4}(?::|\(\d+\)|$)[\s*_]{0,4}/i
const placed = /^[\s*_`(]{0,4}((?=[^\s`]{0,400}[./\\])[^\s`]{1,400}?:\d{1,7}(?:[-–:]\d{1,7})?)[`*_)]{0,4}\s?(?::|—|–|-|\s)\s?(.*)$/
const none =
  /^[\s*_`|:-]{0,10}(?:none|no\b|nothing|n\/a|nil|0\b|zero|not applicable|✅|✓|ok\b|pass\b|fixed|resolved|clean|(?:[\p{L}]{1,20} ){0,4}(?:is|are|was|were|has been) (?:now )?(?:fixed|resolved|addressed))/iu

const entry = (line: string): string => line.replace(bullet, "")

const priorities: Readonly<Record<string, Priority>> = {
  critical: 0, blocker: 0, blocking: 0, high: 1, major: 1, medium: 2, minor: 3, low: 3, nit: 3, nitpick: 3
}

const written = (text: string, priority: Priority | null): Written => {
  const split = splitTag(text.replace(/[*_`]{2,}/g, "").trim())
  const at = split.title.search(/\s(?:—|–|--)\s(?=[^\s]{1,400}$)/)
  const place = at < 0 ? null : parsePlace(split.title.slice(at).replace(/^\s\S+\s/, ""))
  return {
    title: (place === null ? split.title : split.title.slice(0, at)).slice(0, 1000),
    body: "",
    priority: split.priority ?? priority,
    place
  }
}

// A table row with a cell that is a priority or a severity, and another that says something.
const row = (line: string): Written | null => {
  if (!/^\s{0,20}\|/.test(line)) return null
  const cells = line.split("|").map((cell) => cell.replace(/[*_`]/g, "").trim()).filter((cell) => cell !== "")
  const at = cells.findIndex((cell) => /^(?:\[?P[0-3]\]?|critical|high|medium|low|major|minor|blocker)$/i.test(cell))
  const said = cells.filter((cell, i) => i !== at && !/^[\d\s.:#-]+$/.test(cell))
  if (at < 0 || said.length === 0 || said.some((cell) => none.test(cell))) return null
  const cell = cells[at] ?? ""
  return written(said.join(" — "), splitTag(`${cell}: x`).priority ?? priorities[cell.toLowerCase()] ?? null)
}

const listedIn = (line: string): Written | null => {
  const text = entry(line)
  const byTag = tagged.exec(text)
  if (byTag !== null) {
    const rest = text.slice(byTag[0].length)
    return rest.trim() === "" || none.test(rest) || denied(rest) ? null : written(text, null)
  }
  const byWord = severity.exec(text) ?? bracketed.exec(text)
  if (byWord !== null) {
    const rest = text.slice(byWord[0].length)
    const heading = rest.trim() === "" && !/severity/i.test(byWord[1] ?? "")
    return heading || none.test(rest) || denied(rest) ? null : written(rest, priorities[(byWord[1] ?? "").toLowerCase()] ?? null)
  }
  const byPlace = placed.exec(text)
  if (byPlace !== null && /\s/.test((byPlace[2] ?? "").trim()) && !none.test(byPlace[2] ?? "")) {
    return { ...written(byPlace[2] ?? "", null), place: parsePlace(byPlace[1] ?? "") }
  }
  return null
}

// "P0/P1 issues: none", "High: no findings": a count or a denial behind the tag.
const denied = (rest: string): boolean => /(?::|=|—|–|-)\s?(?:none|0|no\b|nothing)[\s.*_]*$/i.test(rest.slice(-60))

/** A line that only opens a list of findings, and what it says behind the colon. */
const heading = (line: string): string | null => {
  const text = entry(line)
  const found = headed.exec(text)
  return found === null ? null : text.slice(found[0].length)
}

/** Findings listed in prose, in order. Priorities and places where the form gives them. */
export const listedFindings = (text: string): ReadonlyArray<Written> => {
  const found: Array<Written> = []
  let under = false
  for (const line of bodyLines(text)) {
    if (line.trim() === "") continue
    const opened = heading(line)
    if (opened !== null) {
      under = opened.trim() === ""
      if (!under && !none.test(opened) && !denied(opened)) found.push(written(opened, null))
      continue
    }
    const listed = row(line) ?? listedIn(line)
    if (listed !== null) found.push(listed)
    else if (under && bullet.test(line) && !/^\s*#/.test(line) && !none.test(entry(line))) found.push(written(entry(line), null))
    else if (!bullet.test(line) && !/^\s{2,}/.test(line)) under = false
  }
  return found
}
