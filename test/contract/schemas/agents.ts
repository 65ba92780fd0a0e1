// agents: what the JSON document of `result` says of an agent's message.
import { Schema } from "effect"
import { list, NullOr, Struct, Text, words } from "./parts.ts"

export const result = {
  grammar: words("v2", "legacy", "none"),
  valid: Schema.Boolean,
  status: NullOr(words("pass", "gaps", "error")),
  fields: Schema.Record(Text, Text),
  problems: list(Text)
}

export const failedReport = Struct({ summary: Text, requirements: Text, problems: Text, solutions: Text })
