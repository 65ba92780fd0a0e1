// Settings: everything that a converging run can be told beside what a step is told, as one schema.
// The command line and the configuration file decode into it, and so does a program that embeds this one.
import { Exit, Result, Schema, SchemaIssue } from "effect"
import { Consent } from "../../agent/Event.ts"
import { Settings as StepSettings } from "../../run/Settings.ts"

const week = 7 * 24 * 3_600_000

/** The bounds of the numbers. Durations in milliseconds. */
export const bounds = {
  fixAttempts: { least: 0, most: 20 },
  rounds: { least: 1, most: 10_000 },
  tokens: { least: 1, most: 1_000_000_000_000 },
  contextTokens: { least: 1000, most: 100_000_000 },
  duration: { least: 1, most: week },
  longDuration: { least: 0, most: 52 * week }
} as const

/** The defaults. Durations in milliseconds. */
export const defaults = {
  testTimeout: 30 * 60_000,
  fixAttempts: 2,
  retro: "agent",
  patience: 6,
  maxRounds: 20,
  agent: "codex",
  agentEffort: "high",
  agentTimeout: 60 * 60_000
} as const

const whole = ({ least, most }: { readonly least: number; readonly most: number }) =>
  Schema.Int.check(Schema.isBetween({ minimum: least, maximum: most }))
const orNull = <S extends Schema.Constraint>(schema: S) =>
  Schema.NullOr(schema).pipe(Schema.withDecodingDefault(Exit.succeed(null)))
const Line = Schema.String.check(
  Schema.makeFilter((text: string) =>
    text.trim() === "" || text.includes("\0") ? "expected a text that is not empty and holds no NUL" : undefined
  )
)

/** Which kind of agent works: codex, Claude Code, or any other program, whose line of the shell is `agentCmd`. */
export const AgentChoice = Schema.Literals(["codex", "claude", "command"])
export type AgentChoice = typeof AgentChoice.Type

/** The settings of a converging run. Null means not given. */
export const ConvergeSettings = Schema.Struct({
  /** What every step is told. It is strict. */
  step: StepSettings,
  /** The project's tests: lines of the shell, run in this order in the worktree's root. */
  tests: Schema.Array(Line).pipe(Schema.withDecodingDefault(Exit.succeed([]))),
  /** Whether the project is meant to be worked on without tests. */
  noTest: Schema.Boolean.pipe(Schema.withDecodingDefault(Exit.succeed(false))),
  testTimeout: whole(bounds.duration).pipe(Schema.withDecodingDefault(Exit.succeed(defaults.testTimeout))),
  /** How often the agent is asked to mend red tests in one round. */
  fixAttempts: whole(bounds.fixAttempts).pipe(Schema.withDecodingDefault(Exit.succeed(defaults.fixAttempts))),
  /** Whether the worktree goes back to where the round began when its tests stay red. */
  undoOnRed: Schema.Boolean.pipe(Schema.withDecodingDefault(Exit.succeed(false))),
  /** Whether an agent looks over a clean level. */
  retro: Schema.Literals(["never", "agent"]).pipe(Schema.withDecodingDefault(Exit.succeed(defaults.retro))),
  /** The template of the commit of each green round; null commits nothing. */
  commitFixes: orNull(Line),
  /** Patterns of files that no agent may change: git's glob patterns, one without a slash at any depth. */
  protect: Schema.Array(Line).pipe(Schema.withDecodingDefault(Exit.succeed([]))),
  /** The most rounds in a row without progress. */
  patience: whole(bounds.rounds).pipe(Schema.withDecodingDefault(Exit.succeed(defaults.patience))),
  maxRounds: whole(bounds.rounds).pipe(Schema.withDecodingDefault(Exit.succeed(defaults.maxRounds))),
  /** The most time in which the run is driven, in milliseconds, over all calls. */
  maxTime: orNull(whole(bounds.longDuration)),
  /** The most tokens of reviews and agents together. */
  maxTokens: orNull(whole(bounds.tokens)),
  agent: AgentChoice.pipe(Schema.withDecodingDefault(Exit.succeed(defaults.agent))),
  /** The program of the agent: a path for codex and Claude Code, a line of the shell for a command. */
  agentCmd: orNull(Line),
  agentModel: orNull(Line),
  agentEffort: Line.pipe(Schema.withDecodingDefault(Exit.succeed(defaults.agentEffort))),
  agentTimeout: whole(bounds.duration).pipe(Schema.withDecodingDefault(Exit.succeed(defaults.agentTimeout))),
  /** The model of the agent that looks over clean levels; null is `agentModel`. */
  retroModel: orNull(Line),
  /** The longest wait for a quota in milliseconds. */
  waitQuota: whole(bounds.longDuration).pipe(Schema.withDecodingDefault(Exit.succeed(0))),
  /** The context window of the agent's model in tokens, where the agent does not tell it. */
  contextTokens: orNull(whole(bounds.contextTokens)),
  /** What a person allows. */
  allow: Schema.Array(Consent).pipe(Schema.withDecodingDefault(Exit.succeed([])))
}).check(
  Schema.makeFilter(({ step }) => step.strict ? undefined : "step: a converging run is strict"),
  Schema.makeFilter(({ step }) =>
    step.target._tag === "Commit" ? "step: a commit does not change, so it cannot converge" : undefined
  ),
  Schema.makeFilter(({ noTest, tests }) =>
    noTest === (tests.length > 0) ? "tests: name the project's tests, or say that there are none" : undefined
  ),
  Schema.makeFilter(({ agent, agentCmd }) =>
    agent === "command" && agentCmd === null ? "agentCmd: an agent of this kind needs its program" : undefined
  ),
  Schema.makeFilter(({ commitFixes, step }) =>
    commitFixes !== null && step.target._tag === "Uncommitted"
      ? "commitFixes: committing the fixes would take them out of the uncommitted changes"
      : undefined
  )
)
export type ConvergeSettings = typeof ConvergeSettings.Type

const decodeUnknown = Schema.decodeUnknownResult(ConvergeSettings, { errors: "all", onExcessProperty: "error" })
const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** What is wrong with settings that a schema refused, on one line. */
export const wrongIn = ({ issue }: Schema.SchemaError): string =>
  issuesOf(issue).issues.map(({ message, path = [] }) => [...path.map(String), message].join(": ")).join("; ")

/** The settings decoded from `given`, or one line that names every wrong value and what is wrong with it. */
export const decode = (given: unknown): Result.Result<ConvergeSettings, string> =>
  Result.mapError(decodeUnknown(given), wrongIn)

/**
 * Settings for programs: what `given` leaves out has its default. Throws a RangeError that names every setting that is
 * wrong, as the command line would.
 */
export const make = (given: typeof ConvergeSettings.Encoded): ConvergeSettings => {
  const settings = decode(given)
  if (Result.isFailure(settings)) throw new RangeError(settings.failure)
  return settings.success
}
