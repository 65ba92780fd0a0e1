// Sentences: a review's prose as lines, sentences and clauses of plain lower-case words.
// The one rule: every step is one pass; nothing a reviewer wrote can make it throw or slow it down.

/** A stretch of a sentence in which a negation holds: its words, what joined it to the one before, and its mood. */
export interface Clause {
  readonly words: ReadonlyArray<string>
  /** The word or mark that opened it (`but`, `when`, `;`); empty at the start of a sentence. */
  readonly lead: string
}

export interface Sentence {
  readonly clauses: ReadonlyArray<Clause>
  readonly words: ReadonlyArray<string>
  readonly question: boolean
}

/** The word that stands for a code span, a quotation, a link or a path: said about, not said. */
export const quoted = "□"

/** The same for a quoted command that reads the change: `git diff`, `sed -n`, `cat`. */
export const quotedRead = "□read"

const ansi = /\u001b(?:\[[0-9;?]{0,40}[ -/]?[@-~]|\][^\u0007\u001b\n]{0,200}(?:\u0007|\u001b\\)|[@-Z\\-_])/g
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

/** The text without terminal codes, control and direction characters, with plain quotes and line ends. */
export const plain = (text: string): string =>
  text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
    .replace(ansi, "")
    .replace(invisible, "")
    .replace(/[\u2018\u2019\u02bc\uff07]/g, "'")
    .replace(/[\u201c\u201d\u201e]/g, '"')

const spans = [
  /(`{1,3})[^`\n]{1,400}\1/g,
  /"[^"\n]{1,160}"/g,
  /\bhttps?:\/\/\S{1,2000}/g,
  /(?<![\w./\\-])(?:[A-Za-z]:)?[\w.@-]{0,100}[/\\][\w./\\@-]{0,300}/g
]

// A quotation that is the whole text is the reviewer speaking.
const unwrap = (text: string): string => text.trim().replace(/^(["'])((?:(?!\1)[^\n])+)\1$/, "$2")

/** Prose with everything quoted in it replaced by a placeholder. */
export const unquoted = (text: string): string =>
  spans.reduce((rest, span) => rest.replace(span, (found) => ` ${reads.test(found) ? quotedRead : quoted} `), unwrap(text))

const reads = /^[`"]{1,3}\s{0,4}(?:git (?:diff|show|log|status|rev-parse|merge-base|ls-files)|git`|sed|cat|nl|head|rg|ls)\b/

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
const joins = new Set(("but however although though except yet whereas while because since so which unless if when " +
  "whenever where until once nevertheless nonetheless therefore thus hence despite meaning").split(" "))
const marks = new Set([":", ";", "—", "–", " - "])
const subjects = new Set(("the this that it its there a an i we they one all both these those existing new no neither " +
  "none nothing " + quoted).split(" "))
const prepositions = new Set("in by under for through on from with".split(" "))
const deepest = 8

// What stands in parentheses is a clause of its own; the clause around it goes on behind them.
const splitClauses = (words: ReadonlyArray<string>): ReadonlyArray<Clause> => {
  const clauses: Array<Clause> = []
  const outer: Array<{ readonly words: Array<string>; readonly lead: string }> = []
  let open: { words: Array<string>; lead: string } = { words: [], lead: "" }
  const keep = () => {
    if (open.words.some((word) => word !== ",")) clauses.push(open)
  }
  const close = (next: string) => {
    const bare = open.words.every((word) => word === ",")
    keep()
    open = { words: [], lead: bare && marks.has(next) ? open.lead : next }
  }
  words.forEach((word, i) => {
    const next = words[i + 1] ?? ""
    if (word === "(") {
      if (outer.length < deepest) outer.push(open)
      open = { words: [], lead: "(" }
    } else if (word === ")") {
      keep()
      open = outer.pop() ?? { words: [], lead: "" }
    } else if (word === "which" && prepositions.has(words[i - 1] ?? "")) open.words.push(word)
    else if (marks.has(word) || joins.has(word)) close(word)
    else if (word === "and" && subjects.has(next)) close(word)
    else open.words.push(word)
  })
  keep()
  while (outer.length > 0) {
    open = outer.pop() ?? open
    keep()
  }
  return clauses
}

const toSentence = (text: string): Sentence => {
  const words = text.toLowerCase().match(token) ?? []
  return { words, clauses: splitClauses(words), question: /\?["')\s]*$/.test(text.slice(-8)) }
}

/** The sentences of a paragraph or list item, quotations already replaced. */
export const sentences = (paragraph: string): ReadonlyArray<Sentence> =>
  splitSentences(paragraph.replace(/\*\*|__|~~/g, "")).map(toSentence)
