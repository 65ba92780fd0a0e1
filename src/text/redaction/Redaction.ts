// Redaction: removes secrets from a text before it is stored or leaves the machine. The rest stays as it is.
//
// A secret is recognised by its own form (KnownSecrets: service tokens, private keys, credentials in addresses and
// headers), by the name before it (NamedValues: `password = …` in code, JSON, YAML, shell or env) or by the program
// that takes it (Commands). All are looked for in the text and in what is left without its wrappings (Unwrapped), and
// all finds are replaced at once. A type, a reference or code behind a secret's name is not a secret, so that reviews
// of login code stay readable. Redacting twice changes nothing. Every pattern is bounded, so the time grows with the
// length of the text alone.
import { jsonText } from "../Json.ts"
import { cut, tail } from "../Untrusted.ts"
import { argumentsOfPrograms } from "./Commands.ts"
import { credentials, privateKeys, serviceTokens } from "./KnownSecrets.ts"
import { valuesOfNames } from "./NamedValues.ts"
import { marker, type Span, withoutSpans } from "./Patterns.ts"
import { replaced, unwrapped } from "./Unwrapped.ts"

const secretsIn = (text: string): ReadonlyArray<Span> => [
  ...privateKeys(text),
  ...valuesOfNames(text),
  ...serviceTokens(text),
  ...credentials(text),
  ...argumentsOfPrograms(text)
]

const redactedOnce = (text: string): string => {
  // A list of arguments is a command too.
  const list = replaced(text, /["'],\s{0,80}["']/g, () => " ")
  return withoutSpans(text, [
    ...secretsIn(text),
    ...unwrapped(text).flatMap((view) => secretsIn(view.text).flatMap(view.source)),
    ...(list === null ? [] : argumentsOfPrograms(list.text).flatMap(list.source))
  ])
}

// A secret beside another one may be recognised only once that is gone. Few texts need a second pass.
const mostLooks = 5

/**
 * The text with `[redacted]` instead of each secret of a known form: tokens of services, private keys, passwords in
 * addresses, authorization headers, and values after names such as `password` and `api_key`. Redacting twice changes
 * nothing.
 */
export const redact = (text: string): string => {
  let before = text
  for (let looks = 0; looks < mostLooks; looks++) {
    const after = redactedOnce(before)
    if (after === before) break
    before = after
  }
  return before
}

const redactValues = (line: string): string =>
  jsonText(JSON.parse(line, (_, one: unknown) => typeof one === "string" ? redact(one) : one))

/**
 * A text as it leaves the run's directory: without secrets. Of a line of JSON each text is looked at alone, because what
 * a document calls `tokens` is none. Only committed events, a person's own code shown to that person, and what a step
 * says by its contract leave as they are.
 */
export const outgoing = (text: string): string =>
  text.startsWith("{")
    ? text.split("\n").map((line) => line.startsWith("{") ? redactValues(line) : line).join("\n")
    : redact(text)

/** A prompt without the secrets in its fences; the person's request stays as it is. */
export const redactFences = (prompt: string): string => prompt.replace(/(?:^\|.*\n)+/gm, redact)

// Cutting long texts. Secrets go first: half a secret would not be recognised.

/** A long text in three parts, without secrets. */
interface Parts {
  readonly head: string
  readonly middle: string
  readonly tail: string
}

const share = 0.4
const least = 300

/** The last place to cut: at the end of a line if one is near, and never within the marker of a secret. */
const headOf = (text: string, most: number): string => {
  const head = cut(text, most)
  const line = head.lastIndexOf("\n") + 1
  if (line > 0.9 * most) return head.slice(0, line)
  const hidden = text.lastIndexOf(marker, head.length)
  return hidden >= 0 && hidden + marker.length > head.length ? head.slice(0, hidden) : head
}

const tailOf = (text: string, most: number): string => {
  const end = tail(text, most)
  const line = end.indexOf("\n") + 1
  if (line > 0 && line < 0.1 * most) return end.slice(line)
  const start = text.length - end.length
  const hidden = text.lastIndexOf(marker, start)
  return hidden >= 0 && hidden < start && hidden + marker.length > start ? text.slice(hidden + marker.length) : end
}

/** The parts of a text that has more than `limit` characters without its secrets; null for any other. */
export const partsOf = (text: string, limit: number): Parts | null => {
  const safe = redact(text)
  if (safe.length <= limit) return null
  const most = Math.floor(share * Math.max(0, limit))
  const head = headOf(safe, most)
  const end = tailOf(safe, most)
  return { head, middle: safe.slice(head.length, safe.length - end.length), tail: end }
}

/** The head and the tail with a note about the middle between them: a summary, or its length. */
export const joined = ({ head, middle, tail }: Parts, summary: string | null = null): string => {
  const between = summary === null ? `${middle.length} characters are left out here` : `in short: ${summary}`
  return `${head}\n[... ${between} ...]\n${tail}`
}

/** The text without its secrets in at most `limit` characters: its head and its tail, each 40 % of that. */
export const cutSafely = (text: string, limit: number): string => {
  if (limit < least) {
    const safe = redact(text)
    return safe.length <= limit ? safe : headOf(safe, Math.max(0, limit))
  }
  const parts = partsOf(text, limit)
  return parts === null ? redact(text) : joined(parts)
}
