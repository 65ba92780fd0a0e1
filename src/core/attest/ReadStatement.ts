// ReadStatement: an attestation from outside, read so that what is compared is all that stands in it.
// A key that stands twice is refused: two readers could take two different values from it.
import { Result } from "effect"
import { plainValue, readJsonTree, repeatedKey } from "../text/JsonTree.ts"
import { jsonText } from "../text/JsonText.ts"
import { brief } from "../text/Untrusted.ts"
import { predicateType, statementType } from "./Statement.ts"

/** An attestation that names a run, with everything that stands in it. */
export interface GivenStatement {
  readonly run: string
  readonly value: unknown
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const fieldsOf = (value: object): ReadonlyMap<string, unknown> => new Map(Object.entries(value))

const field = (value: unknown, name: string): unknown => isObject(value) ? fieldsOf(value).get(name) : undefined

const shown = (value: unknown): string => value === undefined ? "nothing" : brief(jsonText(value), 100)

/** Reads an attestation, or says in one line why it is none of ours. */
export const readStatement = (text: string): Result.Result<GivenStatement, string> =>
  Result.gen(function*() {
    const read = readJsonTree(text)
    if (Result.isFailure(read)) return yield* Result.fail(`${read.failure}, or it nests too deep`)
    const key = repeatedKey(read.success)
    if (key !== null) return yield* Result.fail(`the key ${shown(key)} stands twice in one object`)
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

/** What an attestation says that does not follow, and what it leaves out: a sentence a field, in order. */
export const differences = (given: unknown, expected: unknown, path = ""): ReadonlyArray<string> => {
  if (!isObject(given) || !isObject(expected) || Array.isArray(given) !== Array.isArray(expected)) {
    return given === expected ? [] : [`${path || "it"} is ${shown(given)}; the log gives ${shown(expected)}`]
  }
  const [here, there] = [fieldsOf(given), fieldsOf(expected)]
  return [...new Set([...here.keys(), ...there.keys()])].flatMap((key) =>
    differences(here.get(key), there.get(key), at(path, key, Array.isArray(expected)))
  )
}
