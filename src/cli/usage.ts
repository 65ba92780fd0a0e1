// usage: the usage block that `--help` prints, and the brief one after the header of a UsageError.
import { type Group, groups, helpText, type Setting, upToAWeek } from "../run/Setting.ts"
import { flags } from "./flags.ts"
import { subcommandGroups, subcommands } from "./subcommands.ts"

const defaultWidth = 92
const column = 33

/** The lines of a text, broken between words. */
export const wrap = (text: string, columns: number): ReadonlyArray<string> => {
  const rows: Array<string> = []
  let row = ""
  for (const word of text.split(" ")) {
    if (row !== "" && row.length + 1 + word.length > columns) {
      rows.push(row)
      row = word
    } else {
      row = row === "" ? word : `${row} ${word}`
    }
  }
  return [...rows, row]
}

/** The width of help on a terminal of so many columns: lines wider than a page are hard to read. */
export const helpWidth = (columns: number | null): number =>
  columns === null ? defaultWidth : Math.min(100, Math.max(50, columns))

/** A name and its text in a column of its own, or below the name if the terminal is narrow. */
export const entry = (head: string, text: string, width: number, from = column): ReadonlyArray<string> => {
  if (width - from < 30 || head.length + 4 > from) {
    const at = width - from < 30 ? 6 : from
    return [`  ${head}`, ...wrap(text, width - at).map((row) => " ".repeat(at) + row)]
  }
  const [first = "", ...rest] = wrap(text, width - from)
  return [`  ${head}`.padEnd(from) + first, ...rest.map((row) => " ".repeat(from) + row)]
}

const spelling = ({ alias, flag, metavar }: Setting): string =>
  (alias === undefined ? "" : `${alias}, `) + flag + (metavar === undefined ? "" : ` ${metavar}`)

/** The text after the header of a step's UsageError: the flags by name only. */
export const briefHelp = (): string =>
  [
    "Usage: ooda-codex-review MODE [FLAG ...]",
    ...groups.flatMap((group) =>
      entry(group, flags.filter((flag) => flag.group === group).map(spelling).join(", "), defaultWidth, 13)
    ),
    "",
    "`ooda-codex-review --help` says what they do, and lists the subcommands."
  ].join("\n")

const notes: Readonly<Record<Group, string>> = {
  Mode: "exactly one",
  Ladder: "low < medium < high < xhigh",
  Loop: "ignored with a mark or a primitive, except --strict, --fresh, --inspect and --criteria",
  Marks: "report what was done; at most one mark or primitive a call",
  Primitives: "for recovery and tests; the marks are the canonical way",
  State: "the log of each run, kept between calls",
  Reviewers: `the codex processes; DUR is 90s, 8m, 1h30m or 500ms, at most ${upToAWeek.most / 3_600_000}h`,
  Output: "stdout carries nothing else in loop mode"
}

const exits: ReadonlyArray<readonly [string, string]> = [
  ["0 DoneFixedPoint", "clean up to the ceiling: finished (also --help, whose stderr is empty)"],
  ["1 StuckRepeated", "the same action twice without effect: stop, look at stderr"],
  ["2 StuckCapReached", "--max-iter or --max-batches reached: stop, look at stderr"],
  ["3 HandoffHuman", "a human has to look at the prompt on stderr"],
  ["4 WouldAdvance", "--inspect only: the loop would go on"],
  ["5 HandoffAgent", "an agent has to act on the prompt on stderr (AddressBatch, Retrospective)"],
  ["6 BinaryError", "something outside failed: stop, look at stderr; on `mark refused` alone, call the step"],
  ["7 Idle", "call again"],
  ["8 DoneAborted", "ended by a signal or by stop: call again to go on"],
  ["64 UsageError", "this command line is wrong; nothing was written"]
]

const environment: ReadonlyArray<readonly [string, string]> = [
  ["OODA_STATE_ROOT", "used when --state-root is not given"],
  ["OODA_STORE", "the URL of a fleet's store in PostgreSQL, used when neither --store nor --state-root is given"],
  ["OODA_AWAIT_SECS", "seconds between two looks at running reviews; default 30, fractions and 0 allowed"],
  ["OODA_LOG_LEVEL", "used when --log-level is not given"],
  ["OODA_LOG_FILE", "used when --log-file is not given"],
  ["XDG_STATE_HOME", "where runs are kept that no state root is named for; default ~/.local/state"],
  ["TMPDIR", "where a step without --strict keeps its runs then"]
]

const summaries = (title: string, names: ReadonlyArray<string>, width: number): ReadonlyArray<string> => [
  "",
  ...wrap(`${title}:`, width),
  ...names.flatMap((name) => entry(name, subcommands.get(name) ?? "", width, 14))
]

/** The help of the program on a terminal of so many columns, without a newline at its end. */
export const usageOn = (columns: number | null): string => {
  const width = helpWidth(columns)
  const [people, ...others] = subcommandGroups
  return [
    ...wrap(
      "ooda-codex-review drives `codex review` to a fixed point: the state in which independent reviews of your " +
        "change, at every reasoning level, have nothing left to say.",
      width
    ),
    "",
    "Usage: ooda-codex-review COMMAND [FLAG ...]",
    "       ooda-codex-review MODE [FLAG ...]",
    ...summaries(people.title, people.names, width),
    "",
    ...wrap("`ooda-codex-review COMMAND --help` has the flags and examples of a command.", width),
    "",
    ...wrap(
      "Without a command a call is one step: it runs or resumes a batch of reviews until somebody else has to act, " +
        "then says on stderr what happened and exits with its code. These are its flags.",
      width
    ),
    ...groups.flatMap((group) => [
      "",
      ...wrap(`${group} (${notes[group]}):`, width),
      ...flags.filter((flag) => flag.group === group)
        .flatMap((flag) => entry(spelling(flag), helpText(flag, "step"), width))
    ]),
    "",
    "Exit codes of a step:",
    ...exits.flatMap(([code, text]) => entry(code, text, width)),
    ...others.flatMap(({ names, title }) => summaries(title, names, width)),
    "",
    "Environment:",
    ...environment.flatMap(([name, text]) => entry(name, text, width)),
    "",
    "Examples:",
    '  ooda-codex-review converge --uncommitted --test "npm test"',
    "  ooda-codex-review --uncommitted --strict",
    "  ooda-codex-review --base main --strict --level medium -n 5",
    "",
    ...wrap(
      "The recipe that calls the step until it is finished is in docs/by-hand.md. A value may look like anything, also " +
        "like a flag: --flag VALUE and --flag=VALUE are the same.",
      width
    )
  ].join("\n")
}
