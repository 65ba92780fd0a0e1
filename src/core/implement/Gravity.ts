// Gravity: whether an issue of a review weighs on security or correctness, told by its severity and its words.
// In doubt it does: such an issue is fixed whatever an analysis says of it.
import type { ReviewIssue } from "../agent/PlanReview.ts"
import { plain } from "../text/Plain.ts"

// Beginnings of words. An issue that only says that a feature is not there yet needs none of them.
const security = [
  "secur|vulnerab|inject|exploit|attack|malicious|sanitiz|sanitis|escap(?:e|ing)|leak|credential|password|secret",
  "(?:access|api|auth) ?token|api[ -]?key|private key|authenti|authori|permission|privilege|travers|xss|csrf|ssrf",
  "rce\\b|cve\\b|encrypt|decrypt|symlink|sandbox|unsafe|untrusted|denial of service"
]
const correctness = [
  "corrupt|data[ -]?loss|los(?:e|es|ing|s of|t) |destroy|overwrit|crash|panic|segfault|deadlock|hangs?\\b",
  "rac(?:es?|y)\\b|unhandled|uncaught|throws\\b|infinite|overflow|underflow|off[ -]by[ -]one|null pointer|use after",
  "wrong|incorrect|bugs?\\b|buggy|broken|breaks?\\b|regress|fails\\b|failing\\b|false (?:positive|negative)|silently",
  "critical|severe|blocker"
]
const heavy = new RegExp(`(?<![\\p{L}\\p{N}])(?:${[...security, ...correctness].join("|")})`, "iu")
// Parts of longer words, as in names of code: `sqlInjection`, `memoryLeak`.
const within = /injection|corrupt|vulnerab|credential|password|leak|deadlock|traversal/i

/** Whether words weigh on security or correctness. */
export const weighs = (words: string): boolean => {
  const text = plain(words).replace(/\s+/g, " ")
  return heavy.test(text) || within.test(text)
}

/** Whether an issue is critical or major. */
export const isGrave = ({ severity }: Pick<ReviewIssue, "severity">): boolean =>
  severity === "critical" || severity === "major"

/** Whether an issue weighs on security or correctness: a critical one does, whatever its words. */
export const issueWeighs = ({ description, severity, suggestion }: ReviewIssue): boolean =>
  severity === "critical" || weighs(`${description}\n${suggestion}`)
