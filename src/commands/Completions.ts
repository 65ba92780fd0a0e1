// Completions: shell completion scripts for the whole program, written by effect/cli.
// Loaded only when asked for: they name the flags of every subcommand.
import { Command, Completions, GlobalFlag } from "effect/cli"
import { type FlagSpec, flags } from "../cli/flags.ts"
import { logLevels } from "../cli/logOptions.ts"
import { type Shell, shells } from "../cli/parse.ts"
import { levels } from "../core/run/Level.ts"
import { command as audit } from "./audit.ts"
import { program } from "./Command.ts"
import { command as dismiss } from "./dismiss.ts"
import { command as doctor } from "./doctor.ts"
import { logFileFlag, logLevelFlag } from "./flags.ts"
import { command as findings } from "./findings.ts"
import { command as replay } from "./replay.ts"
import { command as result } from "./result.ts"
import { command as runs } from "./runs.ts"
import { command as stop } from "./stop.ts"
import { command as undo } from "./undo.ts"
import { command as watch } from "./watch.ts"

const choice = (values: ReadonlyArray<string>): Completions.FlagType => ({ _tag: "Choice", values })

/** What the value of a flag can be, by what it is called. */
const types: Readonly<Record<string, Completions.FlagType>> = {
  LVL: choice(levels),
  LEVEL: choice(Object.keys(logLevels)),
  SHELL: choice(shells),
  PATH: { _tag: "Path", pathType: "either" },
  N: { _tag: "Int" },
  NUM: { _tag: "Int" }
}

// The generators know no flag without a long name, so `-n` passes through them under a name that nothing else has.
const shortPrefix = "ooda-short-"

const ofStep = (flag: FlagSpec): Completions.FlagDescriptor => ({
  name: flag.option.startsWith("--") ? flag.option.slice(2) : shortPrefix + flag.option.slice(1),
  aliases: flag.alias === undefined ? [] : [flag.alias.slice(1)],
  description: flag.text,
  type: flag.metavar === null ? { _tag: "Boolean" } : types[flag.metavar] ?? { _tag: "String" },
  negation: false
})

// Flags that are alike in a step and in subcommands, so that their values are completed alike.
const steps = new Map(flags.map(ofStep).map((flag) => [flag.name, flag]))

/** The flags that every subcommand takes, which effect/cli leaves out of what it says of each. */
const global = { help: GlobalFlag.Help.flag, level: logLevelFlag.flag, file: logFileFlag.flag }
const everywhere = Completions.fromCommand(Command.make("help", global)).flags
  .map((flag): Completions.FlagDescriptor => ({ ...flag, negation: false }))

const ofSubcommand = (descriptor: Completions.CommandDescriptor): Completions.CommandDescriptor => ({
  ...descriptor,
  flags: [...descriptor.flags, ...everywhere].map((flag) => {
    const type = steps.get(flag.name)?.type
    return type !== undefined && (type._tag === "Path" || flag.name === "log-level") ? { ...flag, type } : flag
  })
})

/** The program with all its subcommands. */
export const whole = program([audit, dismiss, doctor, findings, replay, result, runs, stop, undo, watch])

/** The completion script for a shell. `--criteria`, never valid, is not offered. */
export const completions = (shell: Shell): string => {
  const { subcommands, ...root } = Completions.fromCommand(whole)
  const descriptor = {
    ...root,
    flags: [...steps.values()].filter(({ name }) => name !== "criteria"),
    subcommands: subcommands.map(ofSubcommand)
  }
  return Completions.generate(root.name, shell, descriptor)
    .replaceAll(`--${shortPrefix}`, "-").replaceAll(`-l ${shortPrefix}`, "-s ")
    .replaceAll(`__fish_contains_opt ${shortPrefix}`, "__fish_contains_opt -s ").trimEnd()
}
