// Document: what the JSON documents of `--json` have in common.
//
// A document is a `Schema.Class` beside the thing that it describes: that class makes and encodes it, and docs/schemas
// is generated from it. Fields are only added; a field that changes its meaning changes `schema`. The convention:
//
// - Names are camelCase, `schema` is the version of the form, `run` is always a `RunName`.
// - Every field is there; what is unknown or missing is null.
// - A name out of a set is in PascalCase, a level or a scope as on the command line.
// - What a log, a manifest or a result of an agent has, is as it is there: an event, its tags and fields.
//
// The documents of a step and of an attestation have a form of their own. What others share with them is the same.
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

/** A line about an event: the event as the log has it, and where it is. `stream` is the kind of the log. */
export const LoggedEventFields = {
  schema: version,
  run: RunName,
  stream: Schema.String,
  seq: Count,
  index: Count,
  at: Schema.String,
  event: Schema.Unknown
}

export const runName = ({ repoId, runId, targetKey }: RunRef) => ({ run: runId, repo: repoId, target: targetKey })

/** A document as JSON on one line. */
export const documentText = <S extends Schema.Top & { readonly EncodingServices: never }>(
  document: S,
  fields: S["~type.make.in"]
): string => `${jsonText(Schema.encodeSync(document)(document.make(fields)))}\n`
