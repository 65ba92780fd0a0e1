// Attestation: an attestation from outside, held against the run that it names, its log and its worktree.
import { Effect, Result, Schema } from "effect"
import { differences, type GivenStatement, readStatement } from "../core/attest/ReadStatement.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { brief } from "../core/text/Untrusted.ts"
import { InFiles } from "../services/InFiles.ts"
import { attestedBy } from "./Attest.ts"
import type { Audited } from "./Audit.ts"
import { found, type Found } from "./AuditFinding.ts"

/** A file that is no attestation of ours, or not one alone. `said` is what the reader of attestations says of it. */
export class NoAttestation extends Schema.TaggedError<NoAttestation>()("NoAttestation", {
  name: Schema.String,
  reason: Schema.TaggedStruct("Misread", { said: Schema.String })
}) {
  override get message() {
    return `${brief(this.name, 300)} is no attestation: ${this.reason.said} [have attest write it again]`
  }
}

// Attestations have some kilobytes for each level.
const most = 16 * 1024 * 1024
// At most this many wrong fields are named. Where more are wrong, the attestation is about something else.
const named = 50

/** Reads an attestation by the name of its file. */
export const readAttestation = Effect.fn("Attestation.readAttestation")(function*(cwd: string, name: string) {
  const read = readStatement(yield* (yield* InFiles).read(cwd, name, most))
  if (Result.isSuccess(read)) return read.success
  return yield* new NoAttestation({ name, reason: { _tag: "Misread", said: read.failure } })
})

/**
 * What is wrong with an attestation of an audited run: every field that does not follow from the log, or the reason why
 * the run cannot be attested at all.
 */
export const heldAgainst = Effect.fn("Attestation.heldAgainst")(
  function*(run: RunRef, audited: Audited, { value }: GivenStatement) {
    const all = differences(value, yield* attestedBy(run, audited))
    const left = all.length - named
    return [...all.slice(0, named), ...(left > 0 ? [`${left} more fields do not follow from the log`] : [])]
  },
  Effect.catchTag(["NotAttested", "LogDamaged", "LogRewound"], ({ message }) => Effect.succeed([message])),
  Effect.map((problems): ReadonlyArray<Found<"attestation">> => problems.map((text) => found("attestation", 0, text)))
)
