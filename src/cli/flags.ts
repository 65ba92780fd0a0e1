// flags: the command-line flags of a step; parser, help and completions are all made from this table.
// It loads nothing of Effect, so that help costs nothing.
import { type Group, groups, helpText, type Setting } from "../run/Setting.ts"
import { stepSettings } from "../run/StepSettings.ts"

/** A flag as spelt, what its value is called (null for a switch) and what it does. */
export interface FlagSpec {
  readonly option: `-${string}`
  readonly alias?: `-${string}`
  readonly metavar: string | null
  readonly group: Group
  readonly text: string
}

// The flags that are no settings: what a call does, and how its answer looks.
const own = [
  { option: "--uncommitted", metavar: null, group: "Mode", text: "Review working-tree changes against HEAD." },
  { option: "--base", metavar: "BRANCH", group: "Mode", text: "Review the current branch against BRANCH." },
  { option: "--commit", metavar: "SHA", group: "Mode", text: "Review one commit, named by its 40 hexadecimal digits." },
  {
    option: "--pr",
    metavar: "NUM",
    group: "Mode",
    text: "Review this branch against the base of pull request NUM (asks gh; checks nothing out)."
  },
  { option: "--fresh", metavar: null, group: "Loop", text: "Start a new run instead of resuming the latest." },
  { option: "--inspect", metavar: null, group: "Loop", text: "Observe and decide once; act on and create nothing." },
  {
    option: "--criteria",
    metavar: "STRING",
    group: "Loop",
    text: "Reserved; always a UsageError, since codex review takes no prompt beside a target."
  },
  {
    option: "--mark-retro-clean",
    metavar: null,
    group: "Marks",
    text: "The retrospective found no architectural changes: advance, or end at the ceiling."
  },
  {
    option: "--mark-retro-changes",
    metavar: "REASON",
    group: "Marks",
    text: "The retrospective's changes are implemented: restart from the floor."
  },
  {
    option: "--mark-address-passed",
    metavar: null,
    group: "Marks",
    text: "The batch is addressed and the project's tests pass: drop one rung."
  },
  {
    option: "--mark-address-failed",
    metavar: "DETAILS",
    group: "Marks",
    text: "The tests fail after addressing: hand over to a human."
  },
  {
    option: "--batch",
    metavar: "BATCH",
    group: "Marks",
    text: "LEVEL/N@RUN: the batch that a mark answers, as its hand-off names it. Only with --strict, required there."
  },
  { option: "--advance-level", metavar: null, group: "Primitives", text: "One rung up, towards xhigh." },
  { option: "--drop-level", metavar: null, group: "Primitives", text: "One rung down, not below the floor." },
  { option: "--restart-from-floor", metavar: null, group: "Primitives", text: "Back to the floor." },
  { option: "--store", metavar: "URL", group: "State", text: "A fleet's store in PostgreSQL. Default $OODA_STORE." },
  { option: "--json", metavar: null, group: "Output", text: "One JSON document on standard output." },
  {
    option: "--log-level",
    metavar: "LEVEL",
    group: "Output",
    text: "Log to stderr: trace, debug, info, warn, error or none."
  },
  { option: "--log-file", metavar: "PATH", group: "Output", text: "Append the log to PATH; alone, from debug on." },
  { option: "--help", alias: "-h", metavar: null, group: "Output", text: "Print this text and exit 0." },
  { option: "--version", metavar: null, group: "Output", text: "Print the version and exit 0. Stands alone." },
  {
    option: "--completions",
    metavar: "SHELL",
    group: "Output",
    text: "Print completions for bash, zsh or fish and exit 0. Stands alone."
  }
] as const satisfies ReadonlyArray<FlagSpec>

const ofSetting = (setting: Setting): FlagSpec => {
  const { flag, group = "Loop", metavar } = setting
  return { option: flag, metavar, group, text: helpText(setting, "step") }
}

const all: ReadonlyArray<FlagSpec> = [...Object.values(stepSettings).map(ofSetting), ...own]

/** In the order of the usage block, in which misspelt flags are compared with them too. */
export const flags: ReadonlyArray<FlagSpec> = groups.flatMap((group) => all.filter((flag) => flag.group === group))

export type Option = typeof own[number]["option"] | typeof stepSettings[keyof typeof stepSettings]["flag"]

/** The flag that an option as spelt (alias included, value excluded) names, if any. */
export const findFlag = (option: string): FlagSpec | undefined => bySpelling.get(option)

const bySpelling: ReadonlyMap<string, FlagSpec> = new Map(
  flags.flatMap((flag) =>
    [flag.option, ...(flag.alias === undefined ? [] : [flag.alias])].map((spelling) => [spelling, flag] as const)
  )
)
