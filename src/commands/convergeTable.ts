// convergeTable: the table of the flags of `converge`: those that a step has too, and its own.
// Help takes the text of a step's flag from the step's table, so that both say the same.
import { findFlag, type FlagSpec, type Option } from "../cli/flags.ts"
import { Consent } from "../core/agent/TaskEvent.ts"

/** A flag: `metavar` is null for a switch, `many` where it may be repeated, `bare` where its value may be left out. */
export interface ConvergeFlag extends Omit<FlagSpec, "group" | "alias"> {
  readonly many?: boolean
  readonly bare?: string
}

/** The flags of a step that say the same to `converge`. */
const shared = [
  "--uncommitted",
  "--base",
  "--pr",
  "--level",
  "--ceiling",
  "-n",
  "--max-batches",
  "--isolate",
  "--link",
  "--identity-timeout",
  "--trust-from",
  "--retries",
  "--review-timeout",
  "--idle-timeout",
  "--jobs",
  "--codex-bin",
  "--state-root",
  "--fresh",
  "--json"
] as const satisfies ReadonlyArray<Option>

/** Its own flags, and those of a step of which it says more or less. */
const own = [
  { option: "--block", metavar: "PRIO", text: "Lowest priority that blocks, P0 to P3. Default P3." },
  {
    option: "--test",
    metavar: "CMD",
    many: true,
    text: "A line of the shell that tests the project, in the worktree's root. May be repeated. This or --no-test."
  },
  { option: "--no-test", metavar: null, text: "Work without tests: nothing but reviews judges what agents change." },
  { option: "--test-timeout", metavar: "DUR", text: "Longest time of one such line. Default 30m." },
  {
    option: "--fix-attempts",
    metavar: "N",
    text: "How often an agent is asked to mend red tests in one round, at most 20. Default 2."
  },
  { option: "--undo-on-red", metavar: null, text: "Put the worktree back when the tests of a round stay red." },
  {
    option: "--retro",
    metavar: "WHO",
    text: "Who looks over a clean level: agent, or never for nobody. Default agent."
  },
  {
    option: "--commit-fixes",
    metavar: "TEMPLATE",
    bare: "",
    text: "Commit each green round; --commit-fixes=TEMPLATE says how, with {level}, {batch}, {round}, {run}, " +
      "{findings} and {count}. Not with --uncommitted."
  },
  {
    option: "--protect",
    metavar: "GLOB",
    many: true,
    text: "Files that no agent may change, beside .ooda. May be repeated."
  },
  { option: "--patience", metavar: "N", text: "Most rounds in a row without progress. Default 6." },
  { option: "--max-rounds", metavar: "N", text: "Most rounds of one run. Default 20." },
  { option: "--max-time", metavar: "DUR", text: "Longest time that one run is driven, over all calls. Default off." },
  {
    option: "--max-tokens",
    metavar: "N",
    text: "Most tokens of reviews and agents together, such as 500k or 2M. Default off."
  },
  { option: "--agent", metavar: "KIND", text: "Who addresses findings: codex or claude. Default codex." },
  {
    option: "--agent-cmd",
    metavar: "CMD",
    text: "The program of that agent; without --agent, a line of the shell that is the agent."
  },
  { option: "--agent-model", metavar: "MODEL", text: "The agent's model. Default: its own." },
  { option: "--agent-effort", metavar: "EFFORT", text: "How hard the agent thinks. Default high." },
  { option: "--agent-timeout", metavar: "DUR", text: "Longest time of one agent. Default 60m." },
  {
    option: "--retro-model",
    metavar: "MODEL",
    text: "The model of the agent that looks over clean levels. Default: as --agent-model."
  },
  { option: "--wait-quota", metavar: "DUR", text: "Longest wait for a quota. Default: none." },
  {
    option: "--context-tokens",
    metavar: "N",
    text: "The context window of the agent's model, where the agent does not tell it."
  },
  {
    option: "--allow",
    metavar: "WHAT",
    many: true,
    text: `What a person allows: ${Consent.literals.join(", ")}. May be repeated.`
  },
  {
    option: "--notify",
    metavar: "CMD",
    text: "A line of the shell that gets the final document on standard input."
  },
  { option: "--inspect", metavar: null, text: "Say what the next call would do first; act on and create nothing." },
  { option: "--events", metavar: null, text: "Each committed event as a line of JSON, as it happens." }
] as const satisfies ReadonlyArray<ConvergeFlag>

const stepFlag = (option: Option): ConvergeFlag => {
  const { metavar = null, text = "" } = findFlag(option) ?? {}
  return { option, metavar, text }
}

/** A flag of `converge` that the table names. */
export type ConvergeOption = typeof shared[number] | typeof own[number]["option"]

/** Every flag but `--commit`, which is refused, and `--trust-state-root`, which every command reads alike. */
export const convergeTable: ReadonlyArray<ConvergeFlag> = [...shared.map(stepFlag), ...own]
