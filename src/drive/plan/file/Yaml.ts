// Yaml: a YAML text as the nodes of its library, each of which knows its place, and what is wrong with the text.
// Nothing in a text can make the tree larger than the text: aliases are refused, and so is what nests too deeply.
import { Composer, type ErrorCode, isMap, isScalar, isSeq, type ParsedNode, Parser, type Range, Scalar } from "yaml"
import type { YAMLMap } from "yaml"
import { jsonText } from "../../../text/Json.ts"
import { brief } from "../../../text/Untrusted.ts"

/** A value with its place. The text of a scalar is from `range[0]` to `range[1]`, without anchor, tag and comments. */
export type Node = ParsedNode | Value
export type Value = Scalar & { range: Range }
export type Mapping = YAMLMap.Parsed

/** The value of a key that has none. */
export const emptyAt = ({ range: [at] }: Node): Value => {
  const range: Range = [at, at, at]
  return Object.assign(new Scalar<unknown>(null), { range })
}

/** What is wrong at one place of a plan file: `at` counts code units from the start of the text. */
export interface Fault {
  readonly at: number
  readonly says: string
  /** What to do about it. */
  readonly remedy: string
}

const longest = 300

/** The first fault in a text with `\n` at the ends of its lines, on one line with its place, as people count. */
export const problemOf = (text: string, faults: ReadonlyArray<Fault>): string | null => {
  const [first] = faults.toSorted((a, b) => a.at - b.at)
  if (first === undefined) return null
  const lines = text.slice(0, first.at).split("\n")
  const place = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
  // Whatever it quotes, the remedy stays.
  return `${place}: ${brief(first.says, longest)} [${brief(first.remedy, longest)}]`
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

/** The key of a field as a text. */
export const keyOf = (key: Node): string => isScalar(key) && typeof key.value === "string" ? key.value : ""

/** What no plan may hold, wherever it is: aliases, a key that is there twice, and what nests too deeply. */
const refused = (node: Node | null, depth: number, faults: Array<Fault>): void => {
  if (node === null || isScalar(node)) return
  const [at] = node.range
  if (depth > deepest) {
    faults.push({ at, says: `the plan nests more than ${deepest} levels deep`, remedy: "write it with fewer" })
  } else if (isMap(node)) {
    const keys = new Set<string>()
    for (const { key: name, value } of node.items) {
      const key = keyOf(name)
      if (keys.has(key)) {
        const says = `the key ${brief(jsonText(key), 60)} is there twice`
        faults.push({ at: name.range[0], says, remedy: "keep one" })
      }
      keys.add(key)
      refused(value, depth + 1, faults)
    }
  } else if (isSeq(node)) {
    for (const item of node.items) refused(item, depth + 1, faults)
  } else faults.push({ at, says: "an alias is not allowed", remedy: "write out its value" })
}

/** Reads a YAML text of one document: its value, which is null where it holds none, and what is wrong with it. */
export const readYaml = (text: string): { readonly root: Node | null; readonly faults: ReadonlyArray<Fault> } => {
  const composer = new Composer(options)
  const [document, second] = composer.compose(new Parser().parse(text))
  const faults: Array<Fault> = []
  for (const { code, message, pos: [at] } of [...composer.streamInfo().errors, ...(document?.errors ?? [])]) {
    const says = `this is not YAML: ${brief(message, 120)}`
    faults.push({ at, says, remedy: remedies[code] ?? "fix it here" })
  }
  if (second !== undefined) {
    faults.push({ at: second.range[0], says: "a second document begins here", remedy: "keep one in a plan file" })
  }
  const root = document?.contents ?? null
  refused(root, 1, faults)
  return { root, faults }
}

/** The value of a field of a mapping; null where the field or its value is not there. */
export const fieldOf = ({ items }: Mapping, name: string): Node | null =>
  items.find(({ key }) => keyOf(key) === name)?.value ?? null

/** A value as an error names it. */
export const shown = (node: Node): string => {
  if (isMap(node)) return "a mapping"
  if (!isScalar(node)) return "a list"
  const { value } = node
  if (value === null) return "empty"
  return brief(typeof value === "number" ? `${value}` : jsonText(value), 60)
}
