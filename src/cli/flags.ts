// flags: the one table of command-line flags; parser, help and completions are all made from it.
// It imports nothing, so that help costs nothing.

/** The headings of the help text, in their order. */
export const groups = ["Mode", "Ladder", "Loop", "Marks", "Primitives", "State", "Reviewers", "Output"] as const
export type Group = typeof groups[number]

/** A flag as spelt, what its value is called (null for a switch) and what it does. */
export interface FlagSpec {
  readonly option: `-${string}`
  readonly alias?: `-${string}`
  readonly metavar: string | null
  readonly group: Group
  readonly text: string
}

/** Every flag, in the order of the help text. */
export const flags = [
  { option: "--uncommitted", metavar: null, group: "Mode", text: "Review working-tree changes against HEAD." },
  { option: "--base", metavar: "BRANCH", group: "Mode", text: "Review the current branch against BRANCH." },
  { option: "--commit", metavar: "SHA", group: "Mode", text: "Review one commit, named by its 40 hexadecimal digits." },
  {
    option: "--pr",
    metavar: "NUM",
    group: "Mode",
    text: "Review this branch against the base of pull request NUM (asks gh; checks nothing out)."
  },
  {
    option: "--level",
    metavar: "LVL",
    group: "Ladder",
    text: "Floor: low, medium, high or xhigh. Part of the resume key: repeat it on every call. Default low."
  },
  {
    option: "--ceiling",
    metavar: "LVL",
    group: "Ladder",
    text: "Highest level: reviews that are all clean there end the climb. Not below --level. Default xhigh."
  },
  { option: "-n", metavar: "N", group: "Loop", text: "Reviews in parallel, at most 256. Default 3." },
  {
    option: "--max-iter",
    metavar: "N",
    group: "Loop",
    text: "Most iterations of one call. Default 50, not counting waits for reviewers."
  },
  { option: "--fresh", metavar: null, group: "Loop", text: "Start a new run instead of resuming the latest." },
  { option: "--inspect", metavar: null, group: "Loop", text: "Observe and decide once; act on and create nothing." },
  {
    option: "--strict-target",
    metavar: null,
    group: "Loop",
    text: "Fail (6) on a base or commit that does not resolve and on a target with nothing to review."
  },
  {
    option: "--strict",
    metavar: null,
    group: "Loop",
    text: "Prove the fixed point: every level clean on the present code, each mark answering a hand-off. " +
      "Includes --strict-target; repeat it on every call."
  },
  {
    option: "--isolate",
    metavar: null,
    group: "Loop",
    text: "Review a private copy of the code as it is when a batch starts, so that edits meanwhile disturb no reviewer."
  },
  {
    option: "--link",
    metavar: "PATTERN",
    group: "Loop",
    text: "Ignored files to link into that copy, such as node_modules; several patterns are separated by commas."
  },
  {
    option: "--identity-timeout",
    metavar: "DUR",
    group: "Loop",
    text: "Longest time to find out what there is to review. Default 60s."
  },
  {
    option: "--block",
    metavar: "PRIO",
    group: "Loop",
    text: "Lowest priority that blocks, P0 to P3. Default P3. Needs --strict; repeat it on every call, marks too."
  },
  { option: "--trust-from", metavar: "REF", group: "Loop", text: "Take dismissals from REF alone; give it each call." },
  {
    option: "--step-timeout",
    metavar: "DUR",
    group: "Loop",
    text: "End a call that only waits with Idle (7) after DUR, such as 8m. Default off."
  },
  { option: "--max-batches", metavar: "N", group: "Loop", text: "Most batches of one run. Default off." },
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
  {
    option: "--state-root",
    metavar: "PATH",
    group: "State",
    text: "Where runs are kept. Default $OODA_STATE_ROOT, else ooda-codex-review in $TMPDIR or /tmp."
  },
  { option: "--store", metavar: "URL", group: "State", text: "A fleet's store in PostgreSQL. Default $OODA_STORE." },
  {
    option: "--trust-state-root",
    metavar: null,
    group: "State",
    text: "Use the state root even if other users own or can write to one of its directories."
  },
  {
    option: "--expect-head",
    metavar: "SEQ:HASH",
    group: "State",
    text: "Fail (6) unless the run's log ends in this commit; --json prints it."
  },
  { option: "--codex-bin", metavar: "PATH", group: "Reviewers", text: "The codex program. Default codex, from PATH." },
  {
    option: "--jobs",
    metavar: "N",
    group: "Reviewers",
    text: "Most reviewers that run at once, at most 256. Default: all of -n."
  },
  {
    option: "--retries",
    metavar: "N",
    group: "Reviewers",
    text: "Retries of a reviewer after a transient failure, at most 100. Default 2; 0 is none."
  },
  { option: "--review-timeout", metavar: "DUR", group: "Reviewers", text: "Longest time of one review. Default 60m." },
  {
    option: "--idle-timeout",
    metavar: "DUR",
    group: "Reviewers",
    text: "Longest time without progress of a review. Default 20m."
  },
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

/** A flag as spelt in the table. */
export type Option = typeof flags[number]["option"]

/** The flag that an option as spelt (alias included, value excluded) names, if any. */
export const findFlag = (option: string): FlagSpec | undefined => bySpelling.get(option)

const bySpelling: ReadonlyMap<string, FlagSpec> = new Map(
  flags.flatMap((flag: FlagSpec) =>
    [flag.option, ...(flag.alias === undefined ? [] : [flag.alias])].map((spelling) => [spelling, flag] as const)
  )
)
