// Untrusted: what reviewers and agents wrote, made fit to print: cut to a length, fenced, nothing in it hidden.
// No such text can leave its line or its fence, or exceed its length.
import { hasHidden } from "./Hidden.ts"
import { blockLine, lines, oneLine } from "./Text.ts"

/**
 * The first `most` UTF-16 code units of a text, and no half of a character or joiner with nothing left to join at their
 * end; the text itself when it is no longer.
 */
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

/** The first lines of a text as they may stand in a block, and whether they are all of it. Tabs stay. */
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
 * Lines as a fenced block of Markdown. Every line begins with `| `, so that none can close the fence, be a heading,
 * or be taken for a line of ours by a reader that knows no fences; and the fence is longer than any run of backticks.
 */
export const fence = (content: ReadonlyArray<string>): string => {
  const runs = content.flatMap((line) => Array.from(line.matchAll(/`+/g), ([run]) => run.length))
  const mark = "`".repeat(runs.reduce((most, run) => Math.max(most, run + 1), 3))
  return [`${mark}text`, ...content.map((line) => `| ${line}`.trimEnd()), mark].join("\n")
}

/** A text as a fenced block that nothing in it can close, at most `most` characters of it. */
export const fenced = (text: string, most = Number.MAX_SAFE_INTEGER): string => fence(excerpt(text, most).lines)
