// convention: what all JSON documents have in common (src/run/Document.ts says it), but the step's own, whose form is a
// contract with its callers, and an attestation, which has a published form.
import { HistoryName } from "../../../src/review/findings/formats/Json.ts"
import { Scope } from "../../../src/run/Dismissal.ts"
import { levels } from "../../../src/run/Level.ts"
import { HowRead, VerdictSource } from "../../../src/run/ReviewTokens.ts"
import { isSchema, kindsOf, listOf, type JsonSchema, propertiesOf } from "./nodes.ts"

const others: ReadonlySet<string> = new Set(["step", "attest"])

// What is shown as it is elsewhere: an event, a manifest and the fields of it that changed, the code that a batch saw, who
// dismissed a finding in a round, the headers of an agent's message.
const asWritten: ReadonlySet<string> = new Set([
  "event",
  "before",
  "after",
  "manifest",
  "started",
  "completed",
  "inRound",
  "fields"
])

// Words of the command line, of logs, of the step's document and of the result contract.
const namedElsewhere: ReadonlySet<unknown> = new Set([
  ...levels,
  ...Scope.literals,
  ...VerdictSource.literals,
  ...HowRead.literals,
  ...HistoryName.literals,
  ...["v2", "legacy", "none", "pass", "gaps", "error"]
])

const isRunName = (schema: JsonSchema): boolean => Object.keys(propertiesOf(schema)).join() === "run,repo,target"

const ofField = (parent: JsonSchema, name: string, path: string): ReadonlyArray<string> => {
  const field = propertiesOf(parent)[name]
  if (!isSchema(field) || asWritten.has(name)) return []
  const isNamed = name !== "run" || isRunName(parent) ||
    kindsOf(field).every((kind) => kind["type"] === "null" || isRunName(kind))
  return [
    ...(/^(?:_tag|[a-z][A-Za-z0-9]*)$/.test(name) ? [] : [`${path}: not in camelCase`]),
    ...(listOf(parent["required"]).includes(name) ? [] : [`${path}: may be missing`]),
    ...(isNamed ? [] : [`${path}: not the object that names a run`]),
    ...offences(field, path)
  ]
}

const offences = (schema: JsonSchema, path: string): ReadonlyArray<string> =>
  kindsOf(schema).flatMap((kind) => {
    const { items } = kind
    const words = listOf(kind["enum"]).filter((one) =>
      typeof one === "string" && !namedElsewhere.has(one) && !/^(?:[A-Z][a-z]*)+$/.test(one)
    )
    return [
      ...words.map((word) => `${path}: ${String(word)} is not in PascalCase`),
      ...(isSchema(items) ? offences(items, `${path}[]`) : []),
      ...Object.keys(propertiesOf(kind)).flatMap((name) => ofField(kind, name, `${path}.${name}`))
    ]
  })

/** Where a document's schema does not follow the convention. */
export const unconventional = (name: string, schema: JsonSchema): ReadonlyArray<string> =>
  others.has(name) ? [] : [
    ...kindsOf(schema).filter((kind) => propertiesOf(kind)["schema"] === undefined)
      .map(() => `${name}: without the version of its form`),
    ...offences(schema, name)
  ]
