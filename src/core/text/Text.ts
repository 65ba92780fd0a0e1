// Text: how text from outside (REASON, DETAILS, error messages) is made safe for the line-based streams.
// The one rule: no character of a foreign text may start a line that a reader could take for a header.

// \v, \f and the C0 separators are line breaks to some readers (Python's splitlines), so they count here too.
const lineBreak = /\r\n|[\n\r\v\f\x1c-\x1e\u0085\u2028\u2029]/
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u061c]/g
const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

/** The lines of a text, split at every break that a terminal or a parser may honour. */
export const lines = (text: string): ReadonlyArray<string> => text.split(lineBreak)

/** The text on one line: control and direction characters written as escapes, everything else verbatim. */
export const oneLine = (text: string): string =>
  text.replace(unprintable, (c) => named[c] ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** A prompt block: the first line behind `  prompt: `, every further line indented by four spaces. */
export const promptBlock = (text: string): string => {
  const [first = "", ...rest] = lines(text)
  return [`  prompt: ${first}`, ...rest.map((line) => `    ${line}`)].join("\n")
}
