// Settings: all settings of an invocation, as one schema with their defaults and bounds.
// The command line and host programs decode into it, so both get the same refusals.
import { Exit, Result, Schema, SchemaIssue, Struct } from "effect"
import { compare, Level } from "./Level.ts"
import { Priority } from "./Dismissal.ts"
import { type Bounds, type Kind, type Setting, upToAWeek, type Values } from "./Setting.ts"
import { stepSettings } from "./StepSettings.ts"
import { Target } from "./Target.ts"

export type { Bounds } from "./Setting.ts"

/** The bounds of every number. Durations in milliseconds. */
export const bounds = {
  reviewers: stepSettings.batchSize.bounds,
  iterations: stepSettings.maxIter.bounds,
  batches: stepSettings.maxBatches.bounds,
  retries: stepSettings.retries.bounds,
  duration: upToAWeek,
  line: stepSettings.expectHead.bounds
} as const satisfies Record<string, Bounds>

/** The defaults. Durations in milliseconds. */
export const defaults = {
  floor: stepSettings.floor.default,
  ceiling: stepSettings.ceiling.default,
  batchSize: stepSettings.batchSize.default,
  codexBin: stepSettings.codexBin.default,
  retries: stepSettings.retries.default,
  reviewTimeout: stepSettings.reviewTimeout.default,
  idleTimeout: stepSettings.idleTimeout.default,
  identityTimeout: stepSettings.identityTimeout.default
} as const

/** What is wrong with the text of a path, or null. */
export const pathProblem = (text: string): string | null => {
  if (text === "") return "expected a path, not an empty text"
  return text.includes("\0") ? "a path cannot contain a NUL" : null
}

/** What is wrong with a pattern of ignored files to link, or null. */
export const linkProblem = (pattern: string): string | null => {
  if (pattern === "") return "expected a pattern, not an empty text"
  if (/[\0,]/.test(pattern)) return "a pattern cannot contain a NUL or a comma"
  return pattern.startsWith("/") || pattern.split("/").includes("..")
    ? "a pattern is relative to the repository's root and stays inside it"
    : null
}

/** Whether the ladder is empty: its ceiling lies below its floor. */
export const isUpsideDown = ({ ceiling, floor }: { readonly ceiling: Level; readonly floor: Level }): boolean =>
  compare(ceiling, floor) < 0

/** What is wrong with a pattern if reviewers read no copy. */
export const linkNeedsCopy = "--link needs --strict or --isolate"

/** What is wrong with the text that names a commit, or null. Whether it names one is for git to say. */
export const revisionProblem = (text: string): string | null =>
  /^[^-\s\p{Cc}][^\s\p{Cc}]{0,254}$/u.test(text) ? null : "expected a branch, tag or commit"

/** What is wrong with a line of text, or null. */
const lineProblem = (text: string): string | null =>
  text.trim() === "" || text.includes("\0") ? "expected a text that is not empty and holds no NUL" : null

const whole = ({ bounds = upToAWeek }: Setting, unit = "") => {
  const { least, most } = bounds
  const expected = `a whole number${unit} from ${least} to ${most}`
  const holds = (value: number): boolean => Number.isInteger(value) && value >= least && value <= most
  return Schema.Number.annotate({ expected }).check(Schema.makeFilter(holds, { expected }))
}

const text = (problem: (text: string) => string | null) =>
  Schema.String.check(Schema.makeFilter((given: string) => problem(given) ?? undefined))

const hash = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{64}$/, { expected: "64 hexadecimal digits in lower case" })
)

const schemas: { readonly [K in Kind]: (setting: Setting) => Schema.Codec<Values[K]> } = {
  switch: () => Schema.Boolean,
  level: () => Level,
  priority: () => Priority.annotate({ expected: "a priority from 0 to 3" }),
  count: (setting) => whole(setting),
  duration: (setting) => whole(setting, " of milliseconds"),
  tokens: (setting) => whole(setting),
  path: () => text(pathProblem),
  patterns: () => Schema.Array(text(linkProblem)),
  revision: () => text(revisionProblem),
  head: (setting) => Schema.Struct({ seq: whole(setting), hash }),
  word: ({ words = [] }) => Schema.Literals(words),
  line: () => text(lineProblem),
  text: () => Schema.String
}

type Value<K extends Kind> = Schema.Codec<Values[K]>

/** A schema with the limits of a setting. */
export const schemaOf = <K extends Kind>(setting: Setting<K>): Value<K> => schemas[setting.kind](setting)

/** The same if the setting may be left out for its default. */
export const orDefault = <K extends Kind>(setting: Setting<K> & { readonly default: Values[K] }) =>
  Schema.withDecodingDefault<Value<K>>(Exit.succeed(setting.default))(schemaOf(setting))

/** The same if the setting may be left out, which gives null. */
export const orNull = <K extends Kind>(setting: Setting<K>) =>
  Schema.withDecodingDefault<Schema.NullOr<Value<K>>>(Exit.succeed(null))(Schema.NullOr(schemaOf(setting)))

type One<S extends Pick<Setting, "kind">> = S extends
  { readonly kind: "word"; readonly words: infer W extends ReadonlyArray<string> } ? Schema.Literals<W>
  : Value<S["kind"]>

type Field<S extends Setting> = S extends { readonly many: true } ? Schema.withDecodingDefault<Schema.$Array<One<S>>>
  : S extends { readonly default: unknown } ? Schema.withDecodingDefault<One<S>>
  : Schema.withDecodingDefault<Schema.NullOr<One<S>>>

interface FieldOf extends Struct.Lambda {
  (setting: Setting): Schema.Constraint
  readonly "~lambda.out": this["~lambda.in"] extends Setting ? Field<this["~lambda.in"]> : never
}

/** The fields of settings in a schema. One that is left out has its default, is an empty list, or is null. */
export const fieldsOf = Struct.map(
  Struct.lambda<FieldOf>((setting) => {
    const { default: value } = setting
    if (setting.many === true) {
      return Schema.Array(schemaOf(setting)).pipe(Schema.withDecodingDefault(Exit.succeed([])))
    }
    return value === undefined ? orNull(setting) : orDefault({ ...setting, default: value })
  })
)

/** The settings of an invocation. Null means not given; `StepSettings` says what each does. */
export const Settings = Schema.Struct({
  target: Target,
  ...fieldsOf(stepSettings)
}).check(
  Schema.makeFilter((settings) =>
    isUpsideDown(settings)
      ? `the ceiling ${settings.ceiling} lies below the floor ${settings.floor}`
      : settings.link.length > 0 && !settings.isolate && !settings.strict
      ? linkNeedsCopy
      : undefined
  ),
  Schema.makeFilter(({ block, strict, trustFrom }) =>
    strict || (block === null && trustFrom === null)
      ? undefined
      : `${block === null ? "trustFrom" : "block"} needs strict: without it every review with issues blocks`
  )
)
export type Settings = typeof Settings.Type

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** What is wrong with settings that a schema refused, on one line. */
const wrongIn = ({ issue }: Schema.SchemaError): string =>
  issuesOf(issue).issues.map(({ message, path = [] }) => [...path.map(String), message].join(": ")).join("; ")

/**
 * Two ways to read settings of a schema, in which what is left out has its default. `decode` gives one line that names
 * every wrong value; `make` throws a RangeError with it, for programs.
 */
export const readers = <A, I>(schema: Schema.Codec<A, I>) => {
  const decodeUnknown = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  const decode = (given: unknown): Result.Result<A, string> => Result.mapError(decodeUnknown(given), wrongIn)
  const make = (given: I): A => {
    const settings = decode(given)
    if (Result.isFailure(settings)) throw new RangeError(settings.failure)
    return settings.success
  }
  return { decode, make }
}

export const { decode } = readers(Settings)
