// Yaml: a YAML text as a tree in which every value knows its place, and what is wrong with the text.
// Nothing in a text can make the tree larger than the text: aliases are refused, and so is what nests too deeply.
import { Composer, type ErrorCode, isMap, isPair, isScalar, isSeq, Parser } from "yaml"
import { jsonText } from "../../../text/Json.ts"
import { brief } from "../../../text/Untrusted.ts"

/** A value that is no collection. The text from `at` to `end` is all of it, without its anchor, tag and comments. */
export interface Scalar {
  readonly _tag: "Scalar"
  readonly at: number
  readonly end: number
  readonly value: string | number | boolean | null
}

/** A mapping from keys to values, in the order of the text. */
export interface Mapping {
  readonly _tag: "Mapping"
  readonly at: number
  readonly fields: ReadonlyMap<string, Node>
}

export type Node = Scalar | Mapping | {
  readonly _tag: "List"
  readonly at: number
  readonly items: ReadonlyArray<Node>
}

/** The value of a whole text: null where it holds none. */
interface Tree {
  readonly root: Node | null
  readonly faults: ReadonlyArray<Fault>
}

const deepest = 64

// The schema is named, so that a directive in the text cannot choose one in which `yes` is true.
const options = {
  schema: "core",
  resolveKnownTags: false,
  stringKeys: true,
  // Checked below: the library compares each key with every other.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: "silent"
} as const

const remedies: Partial<Record<ErrorCode, string>> = {
  BAD_INDENT: "indent this line as its neighbours, and close every bracket before it",
  BAD_DQ_ESCAPE: "write \\\\ for a backslash between double quotes",
  BAD_SCALAR_START: "put the value in quotes",
  BLOCK_AS_IMPLICIT_KEY: "put the value in quotes, or on lines of its own",
  MISSING_CHAR: "write what is missing, here or before",
  MULTILINE_IMPLICIT_KEY: "write the key and its colon on one line",
  NON_STRING_KEY: "write a text as key",
  TAB_AS_INDENT: "indent with spaces"
}

const shownKey = (key: string): string => brief(jsonText(key), 60)

const scalar = (value: unknown, at: number, end: number): Scalar => {
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
      return { _tag: "Scalar", at, end, value }
    default:
      return { _tag: "Scalar", at, end, value: null }
  }
}

/** Where a node begins (0) or its value ends (1). */
const placeOf = (node: unknown, edge: 0 | 1, otherwise: number): number => {
  const range = typeof node === "object" && node !== null && "range" in node ? node.range : null
  const place: unknown = Array.isArray(range) ? range[edge] : null
  return typeof place === "number" ? place : otherwise
}

/** Reads a YAML text of one document. */
export const readYaml = (text: string): Tree => {
  const faults: Array<Fault> = []

  const mapping = (items: ReadonlyArray<unknown>, at: number, depth: number): Mapping => {
    const fields = new Map<string, Node>()
    for (const item of items) {
      if (!isPair(item)) continue
      const place = placeOf(item.key, 0, at)
      const key = isScalar(item.key) && typeof item.key.value === "string" ? item.key.value : ""
      if (fields.has(key)) {
        faults.push({ at: place, says: `the key ${shownKey(key)} is there twice`, remedy: "keep one" })
      }
      fields.set(key, tree(item.value, place, depth + 1))
    }
    return { _tag: "Mapping", at, fields }
  }

  const tree = (node: unknown, before: number, depth: number): Node => {
    const at = placeOf(node, 0, before)
    if (node === null || isScalar(node)) return scalar(node?.value, at, placeOf(node, 1, at))
    if (depth > deepest) {
      faults.push({ at, says: `the plan nests more than ${deepest} levels deep`, remedy: "write it with fewer" })
      return scalar(null, at, at)
    }
    if (isMap(node)) return mapping(node.items, at, depth)
    if (isSeq(node)) return { _tag: "List", at, items: node.items.map((item) => tree(item, at, depth + 1)) }
    faults.push({ at, says: "an alias is not allowed", remedy: "write out its value" })
    return scalar(null, at, at)
  }

  const composer = new Composer(options)
  const [document, second] = composer.compose(new Parser().parse(text))
  for (const { code, message, pos: [at] } of [...composer.streamInfo().errors, ...(document?.errors ?? [])]) {
    const says = `this is not YAML: ${brief(message, 120)}`
    faults.push({ at, says, remedy: remedies[code] ?? "fix it here" })
  }
  if (second !== undefined) {
    const remedy = "keep one in a plan file"
    faults.push({ at: second.range[0], says: "a second document begins here", remedy })
  }
  return { root: document === undefined || document.contents === null ? null : tree(document.contents, 0, 1), faults }
}

/** A value as plain data. Each key is a field of its own, also `__proto__`. */
export const plainValue = (node: Node): unknown => {
  switch (node._tag) {
    case "Scalar":
      return node.value
    case "List":
      return node.items.map(plainValue)
    case "Mapping":
      return Object.fromEntries(Array.from(node.fields, ([key, inner]) => [key, plainValue(inner)]))
  }
}

/** A value as an error names it. */
export const shown = (node: Node): string => {
  switch (node._tag) {
    case "Scalar":
      return node.value === null
        ? "empty"
        : brief(typeof node.value === "number" ? `${node.value}` : jsonText(node.value), 60)
    case "List":
      return "a list"
    case "Mapping":
      return "a mapping"
  }
}

// What is wrong at one place of a plan file, and what to do about it.

export interface Fault {
  /** Where it is, in code units from the start of the text. */
  readonly at: number
  readonly says: string
  /** What to do about it. */
  readonly remedy: string
}

/** A place in a text, as people count: both numbers from 1. */
interface Place {
  readonly line: number
  readonly column: number
}

/** The fault that comes first in the file; of those at one place the one that was found first. */
export const firstOf = (faults: ReadonlyArray<Fault>): Fault | undefined =>
  faults.reduce<Fault | undefined>(
    (first, fault) => first === undefined || fault.at < first.at ? fault : first,
    undefined
  )

/** The place of an offset in a text with `\n` at the ends of its lines. */
export const placeIn = (text: string, at: number): Place => {
  const lines = text.slice(0, at).split("\n")
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

const longest = 300

/** What is wrong at a place, on one line. Whatever it quotes, the remedy stays. */
export const problemAt = ({ column, line }: Place, says: string, remedy: string): string =>
  `line ${line}, column ${column}: ${brief(says, longest)} [${brief(remedy, longest)}]`

/** The fault on one line, with its place in the text. */
export const problemOf = (text: string, { at, remedy, says }: Fault): string =>
  problemAt(placeIn(text, at), says, remedy)
