// CodexFailure: why a codex process ended badly.
import { type FailureKind, isTransient, remedy } from "../run/ReviewTokens.ts"
import { cut, plain } from "../text/Untrusted.ts"

// Why a reviewer that ended badly did so, read from the end of its transcript.
// Only the terminal lines count; errors in the middle of a transcript were survived.

/** A reviewer's failure: its kind, codex's own words on one line, and what to do. */
interface Failure {
  readonly kind: FailureKind
  readonly transient: boolean
  readonly message: string
  readonly remedy: string
}

// In this order; the first that matches what codex said names the failure.
const causes: ReadonlyArray<readonly [FailureKind, RegExp]> = [
  ["Quota", /your usage limit|usage limit reached|quota exceeded|insufficient.quota|upgrade to (?:plus|pro)|credits/i],
  ["Quota", /credit balance is too low/i],
  [
    "NotLoggedIn",
    /status:? (?:401|403)\b|unauthorized|not logged in|(?:sign|log) in again|missing (?:environment variable|bearer)/i
  ],
  ["ContextTooLarge", /context window|context_length|ran out of room|maximum context|prompt is too long/i],
  ["RateLimited", /status:? 429\b|rate limit|rate_limit|too many requests/i],
  ["Overloaded", /at capacity|overloaded|slow_down/i],
  ["ModelNotFound", /model_not_found|\bmodel\b.{0,200}(?:does not exist|not found|not supported)/i],
  ["ServerError", /status:? 5\d\d\b|high demand|internal server error|server_error|service unavailable|bad gateway/i],
  ["StreamLost", /stream (?:disconnected|closed)|(?:transport|network) error|connection (?:reset|refused|closed)/i],
  ["NotTrusted", /not inside a trusted directory|skip-git-repo-check|not a git repository/i],
  ["MissingBinary", /missing optional dependency @openai\/codex/i],
  ["BadArguments", /^error: |Specify --uncommitted|No prompt provided|reasoning_effort|finding codex home/],
  // A request refused outright: the service's answer is printed as it came.
  ["BadArguments", /^ERROR: \{|invalid_prompt|invalid_request|invalid type:|unknown (?:variant|field)/]
]

/** What codex prints in place of an answer when a reviewer was interrupted. It is never a result. */
export const interruptedSentence = "Review was interrupted. Please re-run /review and wait for it to complete."
const errorLine = /^(?:ERROR|Error|error): /
// Sentences codex ends with that carry no such word in front.
const bare = /^(?:Not inside a trusted directory|No prompt provided)|Missing optional dependency @openai/
const reconnecting = /^ERROR: Reconnecting\.\.\./
const aside = /^(?:Stack backtrace:|Usage: |For more information|\s+\d+: |\s+at )/
const longest = 500
// A message may run over several lines, but a line this far from the end is something the reviewer lived through.
const reach = 12

// Codex's last words: those after its own notice of the interruption, or else the last error near the end.
const terminal = (lines: ReadonlyArray<string>): string => {
  const said = lines.filter((line) => line.trim() !== "" && !aside.test(line) && !reconnecting.test(line))
  const notice = said.lastIndexOf(interruptedSentence)
  if (notice >= 0 && errorLine.test(said[notice + 1] ?? "")) return said.slice(notice + 1).join("\n")
  const end = said.slice(-reach)
  const at = end.findLastIndex((line) => errorLine.test(line))
  return at >= 0 ? end.slice(at).join("\n") : end.findLast((line) => bare.test(line)) ?? ""
}

/** What codex said last of why it failed, from the end of its standard error; empty where it said nothing known. */
export const lastError = (tail: string): string => terminal(plain(tail.slice(-64 * 1024)).split("\n"))

/** The cause that codex's own words name; null where they name none. */
export const causeOf = (said: string): FailureKind | null =>
  causes.find(([, pattern]) => pattern.test(said.slice(0, 8192)))?.[0] ?? null

/**
 * Names the failure of a reviewer that ended with a non-zero status. `tail` is the end of its standard error (the
 * last tens of kilobytes are enough); `Unknown` when it says nothing that is known.
 */
export const failureFrom = (tail: string): Failure => {
  const said = lastError(tail)
  const kind = causeOf(said) ?? "Unknown"
  return failure(kind, cut(said.replace(/^(?:ERROR|Error|error): /, "").replace(/\s+/g, " "), longest).trim())
}

/** A failure of a known kind. */
export const failure = (kind: FailureKind, message: string): Failure => ({
  kind,
  transient: isTransient(kind),
  message,
  remedy: remedy(kind)
})
