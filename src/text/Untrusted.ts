// Untrusted: text from outside, made safe to print: nothing hidden, on its line, within its fence and its length.
//
// Everything that a model, a repository or a server wrote may be an attack on whoever reads our output: a person at a
// terminal, a model that reads a prompt, a parser that looks for headers. Three rules answer that, and only this file
// knows the characters:
// - Hidden characters, which people do not see or terminals act on, are escaped or removed.
// - A text stays on its line: every break that some reader honours is escaped. In a block each line has a prefix, so
//   that no line of it can look like a header.
// - A block is fenced by more backticks than any run inside, and cut to a length.
// Secrets are another matter: `redaction/` removes them before a text is stored or leaves the machine.

// Control characters, line and paragraph separators, interlinear annotations, halves of characters, and what Unicode
// calls default-ignorable: zero-width and direction controls, soft hyphen, word joiner, invisible operators, Hangul
// fillers, variation selectors, tag characters, the byte order mark.
const unseen = String.raw`[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]|\p{Surrogate}`

// A few of them belong to the visible text around them and stay, one at a time. Anywhere else, and in runs, they could
// carry invisible text. Joiners: scripts such as Persian and Hindi need one between letters, and so do emoji of several
// parts. Latin text needs none, so none stays before a Latin letter.
const letter = String.raw`(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{Emoji_Modifier}]`
const emoji = String.raw`\p{Extended_Pictographic}\ufe0f?`
const notLatin = String.raw`(?![\p{Script=Latin}\p{Script=Inherited}\p{Default_Ignorable_Code_Point}])`
const joined = `(?:${letter}|${emoji})[\\u200c\\u200d](?=${notLatin}[\\p{L}\\p{M}\\p{Extended_Pictographic}])`
// Selectors: a sign as emoji or as text, and a keycap.
const selected = String.raw`\p{Extended_Pictographic}[\ufe0e\ufe0f]|[0-9#*]\ufe0f(?=\u20e3)`
const hidden = `(?:${unseen})(?<!${joined}|${selected})`

// Printable ASCII hides nothing. The pattern above is compiled only for other text, because that takes 5 ms. V8 keeps
// the compiled pattern.
const printable = /^[\x20-\x7e]*$/

/** The text with every hidden character replaced by the result of `by`. */
export const replaceHidden = (text: string, by: (character: string) => string): string =>
  printable.test(text) ? text : text.replace(new RegExp(hidden, "gu"), by)

/** Whether a text holds a hidden character. */
export const hasHidden = (text: string): boolean => !printable.test(text) && text.search(new RegExp(hidden, "u")) >= 0

// Bounded, and within a line, so that a sequence that is cut off or never ends hides no text after it.
const sequences =
  /\u001b(?:\[[0-?]{0,40}[ -/]{0,4}[@-~]|[\]P^_X][^\u0007\u001b\n]{0,200}(?:\u0007|\u001b\\)|[ -/]{0,4}[0-~])/g

/**
 * The text without its terminal sequences, each removed whole, and without hidden characters except the allowed ones.
 */
export const withoutHidden = (text: string, kept = ""): string =>
  replaceHidden(text.replace(sequences, ""), (character) => kept.includes(character) ? character : "")

// One line and prompts: no such text can start a line that a reader could take for a header

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

/** A line of a block: like `oneLine`, but tabs stay. */
export const blockLine = (line: string): string => line.split("\t").map(oneLine).join("\t")

/** A prompt block: the first line after `  prompt: `, every further line indented by four spaces. */
export const promptBlock = (text: string): string => {
  const [first = "", ...rest] = lines(text).map(blockLine)
  return [`  prompt: ${first}`, ...rest.map((line) => `    ${line}`)].join("\n")
}

/** The text without terminal sequences and hidden characters, with plain quotes and `\n` at the ends of lines. */
export const plain = (text: string): string =>
  withoutHidden(lines(text).join("\n"), "\n\t")
    .replace(/[\u2018\u2019\u02bc\uff07]/g, "'")
    .replace(/[\u201c\u201d\u201e]/g, '"')

// Quoting: cut to a length, fenced, nothing hidden

/** The first `most` UTF-16 code units of a text, without half a character or a dangling joiner at the end. */
export const cut = (text: string, most: number): string => {
  if (text.length <= most) return text
  let end = most
  const last = () => [...text.slice(Math.max(0, end - 2), end)].at(-1) ?? ""
  while (hasHidden(last())) end -= last().length
  return text.slice(0, end)
}

/** The last `most` UTF-16 code units of a text, cut as cleanly as by `cut`. */
export const tail = (text: string, most: number): string => {
  if (text.length <= most) return text
  let start = text.length - most
  const first = () => [...text.slice(start, start + 2)].at(0) ?? ""
  while (hasHidden(first())) start += first().length
  return text.slice(start)
}

/** The text, or the first `most` code units of it and `...`. */
export const shortened = (text: string, most: number): string => text.length > most ? `${cut(text, most)}...` : text

/** The text on one line of at most `most` characters, ending in `...` when there was more. */
export const brief = (text: string, most: number): string => {
  const line = oneLine(cut(text, most))
  return text.length <= most && line.length <= most ? line : `${cut(line, most - 3)}...`
}

// The most names that a message lists.
const mostNames = 5

/** Names in a message: the first five of `count`, and how many more there are. */
export const someNames = (names: ReadonlyArray<string>, count = names.length): string => {
  const named = names.slice(0, mostNames)
  const shown = named.map((name) => brief(name, 120)).join(", ")
  return count > named.length ? `${shown} and ${count - named.length} more` : shown
}

/** The first lines of a text in the form of a block, and whether they are all of it. Tabs stay. */
export const excerpt = (
  text: string,
  most: number
): { readonly lines: ReadonlyArray<string>; readonly whole: boolean } => {
  const kept = lines(cut(text, most).trimEnd())
  const shown: Array<string> = []
  let left = most
  for (const line of kept) {
    const safe = blockLine(line)
    shown.push(cut(safe, Math.max(0, left)))
    left -= safe.length + 1
    if (left < 0) return { lines: shown, whole: false }
  }
  return { lines: shown, whole: text.length <= most }
}

/**
 * Lines as a fenced block of Markdown. Every line begins with `| `, so that none can close the fence, be a heading, or
 * pass for our own line to a reader without fences; and the fence is longer than any run of backticks.
 */
export const fence = (content: ReadonlyArray<string>): string => {
  const runs = content.flatMap((line) => Array.from(line.matchAll(/`+/g), ([run]) => run.length))
  const mark = "`".repeat(runs.reduce((most, run) => Math.max(most, run + 1), 3))
  return [`${mark}text`, ...content.map((line) => `| ${line}`.trimEnd()), mark].join("\n")
}

/** A text as a fenced block that nothing in it can close, at most `most` characters of it. */
export const fenced = (text: string, most = Number.MAX_SAFE_INTEGER): string => fence(excerpt(text, most).lines)
