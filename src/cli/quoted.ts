// quoted: how a message repeats a text from the command line.
// A message is one line of bounded length, in well-formed Unicode, for any input.
import { oneLine } from "../core/text/Text.ts"
import { shortened } from "../core/text/Untrusted.ts"

const most = 80

/** The text on one line and shortened: for what looks like a flag. */
export const named = (text: string): string => oneLine(shortened(text, most))

/** The same in quotes: for a value or an operand. */
export const quoted = (text: string): string => `"${named(text)}"`

/** A flag of this name, as it is spelt. */
export const spelt = (name: string): string => name.length === 1 ? `-${name}` : `--${name}`

/** What is wrong with the value of an option. */
export const badValue = (option: string, text: string, reason: string): string => `${option} ${quoted(text)}: ${reason}`
