// DecodeReview: a review that was asked for as JSON, read as codex reads one: strictly, by its braces, or as text.
import type { Priority, Written } from "../findings/Finding.ts"
import { type Fields, isFields, textOf } from "../text/Fields.ts"
import { type Correctness, structuredFrom } from "./JsonFindings.ts"

/** A review and how it was read. One that was read as text has no findings here, but that does not make it clean. */
export interface DecodedReview {
  readonly tier: "strict" | "substring" | "text"
  readonly findings: ReadonlyArray<Written>
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

/** Reads a review: the whole text as JSON, else what stands between its first and its last brace, else as text. */
export const decodeReview = (text: string): DecodedReview => {
  const whole = text.replace(/^\ufeff/, "")
  const strict = parsed(whole)
  if (strict !== null) return { tier: "strict", ...strict }
  const inside = parsed(whole.slice(Math.max(0, whole.indexOf("{")), whole.lastIndexOf("}") + 1))
  if (inside !== null) return { tier: "substring", ...inside }
  return { tier: "text", findings: [], correctness: "unknown", explanation: whole.trim() }
}
