// Text: how text from outside (REASON, DETAILS, error messages, names) stands on one line and in a prompt.
// No character of such a text may start a line that a reader could take for a header, or stay unseen.
import { replaceHidden } from "./Hidden.ts"

// \v, \f and the C0 separators are line breaks to some readers (Python's splitlines), so they count here too.
const lineBreak = /\r\n|[\n\r\v\f\x1c-\x1e\u0085\u2028\u2029]/
const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const escaped = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  // Half a surrogate pair has no bytes in UTF-8.
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd"
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`
}

/** The lines of a text, split at every break that a terminal or a parser may honour. */
export const lines = (text: string): ReadonlyArray<string> => text.split(lineBreak)

/** The text on one line: hidden characters (see `Hidden`) written as escapes, everything else verbatim. */
export const oneLine = (text: string): string => replaceHidden(text, (c) => named[c] ?? escaped(c))

/** A line of a block: as `oneLine`, but tabs stay. */
export const blockLine = (line: string): string => line.split("\t").map(oneLine).join("\t")

/** A prompt block: the first line behind `  prompt: `, every further line indented by four spaces. */
export const promptBlock = (text: string): string => {
  const [first = "", ...rest] = lines(text).map(blockLine)
  return [`  prompt: ${first}`, ...rest.map((line) => `    ${line}`)].join("\n")
}
