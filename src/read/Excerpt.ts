// Excerpt: a text from outside as far as it is shown: without its secrets, cut to a bound, and where the rest of it is.
import type { LongText } from "../run/Event.ts"
import { textName } from "../run/LongText.ts"
import { cut } from "../text/Untrusted.ts"
import { redact } from "../text/redaction/Redaction.ts"

/** A text that may have been cut: where the rest of it is, null where this is all. */
export interface Excerpt {
  readonly text: string
  readonly rest: string | null
}

const longest = 8000

/** A text without its secrets, as far as a page shows it, and where the rest of it is. */
export const excerpt = (text: string, rest: string, most: number = longest): Excerpt => {
  const safe = redact(text)
  return safe.length <= most ? { text: safe, rest: null } : { text: cut(safe, most), rest }
}

/** A text of the log, of which the run may keep the rest in a file. */
export const excerptOf = ({ rest, text }: LongText): Excerpt => {
  const kept = rest === undefined ? "the run's log" : `${textName(rest.hex)} in the run's directory`
  const shown = excerpt(text, `the whole of it is in ${kept}`)
  return rest === undefined ? shown : { ...shown, rest: `the whole of it is in ${kept}` }
}
