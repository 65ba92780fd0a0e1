// JsonAnswer: an answer that is one JSON object of a schema: how its schema is told, and how it is read.
import { Result, Schema, SchemaIssue } from "effect"
import { plainValue, readJsonTree, repeatedKey } from "../text/JsonTree.ts"
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

const fenceAround = /^(?:```|~~~)(?:json)?[ \t]*\n([^]*)\n(?:```|~~~)$/i
const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** A reader of answers of a schema. JSON must be the whole text, at most with a fence around it. */
export const answerReader = <A>(schema: Schema.Decoder<A>): (text: string) => JsonAnswer<A> => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  return (text) => {
    const whole = text.replace(/^\ufeff/, "").trim()
    const json = fenceAround.exec(whole)?.[1]?.trim() ?? whole
    const tree = readJsonTree(json)
    if (Result.isFailure(tree)) return { _tag: "Prose", text: json }
    // Of a repeated key a parser keeps the last value and says nothing.
    const repeated = repeatedKey(tree.success)
    if (repeated !== null) return { _tag: "Wrong", problems: [brief(`${repeated} appears twice`, bounds.problem)] }
    const decoded = decode(plainValue(tree.success))
    if (Result.isSuccess(decoded)) return { _tag: "Read", value: decoded.success }
    const found = issuesOf(decoded.failure.issue).issues.slice(0, bounds.problems)
    return {
      _tag: "Wrong",
      problems: found.map(({ message, path = [] }) => brief([...path.map(String), message].join(": "), bounds.problem))
    }
  }
}
