// Paint: lines for a person at a terminal: broken between words, with the word that matters in colour.
import { width } from "./Width.ts"

/** How something turned out, for its mark and its colour. */
export type Tone = "good" | "bad" | "open" | "neutral"

/** Where lines are printed: how wide it is, null where nobody knows, and whether it has colours. */
export interface Page {
  readonly columns: number | null
  readonly colour: boolean
}

// A command is one line, so that it can be copied.
const command = /\booda-codex-review \S/

/** A line broken between words where it is wider than the page. No word is broken; what goes on is indented. */
export const broken = (line: string, columns: number | null): ReadonlyArray<string> => {
  if (columns === null || width(line) < columns || command.test(line)) return [line]
  const hang = " ".repeat(Math.min(/^\s*(?:\S+\s{2,})?/.exec(line)?.[0].length ?? 0, Math.floor(columns / 3)))
  const rows: Array<string> = []
  let row = ""
  for (const part of line.split(/(?<=\S)(?=\s)/)) {
    if (row.trim() !== "" && width(row + part) >= columns) {
      rows.push(row)
      row = hang + part.trimStart()
    } else row += part
  }
  return [...rows, row]
}

const good = /\b(?:clean|passed|acceptable|no recurring cause|done)\b/
const bad = /\b(?:failed.*|ran out of time|stopped|needs fixes.*|needs you|\d+ findings?|issues in \d+)/
const priority = /^( *)(P[0-3])(?= )/
const priorities = { P0: "1;31", P1: "31", P2: "33", P3: "2" } as const

const isPriority = (word: string): word is keyof typeof priorities => Object.hasOwn(priorities, word)

const sgr = (code: string, text: string): string => `\u001b[${code}m${text}\u001b[0m`

const painted = (line: string, tone: Tone, isFirst: boolean): string => {
  const [, lead = "", name = ""] = priority.exec(line) ?? []
  if (isPriority(name)) return `${lead}${sgr(priorities[name], name)}${line.slice(lead.length + name.length)}`
  if (!isFirst || tone === "neutral") return line
  return line.replace(tone === "good" ? good : bad, (word) => sgr(tone === "good" ? "32" : "33", word))
}

/** A text as it is printed on a page. Each of its lines ends in a newline. */
export const laidOut = (text: string, tone: Tone, { colour, columns }: Page): string =>
  text.replace(/\n$/, "").split("\n").flatMap((line, i) =>
    broken(line, columns).map((row, j) => colour ? painted(row, tone, i + j === 0) : row)
  ).map((row) => `${row}\n`).join("")
