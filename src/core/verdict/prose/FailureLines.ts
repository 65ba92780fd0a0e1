// FailureLines: lines that codex prints in place of a review.
// The one rule: only a line of its own counts; a review may quote any of these sentences.

/** What such a line says. */
export type FailureLine = "fixed-sentence" | "usage-limit" | "service-error"

const fixed = new Set([
  "review was interrupted. please re-run /review and wait for it to complete",
  "reviewer failed to output a response"
])
const dressing = /^[\s"'`*_>(\[]{1,8}|[\s"'`*_.!)\]]{1,8}$/g

/** Whether the text is one of the sentences that codex prints when there is no review, quotes and full stop aside. */
export const fixedSentence = (text: string): boolean =>
  text.length < 120 && fixed.has(text.replace(dressing, "").replace(/\s+/g, " ").toLowerCase())

const prefix = /^(?:(?:codex )?error|fatal|warning)\s?[:!]\s{0,4}/i
const limits = [
  /^you(?:'ve| have) (?:hit|reached|exceeded) your\b/i,
  /^(?:usage|rate) limit (?:reached|exceeded|hit)/i,
  /^(?:quota exceeded|exceeded retry limit|insufficient.quota|(?:429 )?too many requests\b)/i,
  /^(?:to use codex with your chatgpt plan|your account has (?:run|no)\b)/i
]
const troubles = [
  /^(?:unexpected status \d{3}|[45]\d\d [A-Z]|(?:\d{3} )?internal (?:server )?error\b)/i,
  /^(?:stream disconnected before completion|incomplete response returned|connection (?:refused|reset|failed|closed))/i,
  /^(?:selected model is at capacity|we're currently experiencing high demand|codex ran out of room)/i,
  /^(?:not logged in|missing environment variable|(?:request |connection |operation )?timed out\b)/i
]

const read = (line: string): FailureLine | null => {
  if (fixedSentence(line)) return "fixed-sentence"
  const said = line.replace(prefix, "")
  if (limits.some((limit) => limit.test(said))) return "usage-limit"
  return troubles.some((trouble) => trouble.test(said)) || /^ERROR: \S/.test(line) ? "service-error" : null
}

/** The failure that lines of a plain text report, the most telling one; null when none is such a line. */
export const failureLine = (text: string): FailureLine | null => {
  const said = new Set(text.split("\n").map((line) => read(line.trim())))
  return (["usage-limit", "service-error", "fixed-sentence"] as const).find((kind) => said.has(kind)) ?? null
}
