// JsonAnswer: an answer that is one JSON object of a schema: how its schema is told, and how it is read.
import { Result, Schema, SchemaIssue } from "effect"
import { brief } from "../text/Untrusted.ts"

/** The schema of an answer, for `AgentTask.answer`: every property is required, and there are no others. */
export const answerJsonSchema = (schema: Schema.Top): Schema.Json =>
  Schema.decodeUnknownSync(Schema.Json)(Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" }).schema)

/** An answer as it was read. A `Prose` is no JSON as a whole; `text` is what of it could have been. */
export type JsonAnswer<A> =
  | { readonly _tag: "Read"; readonly value: A }
  | { readonly _tag: "Wrong"; readonly problems: ReadonlyArray<string> }
  | { readonly _tag: "Prose"; readonly text: string }

const bounds = { problems: 5, problem: 300 } as const

const parsed = (text: string): { readonly value: unknown } | null => {
  try {
    const value: unknown = JSON.parse(text)
    return { value }
  } catch {
    return null
  }
}

const fenceAround = /^(?:```|~~~)(?:json)?[ \t]*\n([^]*)\n(?:```|~~~)$/i
const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

// If a name stands twice, a parser keeps the last value and says nothing.
const standTwice = (json: string, names: ReadonlyArray<string>): boolean =>
  names.some((name) => json.split(new RegExp(`"${name}"\\s{0,200}:`), 3).length > 2)

/** A reader of answers of a schema. JSON must be the whole text, at most with a fence around it. */
export const answerReader = <A>(
  schema: Schema.Decoder<A> & { readonly fields: Readonly<Record<string, unknown>> }
): (text: string) => JsonAnswer<A> => {
  const names = Object.keys(schema.fields)
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  return (text) => {
    const whole = text.replace(/^\ufeff/, "").trim()
    const json = fenceAround.exec(whole)?.[1]?.trim() ?? whole
    if (standTwice(json, names)) return { _tag: "Wrong", problems: [`${names.join(" or ")} stands twice`] }
    const value = parsed(json)
    if (value === null) return { _tag: "Prose", text: json }
    const decoded = decode(value.value)
    if (Result.isSuccess(decoded)) return { _tag: "Read", value: decoded.success }
    const found = issuesOf(decoded.failure.issue).issues.slice(0, bounds.problems)
    return {
      _tag: "Wrong",
      problems: found.map(({ message, path = [] }) => brief([...path.map(String), message].join(": "), bounds.problem))
    }
  }
}
