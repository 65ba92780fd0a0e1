// Field: the smallest edits that give a key of a YAML mapping a value, in the style of the text around it.
import type { Mapping, Node, Scalar } from "../plan/Yaml.ts"
import type { TextEdit } from "./TextEdit.ts"

const isFlow = (yaml: string, { at }: Mapping): boolean => yaml[at] === "{"

/** A value as it is written after its key: bare in a block, or in quotes of either kind. */
export interface Written {
  readonly bare: string
  readonly single: string
  readonly double: string
}

/** A word that needs no quotes, and takes those of the value that stood there. */
export const wordOf = (word: string): Written => ({ bare: word, single: `'${word}'`, double: `"${word}"` })

/** A value that is written in one way wherever it stands. */
export const alwaysAs = (written: string): Written => ({ bare: written, single: written, double: written })

const styled = (old: string, empty: boolean, { bare, double, single }: Written, flow: boolean): string => {
  if (old.startsWith("'")) return single
  // Inside brackets the text may be JSON, which knows only double quotes.
  return old.startsWith('"') || (empty && flow) ? double : bare
}

/** Writes another value where one stands. What follows it stays apart, whether it was empty or had many lines. */
const replaceValue = (yaml: string, mapping: Mapping, old: Scalar, value: Written): TextEdit => {
  const source = yaml.slice(old.at, old.end)
  const text = styled(source, old.value === null, value, isFlow(yaml, mapping))
  const before = source === "" && /\S/.test(yaml[old.at - 1] ?? " ") ? " " : ""
  const after = source.endsWith("\n") ? "\n" : yaml[old.end] === "#" ? " " : ""
  return { from: old.at, to: old.end, text: `${before}${text}${after}` }
}

/** Where the line of a mapping's first key begins, and how many characters its keys are indented. */
const lineOf = (yaml: string, { at }: Mapping): { readonly start: number; readonly column: number } => {
  const start = yaml.lastIndexOf("\n", at - 1) + 1
  // The key itself may have an anchor or a tag before it.
  return { start, column: /^(?: |[-?:](?=\s))*/.exec(yaml.slice(start, at))?.[0].length ?? 0 }
}

/** How many characters the keys of a mapping are indented. */
export const columnOf = (yaml: string, mapping: Mapping): number => lineOf(yaml, mapping).column

// The new key stands below the line of a key with one value, or else first. Within braces it always stands first.
const addField = (yaml: string, mapping: Mapping, key: string, value: Written, below: string | null): TextEdit => {
  const { at } = mapping
  if (isFlow(yaml, mapping)) {
    const space = /^[ \t\n]*/.exec(yaml.slice(at + 1))?.[0] ?? ""
    const like = yaml[at + 1 + space.length] === '"' ? `"${key}"` : key
    const text = `${like}: ${value.double},`
    return { from: at + 1, to: at + 1, text: space === "" ? `${text} ` : `${space}${text}` }
  }
  const { column, start } = lineOf(yaml, mapping)
  const indent = " ".repeat(column)
  const entry = `${key}: ${value.bare}`
  const above = below === null ? undefined : mapping.fields.get(below)
  if (above?._tag !== "Scalar") {
    return { from: start + column, to: start + column, text: `${entry}\n${indent}` }
  }
  if (above.end > 0 && yaml[above.end - 1] === "\n") {
    return { from: above.end, to: above.end, text: `${indent}${entry}\n` }
  }
  const end = yaml.indexOf("\n", above.end)
  const place = end < 0 ? yaml.length : end
  return { from: place, to: place, text: `\n${indent}${entry}` }
}

/**
 * Gives a key of a mapping a value: where it stands or, if it does not, below the key `below`, or before all others
 * where that has no value but a collection. No edits where the key itself has a collection.
 */
export const setField = (
  yaml: string,
  node: Node | undefined,
  key: string,
  value: Written,
  below: string | null
): ReadonlyArray<TextEdit> => {
  if (node?._tag !== "Mapping") return []
  const old = node.fields.get(key)
  if (old === undefined) return [addField(yaml, node, key, value, below)]
  return old._tag === "Scalar" ? [replaceValue(yaml, node, old, value)] : []
}
