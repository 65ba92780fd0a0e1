// Sentences: a review's prose as sentences and clauses of plain lower-case words.
// The one rule: every step is one pass; nothing a reviewer wrote can make it throw or slow it down.
import { withoutHidden } from "../../text/Hidden.ts"
import { lines } from "../../text/Text.ts"
import { defects } from "./Lexicon.ts"
import { has, words as set } from "./Words.ts"

/** A stretch of a sentence in which a negation holds. */
export interface Clause {
  readonly words: ReadonlyArray<string>
  /** The word or mark that opened it (`but`, `when`, `;`); empty at the start of a sentence. */
  readonly lead: string
}

export interface Sentence {
  readonly clauses: ReadonlyArray<Clause>
  readonly words: ReadonlyArray<string>
}

/** The word that stands for a code span, a quotation, a link or a path: said about, not said. */
export const quoted = "□"

/** The same for a quoted command that reads the change: `git diff`, `sed -n`, `cat`. */
export const quotedRead = "□read"

/** The text without terminal sequences and hidden characters, with plain quotes and line ends. */
export const plain = (text: string): string =>
  withoutHidden(lines(text).join("\n"), "\n\t")
    .replace(/[\u2018\u2019\u02bc\uff07]/g, "'")
    .replace(/[\u201c\u201d\u201e]/g, '"')

const spans = [
  /(`{1,3})[^`\n]{1,400}\1/g,
  /"[^"\n]{1,160}"/g,
  /\bhttps?:\/\/\S{1,2000}/g,
  /(?<![\w./\\-])(?:[A-Za-z]:)?[\w.@-]{0,100}[/\\][\w./\\@-]{0,300}/g
]
const reading =
  /^[`"]{1,3}\s{0,4}(?:git (?:diff|show|log|status|rev-parse|merge-base|ls-files)|git`|sed|cat|nl|head|rg|ls)\b/

// A quotation that is the whole text is the reviewer speaking.
const unwrap = (text: string): string => text.trim().replace(/^(["'])((?:(?!\1)[^\n])+)\1$/, "$2")

// A revision is named the same with and without marks.
const revision = /^[`"]{1,3}(?:HEAD|(?:origin|upstream)\/[\w./-]{1,100})[`"]{1,3}$/

const standIn = (found: string): string =>
  reading.test(found) ? quotedRead : revision.test(found) ? "HEAD" : quoted

/** Prose with everything quoted in it replaced by a placeholder. */
export const unquoted = (text: string): string =>
  spans.reduce((rest, span) => rest.replace(span, (found) => ` ${standIn(found)} `), unwrap(text))

// List items, headings, fences and blank lines end a paragraph; a line break inside one is a space.
const item = /^\s{0,40}(?:[-*+•|>]|\d{1,3}[.)]|#{1,6})\s?/

/** The paragraphs of a text, each on one line, without the marks of lists and headings. */
export const paragraphs = (text: string): ReadonlyArray<string> => {
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

const abbreviation = /\b(?:e\.g|i\.e|vs|etc|cf|approx|resp|no)\.$/i

const splitSentences = (paragraph: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let start = 0
  for (const stop of paragraph.matchAll(/[.!?]{1,3}["')*_]{0,3}(?=\s|$)|[。!?]/g)) {
    const end = stop.index + stop[0].length
    if (stop[0] === "." && abbreviation.test(paragraph.slice(Math.max(start, end - 12), end))) continue
    parts.push(paragraph.slice(start, end))
    start = end
  }
  parts.push(paragraph.slice(start))
  return parts.filter((part) => /[\p{L}\p{N}]/u.test(part))
}

const token = /[\p{L}\p{N}_#□][\p{L}\p{N}_#'□+-]*(?:\.[\p{L}\p{N}]+)*|[,:;()—–]| - /gu
const joins = set(`
  but however although though except yet whereas while because since so which unless if when whenever where until once
  nevertheless nonetheless therefore thus hence despite meaning
`)
const marks = new Set([":", ";", "—", "–", " - "])
const subjects = set(`
  the this that it its there a an i we they one all both these those existing new no neither none nothing ${quoted}
`)
const prepositions = set("in by under for through on from with")
const deepest = 8

interface Open {
  readonly words: Array<string>
  readonly lead: string
}

// What stands in parentheses is a clause of its own; the clause around it goes on behind them.
const splitClauses = (words: ReadonlyArray<string>): ReadonlyArray<Clause> => {
  const clauses: Array<Clause> = []
  const outer: Array<Open> = []
  let open: Open = { words: [], lead: "" }
  const keep = () => {
    if (open.words.some((word) => word !== ",")) clauses.push(open)
  }
  const close = (next: string) => {
    const bare = open.words.every((word) => word === ",")
    keep()
    open = { words: [], lead: bare && marks.has(next) ? open.lead : next }
  }
  words.forEach((word, i) => {
    // "a scenario in which", "no path by which", "takes a while": the clause goes on.
    const relative = (word === "which" && has(prepositions, words[i - 1])) || (word === "while" && words[i - 1] === "a")
    if (word === "(") {
      if (outer.length < deepest) outer.push(open)
      else keep()
      open = { words: [], lead: "(" }
    } else if (word === ")") {
      keep()
      open = outer.pop() ?? { words: [], lead: "" }
    } else if (word === "since" && /^(?:has|have)$/.test(words[i - 1] ?? "")) open.words.push(word)
    else if (!relative && (marks.has(word) || joins.has(word))) close(word)
    else if (word === "and" && has(subjects, words[i + 1])) close(word)
    else open.words.push(word)
  })
  keep()
  for (const left of outer.reverse()) {
    open = left
    keep()
  }
  return clauses
}

// "the Problem Service": a defect's name as part of a proper one.
const properName = new RegExp(
  "(?<=(?:^|[ (])(?:The|An?|This|[\\p{Ll}-]{1,40}) )(\\p{Lu}\\p{Ll}{1,30})" +
    "(?= (?!(?:In|On|Of|For|To|With|The|An?|And|Is|Was|That|When)\\b)\\p{Lu}\\p{L})",
  "gu"
)

const toSentence = (text: string): Sentence => {
  const named = text.replace(properName, (name) => has(defects, name.toLowerCase()) ? quoted : name)
  const words = named.toLowerCase().match(token) ?? []
  return { words, clauses: splitClauses(words) }
}

/** The sentences of a paragraph or list item, quotations already replaced. */
export const sentences = (paragraph: string): ReadonlyArray<Sentence> =>
  splitSentences(paragraph.replace(/\*\*|__|~~/g, "")).map(toSentence)
