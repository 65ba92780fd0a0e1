// Failures: lines that codex prints in place of a review.
// The one rule: only a line of its own counts; a review may quote any of these sentences.
import { bodyLines } from "./RenderedFindings.ts"

/** What such a line says. */
export type FailureLine = "fixed-sentence" | "usage-limit" | "service-error"

const fixed = new Set([
  "Review was interrupted. Please re-run /review and wait for it to complete.",
  "Reviewer failed to output a response."
])
/** Whether the text is one of the sentences that codex prints when there is no review. */
export const fixedSentence = (text: string): boolean => fixed.has(text)

const prefix = /^(?:(?:codex )?error|fatal|warning)\s?[:!]\s{0,4}/i
const limit =
  /^(?:you(?:'|’)?ve (?:hit|reached|exceeded) your\b|usage limit (?:reached|exceeded|hit)|quota exceeded|to use codex with your chatgpt plan|you have (?:hit|reached|exceeded) your\b|exceeded retry limit|rate limit (?:reached|exceeded)|(?:429 )?too many requests\b|your account has (?:run|no)\b|insufficient.quota)/i
const service =
  /^(?:unexpected status \d{3}|stream disconnected before completion|selected model is at capacity|codex ran out of room|incomplete response returned|we(?:'|’)?re currently experiencing high demand|not logged in|missing environment variable|(?:\d{3} )?internal (?:server )?error\b|[45]\d\d [A-Z]|(?:request |connection |operation )?timed out\b|connection (?:refused|reset|failed|closed))/i

const read = (line: string): FailureLine | null => {
  if (fixed.has(line)) return "fixed-sentence"
  const said = line.replace(prefix, "")
  if (limit.test(said)) return "usage-limit"
  if (service.test(said)) return "service-error"
  return /^ERROR: \S/.test(line) ? "service-error" : null
}

/** The failure a body's lines report, the most telling one; null when none is such a line. */
export const failureLine = (body: string): FailureLine | null => {
  const said = new Set(bodyLines(body).map((line) => read(line.trim())))
  return (["usage-limit", "service-error", "fixed-sentence"] as const).find((kind) => said.has(kind)) ?? null
}
