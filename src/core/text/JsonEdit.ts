// JsonEdit: parts put into a JSON text and taken out of it; what else stands there keeps every character and its place.
import { jsonText } from "./JsonText.ts"
import type { JsonNode } from "./JsonTree.ts"

/** A stretch of a text and what takes its place. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Carries out changes of places that do not overlap. */
export const spliced = (text: string, splices: ReadonlyArray<Splice>): string =>
  splices.toSorted((a, b) => b.start - a.start)
    .reduce((rest, { end, start, text }) => rest.slice(0, start) + text + rest.slice(end), text)

interface Part {
  readonly start: number
  readonly end: number
}

const partsOf = (node: JsonNode): ReadonlyArray<Part> => {
  switch (node._tag) {
    case "Array":
      return node.items
    case "Object":
      return node.members
    case "Scalar":
      return []
  }
}

/** Takes those parts of a value out, by their numbers, each with one comma. */
export const without = (node: JsonNode, gone: ReadonlySet<number>): ReadonlyArray<Splice> => {
  const parts = partsOf(node)
  const kept = parts.findIndex((_, i) => !gone.has(i))
  const [first] = parts
  if (first === undefined || gone.size === 0) return []
  if (kept < 0) return [{ start: node.start + 1, end: node.end - 1, text: "" }]
  const leading = { start: first.start, end: parts[kept]?.start ?? first.start, text: "" }
  return [
    ...(kept > 0 ? [leading] : []),
    ...parts.flatMap(({ end }, i) =>
      i > kept && gone.has(i) ? [{ start: parts[i - 1]?.end ?? end, end, text: "" }] : []
    )
  ]
}

/** How deep a text indents each level of its values. */
const unitOf = (text: string): string => /^\uFEFF?\s*[{[]\s*?\n([ \t]+)[^\s}\]]/.exec(text)?.[1] ?? "  "

/** A value, its lines after the first one as far in as `indent` says. */
const laidOut = (value: unknown, indent: string, unit: string, end: string): string =>
  jsonText(value, 1).split("\n")
    .map((line, i) => i === 0 ? line : indent + line.replace(/^ +/, (blanks) => unit.repeat(blanks.length)))
    .join(end)

/** What is put into a value: with keys into an object, without into an array. */
export interface Added {
  readonly key?: string
  readonly value: unknown
}

/**
 * Puts parts behind the last of an array or an object, laid out as their neighbours are: on lines of their own where
 * those are, or where the value is empty and the text has lines at all.
 */
export const added = (text: string, node: JsonNode, parts: ReadonlyArray<Added>): Splice => {
  const last = partsOf(node).at(-1)
  const end = text.includes("\r\n") ? "\r\n" : "\n"
  const unit = unitOf(text)
  const before = /\s*$/.exec(text.slice(0, last?.start ?? node.start))?.[0] ?? ""
  const line = /[^\n]*$/.exec(text.slice(0, node.start))?.[0] ?? ""
  const outer = /^\uFEFF?([ \t]*)/.exec(line)?.[1] ?? ""
  const inLines = last === undefined
    ? text.trim().includes("\n") || node.start === text.indexOf("{")
    : before.includes("\n")
  const indent = last === undefined ? outer + unit : before.slice(before.lastIndexOf("\n") + 1)
  const lead = inLines ? end + indent : last === undefined ? "" : before
  const texts = parts.map(({ key, value }) =>
    (key === undefined ? "" : `${jsonText(key)}: `) + (inLines ? laidOut(value, indent, unit, end) : jsonText(value))
  )
  const joined = texts.join(`,${lead}`)
  if (last !== undefined) return { start: last.end, end: last.end, text: `,${lead}${joined}` }
  return { start: node.start + 1, end: node.end - 1, text: lead + joined + (inLines ? end + outer : "") }
}
