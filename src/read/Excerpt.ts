// Excerpt: the shown part of a text from outside: without secrets, cut to a limit, and where the rest is.
import type { LongText } from "../run/Event.ts"
import { textName } from "../run/LongText.ts"
import { cut } from "../text/Untrusted.ts"
import { redact } from "../text/redaction/Redaction.ts"

/** A text that may be cut: where the rest is, null if this is all. */
export interface Excerpt {
  readonly text: string
  readonly rest: string | null
}

const longest = 8000

/** The shown part of a text, without its secrets, and where the rest is. */
export const excerpt = (text: string, rest: string, most: number = longest): Excerpt => {
  const safe = redact(text)
  return safe.length <= most ? { text: safe, rest: null } : { text: cut(safe, most), rest }
}

/** A text of the log, whose rest the run may keep in a file. */
export const excerptOf = ({ rest, text }: LongText): Excerpt => {
  const kept = rest === undefined ? "the run's log" : `${textName(rest.hex)} in the run's directory`
  const shown = excerpt(text, `the whole of it is in ${kept}`)
  return rest === undefined ? shown : { ...shown, rest: `the whole of it is in ${kept}` }
}
