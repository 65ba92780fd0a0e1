// Sentences: a review's prose as sentences of plain lower-case words, with everything quoted in it blanked out.
// Every step is one pass with bounded patterns: no text makes it slow.

/** Stands for a code span, a quotation, a link or a path: the review speaks about it and does not say it. */
export const quoted = "□"

/** Stands for a place in a file: `src/a.ts:10`. */
export const quotedPlace = "□place"

/** Stands for a quoted command that reads the change: `git diff`, `sed -n`, `cat`. */
export const quotedRead = "□read"

const spans = [
  /(`{1,3})[^`\n]{1,400}\1/g,
  /"[^"\n]{1,160}"/g,
  /\bhttps?:\/\/\S{1,2000}/g,
  /(?<![\w./\\-])(?:[A-Za-z]:)?[\w.@-]{0,100}[/\\][\w./\\@-]{0,300}\.\w{1,8}\b(?::\d{1,7}(?:-\d{1,7})?)?/g
]
const reading =
  /^[`"]{1,3}\s{0,4}(?:git (?:diff|show|log|status|rev-parse|merge-base|ls-files)|git`|sed|cat|nl|head|rg|ls)\b/
// A revision is named the same with and without marks.
const revision = /^[`"]{1,3}(?:HEAD|main|master|(?:origin|upstream)\/[\w./-]{1,100})[`"]{1,3}$/

const place = /\.\w{1,8}:\d{1,7}(?:-\d{1,7})?[`"]{0,3}$/

const standIn = (found: string): string => {
  if (reading.test(found)) return quotedRead
  if (revision.test(found)) return "head"
  return place.test(found) ? quotedPlace : quoted
}

// A quotation that is the whole text is the reviewer speaking.
const unwrap = (text: string): string => text.trim().replace(/^(["'`])((?:(?!\1)[^\n])+)\1$/, "$2")

/** The prose with everything quoted in it replaced by a placeholder. */
export const unquoted = (text: string): string =>
  spans.reduce((rest, span) => rest.replace(span, (found) => ` ${standIn(found)} `), unwrap(text))

// List items, headings, fences and blank lines end a paragraph; a line break inside one is a space.
const item = /^\s{0,40}(?:[-*+•|>]|\d{1,3}[.)]|#{1,6})\s/

/** The paragraphs of a text, each on one line, without the marks of lists and headings. */
const paragraphs = (text: string): ReadonlyArray<string> => {
  const found: Array<Array<string>> = [[]]
  for (const line of text.split("\n")) {
    const mark = item.exec(line)
    if (line.trim() === "" || /^\s{0,10}(?:```|~~~)/.test(line)) found.push([])
    else if (mark !== null) found.push([line.slice(mark[0].length)])
    else found.at(-1)?.push(line)
    if (/^\s{0,10}#{1,6}\s/.test(line)) found.push([])
  }
  return found.filter((lines) => lines.length > 0).map((lines) => lines.join(" "))
}

const abbreviation = /\b(?:e\.g|i\.e|vs|etc|cf|approx|resp)\.$/i

const split = (paragraph: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let start = 0
  for (const stop of paragraph.matchAll(/[.!?]{1,3}["')*_]{0,3}(?=\s|$)|[。!?]/g)) {
    const end = stop.index + stop[0].length
    if (stop[0] === "." && abbreviation.test(paragraph.slice(Math.max(start, end - 12), end))) continue
    parts.push(paragraph.slice(start, end))
    start = end
  }
  return [...parts, paragraph.slice(start)]
}

/** The sentences of a plain text: lower case, single spaces, no marks, quotations replaced. */
export const sentences = (text: string): ReadonlyArray<string> =>
  paragraphs(unquoted(text)).flatMap(split)
    .map((part) => part.toLowerCase().replace(/[*_~#`>|]+/g, " ").replace(/\s+/g, " ").replace(/[.!\s]+$/, "").trim())
    .filter((part) => /[\p{L}\p{N}]/u.test(part))
