// keeps: whether whoever reads a JSON document by its published schema can still read what a later schema describes.
// A reader needs each field that was there, as it was; fields, names of a list and kinds of objects may be added.

/** A schema as docs/schemas/ holds it. */
export type Schema = Readonly<Record<string, unknown>>

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const listOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

/** The kinds of value that a schema allows, each with a schema of its own. */
const kindsOf = (schema: Schema): ReadonlyArray<Schema> =>
  schema["anyOf"] === undefined ? [schema] : listOf(schema["anyOf"]).filter(isSchema).flatMap(kindsOf)

const typeOf = (schema: Schema): string => schema["type"] === "integer" ? "number" : String(schema["type"] ?? "any")
const fieldsOf = (schema: Schema): Readonly<Record<string, unknown>> =>
  isSchema(schema["properties"]) ? schema["properties"] : {}

const lostFields = (old: Schema, now: Schema, at: string): ReadonlyArray<string> => {
  const required = listOf(now["required"])
  return [
    ...listOf(old["required"]).filter((name) => !required.includes(name)).map((name) => `${at}.${name} may be missing`),
    ...Object.entries(fieldsOf(old)).flatMap(([name, was]) => {
      const is = fieldsOf(now)[name]
      return isSchema(was) && isSchema(is) ? lost(was, is, `${at}.${name}`) : [`${at}.${name} is gone`]
    })
  ]
}

const lostOfKind = (old: Schema, now: Schema, at: string): ReadonlyArray<string> => {
  const [was, is] = [old["items"], now["items"]]
  return [
    ...(isSchema(was) && isSchema(is) ? lost(was, is, `${at}[]`) : []),
    ...(typeOf(old) === "object" ? lostFields(old, now, at) : [])
  ]
}

/** What a reader would miss, a line each; nothing where the later schema keeps what the earlier one promised. */
export const lost = (old: Schema, now: Schema, at: string): ReadonlyArray<string> => {
  const [before, after] = [kindsOf(old), kindsOf(now)]
  const types = new Set(before.map(typeOf))
  const wider = after.filter((kind) => !types.has(typeOf(kind))).map((kind) => `${at} may be ${typeOf(kind)} now`)
  const missed = before.flatMap((kind) => {
    const likely = after.filter((other) => typeOf(other) === typeOf(kind)).map((other) => lostOfKind(kind, other, at))
    // A value that no longer occurs is missed by nobody, but all objects of a kind are read alike.
    const best = likely.toSorted((a, b) => a.length - b.length)[0]
    return typeOf(kind) === "object" ? best ?? [`${at} is no object any more`] : best ?? []
  })
  return [...new Set([...wider, ...missed])]
}
