// help: the help of a subcommand: fitted to the terminal, its flags under headings.
import { Option } from "effect"
import type { HelpDoc } from "effect/cli"
import { entry, helpWidth, wrap } from "./usage.ts"

/** The headings of the flags of the commands that drive a run, and what is under each. */
const headings: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["TARGET", ["init", "uncommitted", "base", "pr", "tasks", "then"]],
  ["TESTS", ["test", "no-test", "test-timeout", "fix-attempts", "undo-on-red"]],
  [
    "LADDER AND COST",
    [
      ...["level", "ceiling", "n", "jobs", "block", "retro", "rounds", "max-rounds", "max-batches", "max-time"],
      ...["max-tokens", "patience", "wait-quota", "retries", "review-timeout", "idle-timeout", "codex-bin"]
    ]
  ],
  ["AGENT", ["agent", "agent-cmd", "agent-model", "agent-effort", "agent-timeout", "retro-model", "context-tokens"]],
  [
    "SAFETY",
    [
      ...[
        "commit-fixes",
        "allow",
        "protect",
        "isolate",
        "link",
        "trust-from",
        "identity-timeout",
        "fresh",
        "again",
        "yes"
      ],
      ...["state-root", "trust-state-root"]
    ]
  ],
  ["OUTPUT", ["inspect", "json", "events", "notify"]]
]

const grouped: ReadonlySet<string> = new Set(["converge", "implement"])

type FlagDoc = HelpDoc.HelpDoc["flags"][number]

/** The value that a flag takes, as help names it; empty for a switch, for which only `=true` and `=false` may follow. */
export const metavarOf = ({ type }: Pick<FlagDoc, "type">): string =>
  /^(?:boolean|\[=boolean\])$/.test(type) ? "" : type

const spelled = (flag: FlagDoc): string => {
  const { aliases, name } = flag
  const value = metavarOf(flag)
  return [name.length === 1 ? `-${name}` : `--${name}`, ...aliases].join(", ") + (value === "" ? "" : ` ${value}`)
}

const rows = (flags: ReadonlyArray<FlagDoc>, width: number): ReadonlyArray<string> => {
  const from = Math.min(28, Math.max(...flags.map((flag) => spelled(flag).length)) + 4)
  return flags.flatMap((flag) => entry(spelled(flag), Option.getOrElse(flag.description, () => ""), width, from))
}

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", title, ...lines]

/** The flags under their headings; flags without a heading come last. */
const flagSections = (name: string, all: ReadonlyArray<FlagDoc>, width: number): ReadonlyArray<string> => {
  if (!grouped.has(name)) return all.length === 0 ? [] : section("FLAGS", rows(all, width))
  const under = headings.flatMap(([title, names]) => {
    const flags = names.flatMap((one) => all.filter((flag) => flag.name === one))
    return flags.length === 0 ? [] : section(title, rows(flags, width))
  })
  const others = all.filter((flag) => !headings.some(([, names]) => names.includes(flag.name)))
  return others.length === 0 ? under : [...under, ...section("OTHER FLAGS", rows(others, width))]
}

/** Lines of a paragraph are filled anew; an indented line belongs to a table and stays. */
const filled = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let open = false
  for (const line of text.split("\n")) {
    const prose = line !== "" && !line.startsWith(" ")
    if (prose && open) lines.push(`${lines.pop()} ${line}`)
    else lines.push(line)
    open = prose
  }
  return lines.flatMap((line) => {
    const [, head, words] = /^ {2}(\S.*?) {2,}(\S.*)$/.exec(line) ?? []
    return head !== undefined && words !== undefined ? entry(head, words, width, 22) : wrap(line, width)
  })
}

/** The help of a subcommand on a terminal of so many columns; null for another output. */
export const commandHelp = (doc: HelpDoc.HelpDoc, columns: number | null): string => {
  const width = helpWidth(columns)
  const { args = [], commandPath = [], examples = [], flags, globalFlags = [], subcommands = [] } = doc
  const [first = "", ...more] = doc.description.split("\n")
  const names = args.flatMap(({ description, name, variadic }) =>
    entry(variadic ? `${name}...` : name, Option.getOrElse(description, () => ""), width, 14)
  )
  const commands = subcommands.flatMap(({ commands }) =>
    commands.flatMap(({ description, name, shortDescription = description }) =>
      entry(name, shortDescription, width, 14)
    )
  )
  return [
    ...wrap(`${commandPath.join(" ")} ${first}`, width),
    ...filled(more.join("\n"), width),
    ...section("USAGE", [`  ${doc.usage}`]),
    ...section("ARGUMENTS", names),
    ...section("SUBCOMMANDS", commands),
    ...flagSections(commandPath[1] ?? "", flags, width),
    ...section("GLOBAL FLAGS", globalFlags.length === 0 ? [] : rows(globalFlags, width)),
    ...section(
      "EXAMPLES",
      examples.flatMap(({ command, description = "" }, i) => [
        ...(i === 0 ? [] : [""]),
        ...wrap(description, width - 4).map((line) => `  # ${line}`),
        `  ${command}`
      ])
    )
  ].join("\n")
}
