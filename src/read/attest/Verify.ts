// Verify: reads an attestation from outside and verifies it.
import { Effect, Result, Schema } from "effect"
import { exits } from "../../platform/Failure.ts"
import type { RunRef } from "../../log/Refs.ts"
import { jsonText } from "../../text/Json.ts"
import { plainValue, readJsonTree, repeatedKey } from "../../text/JsonTree.ts"
import { brief } from "../../text/Untrusted.ts"
import { type Found, found } from "../LogReader.ts"
import { InFiles } from "../UserFiles.ts"
import type { Audited } from "../audit/Audit.ts"
import { attestedBy, predicateType, statementType } from "./Attest.ts"

// An attestation from outside, read so that every part of it is compared.
// A key that occurs twice is refused: two readers could take two different values from it.

/** An attestation that names a run, with all its contents. */
export interface GivenStatement {
  readonly run: string
  readonly value: unknown
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const fieldsOf = (value: object): ReadonlyMap<string, unknown> => new Map(Object.entries(value))

const field = (value: unknown, name: string): unknown => isObject(value) ? fieldsOf(value).get(name) : undefined

const shown = (value: unknown): string => value === undefined ? "nothing" : brief(jsonText(value), 100)

/** Reads an attestation, or returns one line why it is not ours. */
export const readStatement = (text: string): Result.Result<GivenStatement, string> =>
  Result.gen(function*() {
    const read = readJsonTree(text)
    if (Result.isFailure(read)) return yield* Result.fail(`${read.failure}, or it nests too deep`)
    const key = repeatedKey(read.success)
    if (key !== null) return yield* Result.fail(`the key ${shown(key)} occurs twice in one object`)
    const value = plainValue(read.success)
    const [type, predicate] = [field(value, "_type"), field(value, "predicateType")]
    if (type !== statementType) return yield* Result.fail(`its _type is ${shown(type)}, not ${shown(statementType)}`)
    if (predicate !== predicateType) {
      return yield* Result.fail(`its predicateType is ${shown(predicate)}, not ${shown(predicateType)}`)
    }
    const run = field(field(value, "predicate"), "run")
    if (typeof run !== "string" || run === "") return yield* Result.fail("it names no run")
    return { run, value }
  })

const at = (path: string, key: string, list: boolean): string =>
  list ? `${path}[${key}]` : path === "" ? brief(key, 100) : `${path}.${brief(key, 100)}`

/**
 * The statements of an attestation that do not follow, and those that it lacks: one sentence for each field, in order.
 */
export const differences = (given: unknown, expected: unknown, path = ""): ReadonlyArray<string> => {
  if (!isObject(given) || !isObject(expected) || Array.isArray(given) !== Array.isArray(expected)) {
    return given === expected ? [] : [`${path || "it"} is ${shown(given)}; the log gives ${shown(expected)}`]
  }
  const [here, there] = [fieldsOf(given), fieldsOf(expected)]
  return [...new Set([...here.keys(), ...there.keys()])].flatMap((key) =>
    differences(here.get(key), there.get(key), at(path, key, Array.isArray(expected)))
  )
}

// An attestation from outside, compared with its run, the run's log and its worktree.

/** A file that is not exactly one attestation of ours. `said` is the error of the reader of attestations. */
class NoAttestation extends Schema.TaggedError<NoAttestation>()("NoAttestation", {
  name: Schema.String,
  said: Schema.String
}) {
  readonly exitCode = exits.wrong
  override get message() {
    return `${brief(this.name, 300)} is not an attestation: ${this.said} [have attest write it again]`
  }
}

// Attestations have some kilobytes for each level.
const most = 16 * 1024 * 1024
// The most wrong fields that are named. If more are wrong, the attestation is about something else.
const named = 50

/** Reads an attestation by the name of its file. */
export const readAttestation = Effect.fn("Verify.readAttestation")(function*(cwd: string, name: string) {
  const read = readStatement(yield* (yield* InFiles).read(cwd, name, most))
  if (Result.isSuccess(read)) return read.success
  return yield* new NoAttestation({ name, said: read.failure })
})

/**
 * The faults of an attestation of an audited run: every field that does not follow from the log, or why the run cannot
 * be attested at all.
 */
export const heldAgainst = Effect.fn("Verify.heldAgainst")(
  function*(run: RunRef, audited: Audited, { value }: GivenStatement) {
    const all = differences(value, yield* attestedBy(run, audited))
    const left = all.length - named
    return [...all.slice(0, named), ...(left > 0 ? [`${left} more fields do not follow from the log`] : [])]
  },
  Effect.catchTag(["NotAttested", "LogDamaged", "LogRewound"], ({ message }) => Effect.succeed([message])),
  Effect.map((problems): ReadonlyArray<Found<"attestation">> => problems.map((text) => found("attestation", 0, text)))
)
