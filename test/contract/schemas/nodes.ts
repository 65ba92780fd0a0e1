// nodes: the parts of a JSON Schema as docs/schemas/ has it.

/** A schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>

export const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const listOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

/** The kinds of value that a schema allows, each with a schema of its own. */
export const kindsOf = (schema: JsonSchema): ReadonlyArray<JsonSchema> =>
  schema["anyOf"] === undefined ? [schema] : listOf(schema["anyOf"]).filter(isSchema).flatMap(kindsOf)

/** The fields of an object; none for another kind. */
export const propertiesOf = (schema: JsonSchema): JsonSchema =>
  isSchema(schema["properties"]) ? schema["properties"] : {}
