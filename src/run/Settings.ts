// Settings: all settings of an invocation, as one schema with their defaults and bounds.
// The command line and programs that embed this one decode into it, so both are refused the same.
import { Exit, Result, Schema, SchemaIssue } from "effect"
import { compare, Level } from "./Level.ts"
import { Priority } from "./Dismissal.ts"
import { Target } from "./Target.ts"

/** The least and the most that a number may be. */
export interface Bounds {
  readonly least: number
  readonly most: number
}

const week = 7 * 24 * 3_600_000

/** The bounds of every number. Durations in milliseconds: a week is well inside what a timer can hold. */
export const bounds = {
  reviewers: { least: 1, most: 256 },
  iterations: { least: 1, most: 1_000_000 },
  batches: { least: 1, most: 1_000_000 },
  retries: { least: 0, most: 100 },
  duration: { least: 1, most: week },
  line: { least: 0, most: 999_999_999_999_999 }
} as const satisfies Record<string, Bounds>

/** The defaults. Durations in milliseconds. */
export const defaults = {
  floor: "low",
  ceiling: "xhigh",
  batchSize: 3,
  codexBin: "codex",
  retries: 2,
  reviewTimeout: 60 * 60_000,
  idleTimeout: 20 * 60_000,
  identityTimeout: 60_000
} as const

const whole = ({ least, most }: Bounds, unit = "") => {
  const expected = `a whole number${unit} from ${least} to ${most}`
  const holds = (value: number): boolean => Number.isInteger(value) && value >= least && value <= most
  return Schema.Number.annotate({ expected }).check(Schema.makeFilter(holds, { expected }))
}

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

/** Whether the ladder has no rung: its ceiling lies below its floor. */
export const isUpsideDown = ({ ceiling, floor }: { readonly ceiling: Level; readonly floor: Level }): boolean =>
  compare(ceiling, floor) < 0

/** What is wrong with a pattern where nothing is isolated. */
export const linkNeedsIsolate = "--link needs --isolate"

const Duration = whole(bounds.duration, " of milliseconds")
const Path = Schema.String.check(Schema.makeFilter((text: string) => pathProblem(text) ?? undefined))
const Pattern = Schema.String.check(Schema.makeFilter((text: string) => linkProblem(text) ?? undefined))
const Head = Schema.Struct({
  seq: whole(bounds.line),
  hash: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/, { expected: "64 hexadecimal digits in lower case" }))
})
/** What is wrong with the text that names a commit, or null. git itself says whether it names one. */
export const revisionProblem = (text: string): string | null =>
  /^[^-\s\p{Cc}][^\s\p{Cc}]{0,254}$/u.test(text) ? null : "expected a branch, tag or commit"

const Revision = Schema.String.check(Schema.makeFilter((text: string) => revisionProblem(text) ?? undefined))
const orNull = <S extends Schema.Constraint>(schema: S) =>
  Schema.NullOr(schema).pipe(Schema.withDecodingDefault(Exit.succeed(null)))

/** The settings of an invocation. Null means not given. */
export const Settings = Schema.Struct({
  target: Target,
  floor: Level.pipe(Schema.withDecodingDefault(Exit.succeed(defaults.floor))),
  ceiling: Level.pipe(Schema.withDecodingDefault(Exit.succeed(defaults.ceiling))),
  /** How many reviewers a new batch has. */
  batchSize: whole(bounds.reviewers).pipe(Schema.withDecodingDefault(Exit.succeed(defaults.batchSize))),
  /** The most iterations of one call. Where it is given, waiting for living reviewers counts too. */
  maxIter: orNull(whole(bounds.iterations)),
  /** Where runs are kept; null leaves it to the environment. */
  stateRoot: orNull(Path),
  /** Whether a state root is used although others own a directory of it or can write into one. */
  trustStateRoot: Schema.Boolean.pipe(Schema.withDecodingDefault(Exit.succeed(false))),
  codexBin: Path.pipe(Schema.withDecodingDefault(Exit.succeed(defaults.codexBin))),
  strictTarget: Schema.Boolean.pipe(Schema.withDecodingDefault(Exit.succeed(false))),
  /** Whether a fixed point must be proven at every level on the present code. Includes `strictTarget`. */
  strict: Schema.Boolean.pipe(Schema.withDecodingDefault(Exit.succeed(false))),
  /** Whether reviewers of new batches read a private copy of what is there when the batch starts. */
  isolate: Schema.Boolean.pipe(Schema.withDecodingDefault(Exit.succeed(false))),
  /** Which ignored files are linked into that copy: git's glob patterns, one without a slash at any depth. */
  link: Schema.Array(Pattern).pipe(Schema.withDecodingDefault(Exit.succeed([]))),
  /** The least priority of a finding that blocks a strict run; null is every finding. */
  block: orNull(Priority.annotate({ expected: "a priority from 0 to 3" })),
  /** The commit whose dismissals hold, for changes that somebody else made; null leaves the choice to the target. */
  trustFrom: orNull(Revision),
  /** How often a transient failure of one reviewer is retried. */
  retries: whole(bounds.retries).pipe(Schema.withDecodingDefault(Exit.succeed(defaults.retries))),
  reviewTimeout: Duration.pipe(Schema.withDecodingDefault(Exit.succeed(defaults.reviewTimeout))),
  idleTimeout: Duration.pipe(Schema.withDecodingDefault(Exit.succeed(defaults.idleTimeout))),
  /** The longest that telling what is there to review may take. */
  identityTimeout: Duration.pipe(Schema.withDecodingDefault(Exit.succeed(defaults.identityTimeout))),
  stepTimeout: orNull(Duration),
  maxBatches: orNull(whole(bounds.batches)),
  /** The most reviewers that run at once; null is all of a batch. */
  jobs: orNull(whole(bounds.reviewers)),
  expectHead: orNull(Head)
}).check(
  Schema.makeFilter((settings) =>
    isUpsideDown(settings)
      ? `the ceiling ${settings.ceiling} lies below the floor ${settings.floor}`
      : settings.link.length > 0 && !settings.isolate
      ? linkNeedsIsolate
      : undefined
  ),
  Schema.makeFilter(({ block, strict, trustFrom }) =>
    strict || (block === null && trustFrom === null)
      ? undefined
      : `${block === null ? "trustFrom" : "block"} needs strict: without it every review with issues blocks`
  )
)
export type Settings = typeof Settings.Type

const decodeUnknown = Schema.decodeUnknownResult(Settings, { errors: "all", onExcessProperty: "error" })
const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** The settings decoded from `given`, or one line that names every wrong value and what is wrong with it. */
export const decode = (given: unknown): Result.Result<Settings, string> =>
  Result.mapError(
    decodeUnknown(given),
    ({ issue }) =>
      issuesOf(issue).issues.map(({ message, path = [] }) => [...path.map(String), message].join(": ")).join("; ")
  )
