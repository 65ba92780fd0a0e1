// flags: the command-line flags of a step; parser, help and completions are all made from this table.
// It loads nothing of Effect, so that help costs nothing.
import { groups, type Setting } from "../run/Setting.ts"
import { stepSettings } from "../run/StepSettings.ts"

/** The levels of the log. */
export const logLevelNames = ["trace", "debug", "info", "warn", "error", "none"] as const

export const shells = ["bash", "zsh", "fish"] as const
export type Shell = typeof shells[number]

/** The action of a call, and its output. */
export const callSettings = {
  uncommitted: {
    flag: "--uncommitted",
    kind: "switch",
    text: "Review working-tree changes against HEAD.",
    group: "Mode"
  },
  base: {
    flag: "--base",
    metavar: "BRANCH",
    kind: "text",
    text: "Review the current branch against BRANCH.",
    group: "Mode"
  },
  commit: {
    flag: "--commit",
    metavar: "SHA",
    kind: "text",
    text: "Review one commit, named by its whole id or, with --strict, as git names it, such as HEAD.",
    group: "Mode"
  },
  pr: {
    flag: "--pr",
    metavar: "NUM",
    kind: "text",
    text: "Review this branch against the base of pull request NUM (asks gh; checks nothing out).",
    group: "Mode"
  },
  fresh: {
    flag: "--fresh",
    kind: "switch",
    text: "Start a new run instead of resuming the latest.",
    group: "Loop"
  },
  inspect: {
    flag: "--inspect",
    kind: "switch",
    text: "Observe and decide once; act on and create nothing.",
    group: "Loop"
  },
  criteria: {
    flag: "--criteria",
    metavar: "STRING",
    kind: "text",
    text: "Reserved; always a UsageError, since codex review takes no prompt beside a target.",
    group: "Loop"
  },
  retroClean: {
    flag: "--mark-retro-clean",
    kind: "switch",
    text: "The retrospective found no architectural changes: advance, or end at the ceiling.",
    group: "Marks"
  },
  retroChanges: {
    flag: "--mark-retro-changes",
    metavar: "REASON",
    kind: "text",
    text: "The retrospective's changes are implemented: restart from the floor.",
    group: "Marks"
  },
  addressPassed: {
    flag: "--mark-address-passed",
    kind: "switch",
    text: "The batch is addressed and the project's tests pass: drop one rung.",
    group: "Marks"
  },
  addressFailed: {
    flag: "--mark-address-failed",
    metavar: "DETAILS",
    kind: "text",
    text: "The tests fail after addressing: hand over to a human.",
    group: "Marks"
  },
  batch: {
    flag: "--batch",
    metavar: "BATCH",
    kind: "text",
    text: "LEVEL/N@RUN: the batch that a mark answers, as its hand-off names it. Only with --strict, required there.",
    group: "Marks"
  },
  advanceLevel: {
    flag: "--advance-level",
    kind: "switch",
    text: "One rung up, towards xhigh.",
    group: "Primitives"
  },
  dropLevel: {
    flag: "--drop-level",
    kind: "switch",
    text: "One rung down, not below the floor.",
    group: "Primitives"
  },
  restartFromFloor: {
    flag: "--restart-from-floor",
    kind: "switch",
    text: "Back to the floor.",
    group: "Primitives"
  },
  store: {
    flag: "--store",
    metavar: "URL",
    kind: "text",
    otherwise: "$OODA_STORE",
    text: "A fleet's store in PostgreSQL.",
    group: "State"
  },
  json: {
    flag: "--json",
    kind: "switch",
    text: "One JSON document on standard output.",
    group: "Output"
  },
  logLevel: {
    flag: "--log-level",
    metavar: "LEVEL",
    kind: "word",
    words: logLevelNames,
    text: "Log to stderr: trace, debug, info, warn, error or none.",
    group: "Output"
  },
  logFile: {
    flag: "--log-file",
    metavar: "PATH",
    kind: "path",
    text: "Append the log to PATH; alone, from debug on.",
    group: "Output"
  },
  help: {
    flag: "--help",
    alias: "-h",
    kind: "switch",
    text: "Print this text and exit 0.",
    group: "Output"
  },
  version: {
    flag: "--version",
    kind: "switch",
    text: "Print the version and exit 0. Takes no other options.",
    group: "Output"
  },
  completions: {
    flag: "--completions",
    metavar: "SHELL",
    kind: "word",
    words: shells,
    text: "Print completions for bash, zsh or fish and exit 0. Takes no other options.",
    group: "Output"
  }
} as const satisfies Record<string, Setting>

/** What several subcommands take beside the settings of a step, or in another sense than a step. */
export const sharedSettings = {
  yes: { flag: "--yes", kind: "switch", text: "Go on without asking at the terminal." },
  everyRun: { flag: "--all", kind: "switch", text: "Every run under the state root." },
  jsonLines: { ...callSettings.json, text: "JSON documents on standard output, one a line." },
  // A target selects its latest run.
  uncommitted: { ...callSettings.uncommitted, text: "The latest run of the working tree." },
  base: { ...callSettings.base, text: "The latest run against BRANCH." },
  commit: { ...callSettings.commit, text: "The latest run of one commit." },
  pr: { ...callSettings.pr, text: "The latest run of pull request NUM." }
} as const satisfies Record<string, Setting>

const all: ReadonlyArray<Setting> = [...Object.values(stepSettings), ...Object.values(callSettings)]

/** In the order of the usage block; suggestions for misspelt flags follow it too. */
export const flags: ReadonlyArray<Setting> = groups.flatMap((group) => all.filter((flag) => flag.group === group))

type Table = typeof callSettings & typeof stepSettings
export type Option = Table[keyof Table]["flag"]

/** The flag for an option as spelt (alias included, value excluded), if any. */
export const findFlag = (option: string): Setting | undefined => bySpelling.get(option)

const bySpelling: ReadonlyMap<string, Setting> = new Map(
  flags.flatMap((setting) =>
    [setting.flag, ...(setting.alias === undefined ? [] : [setting.alias])].map((spelling) =>
      [spelling, setting] as const
    )
  )
)
