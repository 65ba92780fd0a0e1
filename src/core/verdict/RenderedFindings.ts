// RenderedFindings: codex's own rendering of a review's findings, read and written.
// The one rule: `- ` in the first column starts a finding, two spaces carry its body; nothing else is guessed.
import { splitTag, type Written } from "../findings/Finding.ts"
import { parsePlace, renderPlace, type WrittenPlace } from "../findings/Place.ts"

/** A body in codex's rendering: the text around the findings, and the findings. */
export interface Rendered {
  /** The explanation before the header, and stray text of the first column after it. */
  readonly prose: string
  readonly findings: ReadonlyArray<Written>
}

const header = /^(?:Full review comments|Review comments?):\s*$/
const nothing = /^[\s*_`]*(?:(?:none|n\/a|nothing)[\s.*_`]*|no (?:findings|issues|comments)\b.*)$/i
const separator = /\s[—–]\s|\s--\s/g

// A finding being read: the lines of its title, the place that closed it, and its body so far.
interface Open {
  readonly title: Array<string>
  readonly body: Array<string>
  place: WrittenPlace | null
}

/** The lines of a body; codex passes the model's carriage returns through. */
const bodyLines = (text: string): ReadonlyArray<string> =>
  text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))

/** Reads codex's rendering; null when no line is its header or nothing but a denial follows it. */
export const parseRendered = (text: string): Rendered | null => {
  const lines = bodyLines(text)
  const start = lines.findIndex((line) => header.test(line))
  if (start < 0) return null
  const prose = lines.slice(0, start)
  const findings: Array<Written> = []
  let open: Open | null = null
  const close = () => {
    const written = open === null ? null : finish(open)
    if (written !== null) findings.push(written)
    open = null
  }
  for (const line of lines.slice(start + 1)) {
    if (header.test(line)) close()
    else if (line.startsWith("- ") || line === "-") {
      close()
      open = { title: [], body: [], place: null }
      addTitle(open, line.slice(2))
    } else if (open !== null && (line.startsWith("  ") || line.trim() === "")) open.body.push(line.slice(2))
    else if (open !== null && open.place === null && open.body.length === 0) addTitle(open, line)
    else {
      close()
      prose.push(line)
    }
  }
  close()
  const said = lines.slice(start + 1).some((line) => line.trim() !== "" && !nothing.test(line.replace(/^-\s*/, "")))
  return said ? { prose: prose.join("\n").trim(), findings } : null
}

// Titles may run over several lines of the first column; the place at the end of one closes them.
const addTitle = (open: Open, line: string): void => {
  let at = -1
  let width = 0
  for (const found of line.matchAll(separator)) {
    at = found.index
    width = found[0].length
  }
  open.place = at < 0 ? null : parsePlace(line.slice(at + width))
  open.title.push(open.place === null ? line : line.slice(0, at))
}

const finish = (open: Open): Written | null => {
  // Without a place nothing says where the title ends, so only its first line counts.
  const titled = open.place === null ? 1 : open.title.length
  const { title, priority } = splitTag(open.title.slice(0, titled).join(" "))
  const body = [...open.title.slice(titled), ...open.body].join("\n").replace(/^\n+/, "").trimEnd()
  if (body === "" && (title === "" || nothing.test(title)) && open.place === null) return null
  return { title, body, priority, place: open.place }
}

const renderOne = (finding: Written): string => {
  const tag = finding.priority === null ? "" : `[P${finding.priority}] `
  const place = finding.place === null ? "" : ` — ${renderPlace(finding.place)}`
  const body = finding.body === "" ? "" : `\n${finding.body.split("\n").map((line) => `  ${line}`).join("\n")}`
  return `- ${tag}${finding.title}${place}${body}`
}

/** Writes findings the way codex prints them; `parseRendered` reads them back. Empty for no findings. */
export const renderFindings = (findings: ReadonlyArray<Written>): string => {
  if (findings.length === 0) return ""
  const opening = findings.length === 1 ? "Review comment:" : "Full review comments:"
  return [opening, ...findings.map(renderOne)].join("\n\n")
}
