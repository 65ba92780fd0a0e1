// JsonTree: a JSON text with the places of its values, so that one of them can be changed and the rest stays.
// It accepts what `JSON.parse` accepts, and a byte order mark before it, unless values nest deeper than people write.
// Rejected: `jsonc-parser`. Its edits lay out their neighbours anew or are not laid out at all, it refuses a byte order
// mark, and a text that nests deeply overflows its stack.
import { Result } from "effect"
import { jsonText } from "./Json.ts"

interface Place {
  readonly start: number
  /** The index after its last character. */
  readonly end: number
}

export type JsonNode =
  | (Place & { readonly _tag: "Object"; readonly members: ReadonlyArray<JsonMember> })
  | (Place & { readonly _tag: "Array"; readonly items: ReadonlyArray<JsonNode> })
  | (Place & { readonly _tag: "Scalar"; readonly value: string | number | boolean | null })

/** A member of an object, from its key to the end of its value. */
interface JsonMember extends Place {
  readonly key: string
  readonly value: JsonNode
}

/** A parsed value, or where the text stops being JSON. */
type Read = JsonNode | { readonly _tag: "Wrong"; readonly at: number }

const deepest = 100

const blank = /[ \t\n\r]*/y
const plain = '[^"\\\\\\u0000-\\u001f]*'
const escape = '\\\\(?:["\\\\/bfnrt]|u[0-9a-fA-F]{4})'
const number = "-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?"
const word = new RegExp(`"${plain}(?:${escape}${plain})*"|${number}|true|false|null`, "y")

const matchAt = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ""
}

const skip = (text: string, at: number): number => at + matchAt(blank, text, at).length

const wrong = (at: number): Read => ({ _tag: "Wrong", at })

const scalar = (text: string, start: number): Read => {
  const found = matchAt(word, text, start)
  return found === ""
    ? wrong(start)
    : { _tag: "Scalar", start, end: start + found.length, value: JSON.parse(found) }
}

/** Reads the parts between two brackets. `child` reads one part and returns its end, or an error. */
const between = (text: string, start: number, close: string, child: (at: number) => Place | Read): Read | number => {
  let at = skip(text, start + 1)
  if (text[at] === close) return at + 1
  for (;;) {
    const part = child(at)
    if ("at" in part) return part
    at = skip(text, part.end)
    if (text[at] === close) return at + 1
    if (text[at] !== ",") return wrong(at)
    at = skip(text, at + 1)
  }
}

const value = (text: string, start: number, depth: number): Read => {
  if (depth > deepest) return wrong(start)
  if (text[start] === "[") {
    const items: Array<JsonNode> = []
    const end = between(text, start, "]", (at) => {
      const item = value(text, at, depth + 1)
      if (item._tag !== "Wrong") items.push(item)
      return item
    })
    return typeof end === "number" ? { _tag: "Array", start, end, items } : end
  }
  if (text[start] !== "{") return scalar(text, start)
  const members: Array<JsonMember> = []
  const end = between(text, start, "}", (at) => {
    const key = scalar(text, at)
    if (key._tag !== "Scalar" || typeof key.value !== "string") return wrong(at)
    const colon = skip(text, key.end)
    if (text[colon] !== ":") return wrong(colon)
    const held = value(text, skip(text, colon + 1), depth + 1)
    if (held._tag !== "Wrong") members.push({ key: key.value, start: at, end: held.end, value: held })
    return held
  })
  return typeof end === "number" ? { _tag: "Object", start, end, members } : end
}

/** Reads a JSON text, or names the line where it is invalid. */
export const readJsonTree = (text: string): Result.Result<JsonNode, string> => {
  const found = value(text, skip(text, text.startsWith("\uFEFF") ? 1 : 0), 0)
  const at = found._tag === "Wrong" ? found.at : skip(text, found.end)
  return found._tag !== "Wrong" && at === text.length
    ? Result.succeed(found)
    : Result.fail(`malformed JSON on line ${text.slice(0, at).split("\n").length}`)
}

/** The plain value of a node. */
export const plainValue = (node: JsonNode): unknown => {
  switch (node._tag) {
    case "Scalar":
      return node.value
    case "Array":
      return node.items.map(plainValue)
    case "Object":
      return Object.fromEntries(node.members.map(({ key, value }) => [key, plainValue(value)]))
  }
}

/** The value of a member; if several have its key, the last one's, as in `JSON.parse`. Undefined if missing. */
export const memberOf = (node: JsonNode | undefined, key: string): JsonMember | undefined =>
  node?._tag === "Object" ? node.members.findLast((member) => member.key === key) : undefined

/** A key that one object has more than once, or null: two readers could take two values from it. */
export const repeatedKey = (node: JsonNode): string | null => {
  if (node._tag === "Scalar") return null
  if (node._tag === "Array") return node.items.map(repeatedKey).find((key) => key !== null) ?? null
  const keys = new Set<string>()
  for (const { key, value } of node.members) {
    const inner = keys.has(key) ? key : repeatedKey(value)
    if (inner !== null) return inner
    keys.add(key)
  }
  return null
}

// Editing: everything else keeps every character and its place

/** A span of a text and its replacement. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Applies changes of places that do not overlap. */
export const splice = (text: string, splices: ReadonlyArray<Splice>): string =>
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

/** Removes parts of a value, by their numbers, each with one comma. */
export const removeParts = (node: JsonNode, gone: ReadonlySet<number>): ReadonlyArray<Splice> => {
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

/** A value whose lines after the first are indented like `indent`. */
const laidOut = (value: unknown, indent: string, unit: string, end: string): string =>
  jsonText(value, 1).split("\n")
    .map((line, i) => i === 0 ? line : indent + line.replace(/^ +/, (blanks) => unit.repeat(blanks.length)))
    .join(end)

/** Parts for a value: with keys for an object, without for an array. */
export interface NewPart {
  readonly key?: string
  readonly value: unknown
}

/**
 * Adds parts at the end of an array or an object, laid out like their neighbours: on lines of their own if those are,
 * or if the value is empty and the text has several lines.
 */
export const addParts = (text: string, node: JsonNode, parts: ReadonlyArray<NewPart>): Splice => {
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
