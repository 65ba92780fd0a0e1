// ReviewBody: the shape of a reviewer's final text, and the findings in it, by structure alone.
// In codex's rendering `- ` in the first column starts a finding, two spaces carry its body; nothing else is guessed.
import { type Fields, isFields, textOf } from "../../text/Json.ts"
import {
  parsePlace,
  type Priority,
  renderPlace,
  splitTag,
  type RawFinding,
  type RawPlace
} from "../findings/Finding.ts"
import {
  type Correctness,
  parseJsonReview,
  salvageJsonReview,
  type StructuredReview,
  structuredFrom
} from "./JsonReview.ts"
import { fixedSentence } from "./Prose.ts"

/** A body in codex's rendering: the text around the findings, and the findings. */
interface RenderedReview {
  /** The explanation before the header, and stray text of the first column after it. */
  readonly prose: string
  readonly findings: ReadonlyArray<RawFinding>
}

const header = /^(?:Full review comments|Review comments?):\s*$/
const nothing = /^[\s*_`]*(?:(?:none|n\/a|nothing)[\s.*_`]*|no (?:findings|issues|comments)\b.*)$/i
const separator = /\s[—–]\s|\s--\s/g

// A finding being read: the lines of its title, the place that closed it, and its body so far.
interface Open {
  readonly title: Array<string>
  readonly body: Array<string>
  place: RawPlace | null
}

/** The lines of a body; codex passes the model's carriage returns on. */
const bodyLines = (text: string): ReadonlyArray<string> =>
  text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))

/** Reads codex's rendering; null if no line is its header or only a denial follows it. */
export const parseRendered = (text: string): RenderedReview | null => {
  const lines = bodyLines(text)
  const start = lines.findIndex((line) => header.test(line))
  if (start < 0) return null
  const prose = lines.slice(0, start)
  const findings: Array<RawFinding> = []
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

// Titles may have several lines in the first column; the place at the end of one closes them.
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

const finish = (open: Open): RawFinding | null => {
  // Without a place the end of the title is unknown, so only its first line counts.
  const titled = open.place === null ? 1 : open.title.length
  const { title, priority } = splitTag(open.title.slice(0, titled).join(" "))
  const body = [...open.title.slice(titled), ...open.body].join("\n").replace(/^\n+/, "").trimEnd()
  if (body === "" && (title === "" || nothing.test(title)) && open.place === null) return null
  return { title, body, priority, place: open.place }
}

const renderOne = (finding: RawFinding): string => {
  const tag = finding.priority === null ? "" : `[P${finding.priority}] `
  const place = finding.place === null ? "" : ` — ${renderPlace(finding.place)}`
  const body = finding.body === "" ? "" : `\n${finding.body.split("\n").map((line) => `  ${line}`).join("\n")}`
  return `- ${tag}${finding.title}${place}${body}`
}

/** Writes findings the way codex prints them; `parseRendered` reads them back. Empty for no findings. */
export const renderFindings = (findings: ReadonlyArray<RawFinding>): string => {
  if (findings.length === 0) return ""
  const opening = findings.length === 1 ? "Review comment:" : "Full review comments:"
  return [opening, ...findings.map(renderOne)].join("\n\n")
}

// Kinds of bodies

/**
 * The shapes of a body. `Json.around` is the prose outside the objects; `ambiguous`: parsers may differ on them.
 * `Broken` is JSON that does not parse, `Unknown` JSON that is no review.
 */
type ReviewBody =
  | { readonly _tag: "Empty" }
  | { readonly _tag: "FixedSentence" }
  | { readonly _tag: "Rendered"; readonly rendered: RenderedReview }
  | { readonly _tag: "Json"; readonly review: StructuredReview; readonly around: string; readonly ambiguous: boolean }
  | { readonly _tag: "Broken"; readonly findings: ReadonlyArray<RawFinding>; readonly listEmpty: boolean }
  | { readonly _tag: "Unknown"; readonly list: boolean }
  | { readonly _tag: "Prose"; readonly text: string }

/** Finds a body's shape. Total; linear in the body's length. */
export const parseBody = (body: string): ReviewBody => {
  if (body.trim() === "") return { _tag: "Empty" }
  const rendered = parseRendered(body)
  if (rendered !== null) return { _tag: "Rendered", rendered }
  if (fixedSentence(body.trim())) return { _tag: "FixedSentence" }
  const json = parseJsonReview(body)
  if (json !== null) return { _tag: "Json", ...json }
  const salvaged = salvageJsonReview(body)
  if (salvaged !== null) return { _tag: "Broken", ...salvaged }
  const [, opening] = /^\s*(?:```\w{0,20}\s+)?([{[])\s*["{[\]}]/.exec(body) ?? []
  return opening === undefined ? { _tag: "Prose", text: body } : { _tag: "Unknown", list: opening === "[" }
}

// A review that was requested as JSON: read as codex reads one, by its braces, or as text

/** A review and how it was read. A review read as text has no findings here, but is not clean for that. */
export interface DecodedReview {
  readonly tier: "strict" | "substring" | "text"
  readonly findings: ReadonlyArray<RawFinding>
  readonly correctness: Correctness
  readonly explanation: string
}

const priorities: Readonly<Record<string, Priority>> = { critical: 0, major: 1, minor: 2, info: 3 }

/** An issue of a review of a plan's work as an item of codex's own schema. */
const findingFrom = (issue: unknown): unknown => {
  if (!isFields(issue)) return issue
  const { body, description, message, place, priority, severity, suggestion } = issue
  const at: Fields = isFields(place) ? place : { path: textOf(place) }
  const said = [body, description, message, suggestion].map(textOf).filter((part) => part !== "").join("\n\n")
  return { ...at, ...issue, body: said, priority: priority ?? priorities[textOf(severity).trim().toLowerCase()] }
}

/** A review of a plan's work names its findings `issues` and ends in a verdict; see `VerdictLine`. */
const asFindings = (value: Fields): Fields => {
  const verdict = textOf(value["verdict"]).trim().toUpperCase() === "ACCEPTABLE" ? "correct" : value["verdict"]
  const { findings, issues } = value
  return findings === undefined && Array.isArray(issues) && verdict !== undefined
    ? { ...value, verdict, findings: issues.map(findingFrom), issues: [] }
    : { ...value, verdict }
}

const parsed = (text: string): ReturnType<typeof structuredFrom> => {
  try {
    const value: unknown = JSON.parse(text)
    return structuredFrom(isFields(value) ? asFindings(value) : value)
  } catch {
    return null
  }
}

/** Reads a review: the whole text as JSON, else the text between its first and its last brace, else as text. */
export const decodeReview = (text: string): DecodedReview => {
  const whole = text.replace(/^\ufeff/, "")
  const strict = parsed(whole)
  if (strict !== null) return { tier: "strict", ...strict }
  const inside = parsed(whole.slice(Math.max(0, whole.indexOf("{")), whole.lastIndexOf("}") + 1))
  if (inside !== null) return { tier: "substring", ...inside }
  return { tier: "text", findings: [], correctness: "unknown", explanation: whole.trim() }
}
