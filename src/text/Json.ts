// Json: prints values as JSON without hidden characters, and reads fields of JSON that another program wrote.
import { replaceHidden } from "./Untrusted.ts"

const units = (character: string): string =>
  Array.from({ length: character.length }, (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`)
    .join("")

/**
 * A value as JSON with every hidden character (see `Hidden`) escaped: on one line without a newline or, with an
 * `indent`, on several. Hidden characters occur only inside strings, where an escape means the same.
 */
export const jsonText = (value: unknown, indent = 0): string =>
  replaceHidden(JSON.stringify(value, null, indent), (c) => c === "\n" ? c : units(c))

const leaf = (value: unknown): string => typeof value === "bigint" ? String(value) : JSON.stringify(value) ?? "null"

/** One JSON text for equal values: the keys of every object sorted, and no space. Values of any depth. */
export const canonicalJson = (value: unknown): string => {
  const written: Array<string> = []
  const left: Array<{ readonly text: string } | { readonly value: unknown }> = [{ value }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if ("text" in next) written.push(next.text)
    else if (typeof next.value !== "object" || next.value === null) written.push(leaf(next.value))
    else {
      const list = Array.isArray(next.value)
      const rows = Object.entries(next.value).sort(([a], [b]) => list ? 0 : a < b ? -1 : 1)
      written.push(list ? "[" : "{")
      left.push({ text: list ? "]" : "}" })
      for (const [i, [key, inner]] of [...rows.entries()].reverse()) {
        left.push({ value: inner }, { text: `${i === 0 ? "" : ","}${list ? "" : `${leaf(key)}:`}` })
      }
    }
  }
  return written.join("")
}

// A field of another type counts as missing

/** The value of a JSON text; undefined if it is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export type Fields = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object, not a list. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A text; null for any other value. */
export const textOrNull = (value: unknown): string | null => typeof value === "string" ? value : null

/** A text; empty for any other value. */
export const textOf = (value: unknown): string => typeof value === "string" ? value : ""

/** A safe integer; null for any other value. */
export const wholeOrNull = (value: unknown): number | null =>
  typeof value === "number" && Number.isSafeInteger(value) ? value : null

/** A finite number; null for any other value. */
export const numberOrNull = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null

/** A list; empty for any other value. */
export const listOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

/** The objects of a list. */
export const objectsOf = (value: unknown): ReadonlyArray<Fields> => listOf(value).filter(isFields)
