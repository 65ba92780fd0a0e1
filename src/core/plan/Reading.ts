// Reading: reads the values of a plan's YAML by their types; what has another type is a fault and reads as nothing.
import type { Fault } from "./Fault.ts"
import { type Mapping, type Node, plainValue, shown } from "./Yaml.ts"

/** Reads a value; `path` is how an error calls it. */
export type Read<A> = (node: Node, path: string, faults: Array<Fault>) => A

/** A value that is no collection and is one of those that `is` admits. */
export const scalarOf =
  <A>(is: (value: string | number | boolean | null) => A | undefined, expected: string, nothing: A): Read<A> =>
  (node, path, faults) => {
    const value = node._tag === "Scalar" ? is(node.value) : undefined
    if (value !== undefined) return value
    faults.push({ at: node.at, says: `${path} is ${shown(node)}`, remedy: `write ${expected}` })
    return nothing
  }

export const text: Read<string> = scalarOf(
  (value) => typeof value === "string" ? value : undefined,
  "a text, in quotes where it looks like something else",
  ""
)

export const flag: Read<boolean> = scalarOf(
  (value) => typeof value === "boolean" ? value : undefined,
  "true or false",
  false
)

export const reference: Read<number | string> = scalarOf(
  (value) => typeof value === "string" || (typeof value === "number" && Number.isFinite(value)) ? value : undefined,
  "a number or a text",
  0
)

/** A value that may also be empty. */
export const orNull = <A>(read: Read<A>): Read<A | null> => (node, path, faults) =>
  node._tag === "Scalar" && node.value === null ? null : read(node, path, faults)

/** A list, which may also be empty. */
export const listOf = <A>(read: Read<A>, of: string): Read<ReadonlyArray<A>> => (node, path, faults) => {
  if (node._tag === "List") return node.items.map((item, i) => read(item, `${path}[${i}]`, faults))
  if (node._tag === "Mapping" || node.value !== null) {
    faults.push({ at: node.at, says: `${path} is ${shown(node)}`, remedy: `write a list of ${of}` })
  }
  return []
}

/** The fields of a mapping. */
export interface Fields {
  /** A field that may be left out. */
  readonly field: <A>(name: string, read: Read<A>, absent: A) => A
  /** A field that must be there. */
  readonly required: <A>(name: string, read: Read<A>, nothing: A) => A
  /** All fields but those with one of these names, as plain data. */
  readonly others: (known: ReadonlySet<string>) => Readonly<Record<string, unknown>>
}

/** The fields of a value that must be a mapping. The path of the plan itself is empty. */
export const fieldsOf = (node: Node, path: string, expected: string, faults: Array<Fault>): Fields => {
  const name = path === "" ? "the plan" : path
  if (node._tag !== "Mapping") {
    faults.push({ at: node.at, says: `${name} is ${shown(node)}`, remedy: `write ${expected}` })
  }
  const fields: Mapping["fields"] = node._tag === "Mapping" ? node.fields : new Map()
  const field: Fields["field"] = (key, read, absent) => {
    const value = fields.get(key)
    return value === undefined ? absent : read(value, path === "" ? key : `${path}.${key}`, faults)
  }
  return {
    field,
    required: (key, read, nothing) => {
      if (!fields.has(key)) {
        faults.push({ at: node.at, says: `${name} has no ${key}`, remedy: `add the key ${key}` })
      }
      return field(key, read, nothing)
    },
    others: (known) =>
      Object.fromEntries(
        Array.from(fields).filter(([key]) => !known.has(key)).map(([key, value]) => [key, plainValue(value)])
      )
  }
}
