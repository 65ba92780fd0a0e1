// DiagnosticLine: an entry of Effect's logger as one line of JSON.
// Texts in it may come from anywhere: they are cut, and what is hidden in them is shown.
import { Array, Cause, type Logger, References } from "effect"
import { jsonText } from "../../core/text/JsonText.ts"
import { brief } from "../../core/text/Untrusted.ts"

const longest = 500

const shown = (value: unknown): unknown => {
  if (typeof value === "number" || typeof value === "boolean" || value === null || value === undefined) return value
  if (Array.isArray(value)) return value.map(shown)
  return brief(typeof value === "string" ? value : jsonText(value), longest)
}

const causeText = (cause: Cause.Cause<unknown>): string | undefined =>
  cause.reasons.length === 0
    ? undefined
    : brief(Cause.prettyErrors(cause).map(({ message }) => message).join("; "), longest)

/** The line of an entry, with its newline. The names of this program win over those of annotations. */
export const diagnosticLine = (
  { cause, date, fiber, logLevel, message }: Logger.Options<unknown>,
  pid: number
): string => {
  const { span } = fiber.cache
  const own = {
    time: date.toISOString(),
    level: logLevel.toUpperCase(),
    pid,
    span: span?._tag === "Span" ? span.name : undefined,
    message: Array.ensure(message).map((part) => String(shown(part))).join(" ")
  }
  const annotations = Object.entries(fiber.getRef(References.CurrentLogAnnotations))
  const rest = Object.fromEntries(annotations.map(([name, value]) => [name, shown(value)]))
  return `${jsonText({ ...own, ...rest, ...own, cause: causeText(cause) })}\n`
}
