// sarifSchema: checks a log against the published schema of SARIF 2.1.0 (rtm.5, the one that the logs name).
// The schema is used as published: nothing here knows how the log is written.
import Ajv from "ajv"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

const read = (name: string): Readonly<Record<string, unknown>> =>
  JSON.parse(readFileSync(createRequire(import.meta.url).resolve(name), "utf8"))

const ajv = new Ajv({ schemaId: "id", meta: false, format: "full", allErrors: true })
ajv.addMetaSchema(read("ajv/lib/refs/json-schema-draft-04.json"))
const valid = ajv.compile(read("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"))

/** The errors of a SARIF log by the schema; empty for a valid one. */
export const sarifProblems = (value: unknown): ReadonlyArray<string> =>
  valid(value) === true ? [] : (valid.errors ?? []).map(({ dataPath, message }) => `log${dataPath} ${message ?? ""}`)
