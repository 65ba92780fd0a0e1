// reviewBodies: the synthetic review bodies of fixtures/verdicts, with the class that a careful person gives each.
import { readFileSync } from "node:fs"
import { Schema } from "effect"
import { VerdictClass } from "../../src/review/verdict/Verdict.ts"

const Body = Schema.Struct({
  label: VerdictClass,
  /** The class by the rules, if it differs from the label. */
  classed: Schema.optionalKey(VerdictClass),
  origin: Schema.String,
  text: Schema.String
})

const file = new URL("../../fixtures/verdicts/synthetic.jsonl", import.meta.url)
const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Body))

export const bodies: ReadonlyArray<typeof Body.Type> = readFileSync(file, "utf8")
  .split("\n").filter((line) => line !== "").map((line) => decode(line))
