// Settings: the settings of a converging run beside those of its steps, as one schema.
// The command line and the configuration file decode into it, and so does a program that embeds this one.
import { Exit, Schema } from "effect"
import { Consent } from "../../agent/Event.ts"
import { type Setting, type SettingsCommand, upToAWeek, upToAYear } from "../../run/Setting.ts"
import { fieldsOf, readers, Settings as StepSettings } from "../../run/Settings.ts"
import { defaultTemplate } from "../Commits.ts"

const inAll: ReadonlyArray<SettingsCommand> = ["converge", "implement", "ci"]

/**
 * The definitions of the settings of a converging run beside those of its steps, by their names. Both commands that drive
 * a run have them all.
 */
export const convergeSettings = {
  tests: {
    flag: "--test",
    metavar: "CMD",
    kind: "line",
    many: true,
    text: "A line of the shell that tests the project, in the worktree's root. May be repeated. This or --no-test.",
    commands: inAll
  },
  noTest: {
    flag: "--no-test",
    kind: "switch",
    default: false,
    text: "Work without tests: only reviews judge what agents change."
  },
  testTimeout: {
    flag: "--test-timeout",
    metavar: "DUR",
    kind: "duration",
    bounds: upToAWeek,
    default: 30 * 60_000,
    text: "Time limit for each test command.",
    commands: inAll
  },
  fixAttempts: {
    flag: "--fix-attempts",
    metavar: "N",
    kind: "count",
    bounds: { least: 0, most: 20 },
    default: 2,
    text: "How often an agent is asked to fix failing tests in one round.",
    between: "smaller"
  },
  undoOnRed: {
    flag: "--undo-on-red",
    kind: "switch",
    default: false,
    text: "Put the worktree back to where a round began when its tests keep failing."
  },
  retro: {
    flag: "--retro",
    metavar: "WHO",
    kind: "word",
    words: ["never", "agent"],
    default: "agent",
    text: "Who looks over a clean level: an agent, or never anyone."
  },
  commitFixes: {
    flag: "--commit-fixes",
    metavar: "TEMPLATE",
    kind: "line",
    bare: defaultTemplate,
    text: "Commit each green round; --commit-fixes=TEMPLATE is the message, with {level}, {batch}, {round}, {run}, " +
      "{findings} and {count}. Not with --uncommitted."
  },
  protect: {
    flag: "--protect",
    metavar: "GLOB",
    kind: "line",
    many: true,
    between: "all",
    text: "Files that no agent may change, beside .ooda: a glob pattern of git. May be repeated."
  },
  patience: {
    flag: "--patience",
    metavar: "N",
    kind: "count",
    bounds: { least: 1, most: 10_000 },
    default: 6,
    text: "Stop after this many rounds in a row without progress.",
    between: "smaller"
  },
  maxRounds: {
    flag: "--max-rounds",
    metavar: "N",
    kind: "count",
    bounds: { least: 1, most: 10_000 },
    default: 20,
    text: "Stop a run after this many rounds.",
    between: "smaller",
    commands: inAll
  },
  maxTime: {
    flag: "--max-time",
    metavar: "DUR",
    kind: "duration",
    bounds: upToAYear,
    otherwise: "off",
    text: "Time limit for a run, over all calls.",
    between: "smaller",
    commands: inAll
  },
  maxTokens: {
    flag: "--max-tokens",
    metavar: "N",
    kind: "tokens",
    bounds: { least: 1, most: 1_000_000_000_000 },
    otherwise: "off",
    text: "Token limit for reviews and agents together, such as 500k or 2M.",
    between: "smaller",
    commands: inAll
  },
  agent: {
    flag: "--agent",
    metavar: "KIND",
    kind: "word",
    words: ["codex", "claude"],
    default: "codex",
    text: "Who addresses findings: codex or claude.",
    commands: inAll
  },
  agentCmd: {
    flag: "--agent-cmd",
    metavar: "CMD",
    kind: "line",
    text: "The program of that agent; without --agent, a line of the shell that is the agent.",
    commands: inAll,
    files: "own"
  },
  agentModel: {
    flag: "--agent-model",
    metavar: "MODEL",
    kind: "line",
    otherwise: "its own",
    text: "The agent's model.",
    commands: inAll
  },
  agentEffort: {
    flag: "--agent-effort",
    metavar: "EFFORT",
    kind: "line",
    default: "high",
    text: "How hard the agent thinks.",
    commands: inAll
  },
  agentTimeout: {
    flag: "--agent-timeout",
    metavar: "DUR",
    kind: "duration",
    bounds: upToAWeek,
    default: 60 * 60_000,
    text: "Time limit for one agent."
  },
  retroModel: {
    flag: "--retro-model",
    metavar: "MODEL",
    kind: "line",
    otherwise: "as --agent-model",
    text: "The model of the agent that looks over clean levels."
  },
  waitQuota: {
    flag: "--wait-quota",
    metavar: "DUR",
    kind: "duration",
    bounds: upToAYear,
    default: 0,
    otherwise: "no wait",
    text: "Wait this long for a quota at most.",
    between: "smaller"
  },
  contextTokens: {
    flag: "--context-tokens",
    metavar: "N",
    kind: "count",
    bounds: { least: 1000, most: 100_000_000 },
    text: "The context window of the agent's model, where the agent does not report it."
  },
  allow: {
    flag: "--allow",
    metavar: "WHAT",
    kind: "word",
    words: Consent.literals,
    many: true,
    text: `What you allow: ${Consent.literals.join(", ")}. May be repeated.`,
    commands: inAll,
    files: "own"
  }
} as const satisfies Record<string, Setting>

/** Which kind of agent works: codex, Claude Code, or any other program, whose line of the shell is `agentCmd`. */
export const AgentChoice = Schema.Literals([...convergeSettings.agent.words, "command"])
export type AgentChoice = typeof AgentChoice.Type

/** The settings of a converging run. Null means not given; `convergeSettings` says what each does. */
export const ConvergeSettings = Schema.Struct({
  /** What every step is given. It is strict. */
  step: StepSettings,
  ...fieldsOf(convergeSettings),
  agent: AgentChoice.pipe(Schema.withDecodingDefault(Exit.succeed(convergeSettings.agent.default)))
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

export const { decode, make } = readers(ConvergeSettings)
