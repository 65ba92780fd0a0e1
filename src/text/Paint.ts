// Paint: lines for a person at a terminal: broken between words, with the word that matters in colour.
// Yellow is hard to read on a white page, so what needs a look is amber, which is dark enough there and light enough on
// black.
import { oneLine } from "./Untrusted.ts"
import { width } from "./Width.ts"

/** The result of something, for its mark and its colour. */
export type Tone = "good" | "bad" | "open" | "neutral"

/** The page for lines: its width, null if unknown, and whether it has colours. */
export interface Page {
  readonly columns: number | null
  readonly colour: boolean
}

/** The page of an output that is no terminal. */
export const plainPage: Page = { columns: null, colour: false }

/** The colours, as parameters of SGR. */
export const colours = { good: "32", bad: "31", open: "38;5;130", busy: "36", light: "2" } as const

/** Whether people want colours: `FORCE_COLOR` decides (0 or false: no), whatever `NO_COLOR` says; empty ones count not. */
export const isColourWanted = (env: Readonly<Record<string, string | undefined>>): boolean => {
  const { FORCE_COLOR = "", NO_COLOR = "" } = env
  return FORCE_COLOR === "" ? NO_COLOR === "" : !/^(?:0|false)$/.test(FORCE_COLOR)
}

// A command is one line, so that it can be copied.
const command = /\booda-codex-review \S/

/**
 * A line broken between words where it is wider than the page; what goes on is indented. No word is broken, and a word
 * that has no room on any row, such as a path, stays where it is: the terminal wraps it, and it is copied whole.
 */
export const broken = (line: string, columns: number | null, indent: number | null = null): ReadonlyArray<string> => {
  if (columns === null || width(line) < columns || command.test(line)) return [line]
  const under = indent ?? /^\s*(?:\S+\s{2,})?/.exec(line)?.[0].length ?? 0
  const hang = " ".repeat(Math.min(under, Math.floor(columns / 3)))
  const rows: Array<string> = []
  let row = ""
  for (const part of line.split(/(?<=\S)(?=\s)/)) {
    const next = hang + part.trimStart()
    if (row.trim() !== "" && width(row + part) >= columns && width(next) < columns) {
      rows.push(row)
      row = next
    } else row += part
  }
  return [...rows, row]
}

const tableIndent = 4

const good = /\b(?:clean|passed|acceptable|no recurring cause|done)\b/
const bad = /\b(?:failed|ran out of time|stopped|interrupted|needs fixes|needs you|\d+ findings?|issues in \d+)/
const priority = /^( *)(P[0-3])(?= )/
const priorities = { P0: `1;${colours.bad}`, P1: colours.bad, P2: colours.open, P3: colours.light } as const

const isPriority = (word: string): word is keyof typeof priorities => Object.hasOwn(priorities, word)

/** A text in a colour, which ends with it. */
export const inColour = (code: string, text: string): string => `\u001b[${code}m${text}\u001b[0m`

const painted = (line: string, tone: Tone, isFirst: boolean): string => {
  const [, lead = "", name = ""] = priority.exec(line) ?? []
  if (isPriority(name)) return `${lead}${inColour(priorities[name], name)}${line.slice(lead.length + name.length)}`
  if (!isFirst || tone === "neutral") return line
  return line.replace(
    tone === "good" ? good : bad,
    (word) => inColour(tone === "good" ? colours.good : colours.open, word)
  )
}

const paintedHelpLine = (line: string): string => {
  const [, lead = "", head = "", rest = ""] = /^( {2})([^\s#].*?)((?: {2,}.*)?)$/.exec(line) ?? []
  if (head !== "") return lead + inColour(colours.busy, head) + rest
  if (/^ {2}# /.test(line)) return inColour(colours.light, line)
  return line.replace(
    /^(?:[A-Z][A-Z ]+$|[A-Z][a-z]+(?= \()|Usage:|[A-Z][^.:`]*:$)/,
    (heading) => inColour("1", heading)
  )
}

/** A help in colours: its headings bold, its commands and flags in a colour of their own. */
export const paintedHelp = (text: string): string => text.split("\n").map(paintedHelpLine).join("\n")

const states = [
  [/^(?:done|clean|ok)\b/, colours.good],
  [/^(?:wrong|unreadable)\b/, colours.bad],
  [/^(?:needs you|interrupted|open|note)\b/, colours.open],
  [/^running\b/, colours.busy]
] as const

/** A state at the beginning of a text, or a priority that is all of it, in its colour. */
export const paintedState = (text: string): string => {
  if (isPriority(text)) return inColour(priorities[text], text)
  const found = states.find(([state]) => state.test(text))
  return found === undefined ? text : text.replace(found[0], (word) => inColour(found[1], word))
}

/**
 * One line a row, each column as wide as its widest cell, two spaces between columns, none at the end of a line.
 * Columns that a page has no room for go on below, indented; a long last column is broken between words.
 */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>, page: Page = plainPage): string => {
  const shown = rows.map((row) => row.map(oneLine))
  const widths: Array<number> = []
  for (const row of shown) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, width(cell))
  }
  const most = page.columns ?? Infinity
  const last = widths.length - 1
  // Where each column begins, or null for the beginning of a row below.
  const starts: Array<number | null> = []
  let at = 0
  for (const [i, wide] of widths.entries()) {
    const isBelow = i > 0 && at + wide >= most && !(i === last && at <= most / 2)
    starts.push(isBelow ? null : at)
    at = (isBelow ? tableIndent : at) + wide + 2
  }
  const rowText = (row: ReadonlyArray<string>, isHead: boolean): string => {
    let text = ""
    for (const [i, cell] of row.entries()) {
      const start = starts[i] ?? null
      const from = start ?? tableIndent
      const [first = "", ...more] = i === last ? broken(" ".repeat(from) + cell, page.columns, from) : [cell]
      const head = page.colour && !isHead ? paintedState(first.trimStart()) : first.trimStart()
      const pad = i === last ? "" : " ".repeat((widths[i] ?? 0) - width(cell) + 2)
      text = (start === null ? `${text.trimEnd()}\n${" ".repeat(tableIndent)}` : text) + head + pad +
        more.map((one) => `\n${one}`).join("")
    }
    return `${text.trimEnd()}\n`
  }
  return shown.map((row, i) => rowText(row, i === 0)).join("")
}

/** A text as printed on a page. Each of its lines ends in a newline. */
export const laidOut = (text: string, tone: Tone, { colour, columns }: Page): string => {
  const lines = text.replace(/\n$/, "").split("\n")
  const first = lines.findIndex((line) => line !== "")
  return lines.flatMap((line, i) =>
    broken(line, columns).map((row, j) => colour ? painted(row, tone, i === first && j === 0) : row)
  ).map((row) => `${row}\n`).join("")
}
