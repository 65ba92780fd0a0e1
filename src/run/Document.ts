// Document: what the JSON documents of `--json` have in common.
//
// A document is a `Schema.Class` beside the thing that it describes: that class makes and encodes it, and docs/schemas
// is generated from it. Names are camelCase, `schema` is the version of the form, `run` is always a `RunName`. Fields
// are only added; a field that changes its meaning changes `schema`.
import { Schema, Struct } from "effect"
import type { RunRef } from "../log/Refs.ts"
import { jsonText } from "../text/Json.ts"
import { exitCodes } from "./Outcome.ts"

export const version = Schema.tag(1)

export const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** A position in a log. */
export const LogHead = Schema.Struct({ seq: Count, hash: Schema.String })

export const OutcomeName = Schema.Literals(Struct.keys(exitCodes))

export const RunName = Schema.Struct({ run: Schema.String, repo: Schema.String, target: Schema.String })

export const runName = ({ repoId, runId, targetKey }: RunRef) => ({ run: runId, repo: repoId, target: targetKey })

/** A document as JSON that ends in a newline, on one line or with an `indent`. */
export const documentText = <S extends Schema.Top & { readonly EncodingServices: never }>(
  document: S,
  fields: S["~type.make.in"],
  indent = 0
): string => `${jsonText(Schema.encodeSync(document)(document.make(fields)), indent)}\n`
