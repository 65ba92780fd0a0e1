// valid: whether a document that the program printed is of its published schema, and has no field beside it.
import Ajv from "ajv"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { assert } from "vitest"
import { type documents } from "./documents.ts"
import { isSchema } from "./nodes.ts"

const ajv = new Ajv({ allErrors: true })

/** A schema that allows no field which it does not name: a new field has to be described. */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed)
  if (!isSchema(value)) return value
  const all = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(one)]))
  return all["additionalProperties"] === true ? { ...all, additionalProperties: false } : all
}

const schemaOf = (name: string): object => {
  const schema = closed(
    JSON.parse(readFileSync(resolve(import.meta.dirname, `../../../docs/schemas/${name}.json`), "utf8"))
  )
  return isSchema(schema) ? schema : assert.fail(name)
}

/** What is wrong with a document by the schema of its name; none for a valid one. */
export const problems = (name: keyof typeof documents, text: string): ReadonlyArray<string> => {
  const valid = ajv.compile(schemaOf(name))
  return valid(JSON.parse(text)) === true
    ? []
    : (valid.errors ?? []).map(({ dataPath, message, params }) =>
      `${dataPath} ${message ?? ""} ${JSON.stringify(params)}`
    )
}
