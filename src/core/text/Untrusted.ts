// Untrusted: what reviewers and agents wrote, made fit to print: hidden characters shown, cut to a length, fenced.
// The one rule: whatever the text holds, it stays within its line, its fence and its length.
import { lines } from "./Text.ts"

// Beside control and direction characters: what shows nothing, or joins what stands apart, and can carry hidden words.
// The joiners U+200C and U+200D stay, since scripts and emoji need them.
const hidden = new RegExp(
  "[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b\\u200e\\u200f" +
    "\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e0fff}]|\\p{Surrogate}",
  "gu"
)
const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const escaped = (c: string): string => {
  const code = c.codePointAt(0) ?? 0
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd"
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`
}

/** The text on one line, with everything that would not show written as an escape. A lone surrogate is U+FFFD. */
export const visible = (text: string): string => text.replace(hidden, (c) => named[c] ?? escaped(c))

/** The first `most` UTF-16 code units of a text, never half a character; the text itself when it is no longer. */
export const cut = (text: string, most: number): string => {
  if (text.length <= most) return text
  const last = text.charCodeAt(most - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most)
}

/** The last `most` UTF-16 code units of a text, never half a character. */
export const tail = (text: string, most: number): string => {
  const kept = text.slice(-most)
  return /^[\udc00-\udfff]/.test(kept) && kept.length < text.length ? kept.slice(1) : kept
}

/** The text on one line of at most `most` characters, ending in `...` when there was more. */
export const brief = (text: string, most: number): string => {
  const line = visible(cut(text, most))
  return text.length <= most && line.length <= most ? line : `${cut(line, most - 3)}...`
}

/** A text as its printable lines, and whether they are all of it. Lines are told as by `lines`; tabs stay. */
export const printable = (
  text: string,
  most: number
): { readonly lines: ReadonlyArray<string>; readonly whole: boolean } => {
  const kept = lines(cut(text, most).trimEnd())
  const shown: Array<string> = []
  let left = most
  for (const line of kept) {
    const safe = line.split("\t").map(visible).join("\t")
    shown.push(cut(safe, Math.max(0, left)))
    left -= safe.length + 1
    if (left < 0) return { lines: shown, whole: false }
  }
  return { lines: shown, whole: text.length <= most }
}

/**
 * Lines as a fenced block of Markdown. Every line begins with `| `, so that none can close the fence, be a heading,
 * or be taken for a line of ours by a reader that knows no fences; and the fence is longer than any run of backticks.
 */
export const fence = (content: ReadonlyArray<string>): string => {
  const runs = content.flatMap((line) => Array.from(line.matchAll(/`+/g), ([run]) => run.length))
  const mark = "`".repeat(runs.reduce((most, run) => Math.max(most, run + 1), 3))
  return [`${mark}text`, ...content.map((line) => `| ${line}`.trimEnd()), mark].join("\n")
}

/** A text as a fenced block that nothing in it can close, at most `most` characters of it. */
export const fenced = (text: string, most = Number.MAX_SAFE_INTEGER): string => fence(printable(text, most).lines)

// JSON.stringify escapes the first control characters and lone surrogates itself. What it leaves as it is, and a
// terminal or a reader of lines would act on, stands inside strings alone, where an escape means the same.
const acting = /[\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g
const tags = /\udb40[\udc00-\udfff]/g

const unit = (code: number): string => `\\u${code.toString(16).padStart(4, "0")}`
const units = (text: string): string => unit(text.charCodeAt(0)) + unit(text.charCodeAt(1))

/** A value as JSON on one line, without a newline and without a control, direction or invisible character in it. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replace(acting, (c) => unit(c.charCodeAt(0))).replace(tags, units)
