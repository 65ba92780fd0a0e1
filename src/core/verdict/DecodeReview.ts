// DecodeReview: a review that was asked for as JSON, read as codex reads one: strictly, by its braces, or as text.
import type { Written } from "../findings/Finding.ts"
import { type Correctness, structuredFrom } from "./JsonFindings.ts"

/** A review and how it was read. A review that is but text has no findings of its own: it is no clean review. */
export interface DecodedReview {
  readonly tier: "strict" | "substring" | "text"
  readonly findings: ReadonlyArray<Written>
  readonly correctness: Correctness
  readonly explanation: string
}

const parsed = (text: string): ReturnType<typeof structuredFrom> => {
  try {
    return structuredFrom(JSON.parse(text))
  } catch {
    return null
  }
}

/** Reads a review: the whole text as JSON, else what stands between its first and its last brace, else as text. */
export const decodeReview = (text: string): DecodedReview => {
  const strict = parsed(text)
  if (strict !== null) return { tier: "strict", ...strict }
  const inside = parsed(text.slice(Math.max(0, text.indexOf("{")), text.lastIndexOf("}") + 1))
  if (inside !== null) return { tier: "substring", ...inside }
  return { tier: "text", findings: [], correctness: "unknown", explanation: text.trim() }
}
