// completions: shell completion scripts, written by effect/cli from the flag table.
// Loaded only when asked for: the generators are a large part of effect/cli.
import { Completions } from "effect/cli"
import { levels } from "../core/run/Level.ts"
import { type FlagSpec, flags } from "./flags.ts"
import { subcommands } from "./subcommands.ts"

const generators = { bash: "bash", zsh: "zsh", fish: "fish" } as const satisfies Record<string, Completions.Shell>

/** The shells there are completions for, as prose. */
export const shells = "bash, zsh or fish"

const choice = (values: ReadonlyArray<string>): Completions.FlagType => ({ _tag: "Choice", values })

const types: Readonly<Record<string, Completions.FlagType>> = {
  LVL: choice(levels),
  SHELL: choice(Object.keys(generators)),
  PATH: { _tag: "Path", pathType: "either" },
  N: { _tag: "Int" },
  NUM: { _tag: "Int" }
}

// The generators know no flag without a long name, so `-n` passes through them under a name that nothing else has.
const shortPrefix = "ooda-short-"

const descriptor = (flag: FlagSpec): Completions.FlagDescriptor => ({
  name: flag.option.startsWith("--") ? flag.option.slice(2) : shortPrefix + flag.option.slice(1),
  aliases: flag.alias === undefined ? [] : [flag.alias.slice(1)],
  description: flag.text,
  type: flag.metavar === null ? { _tag: "Boolean" } : types[flag.metavar] ?? { _tag: "String" },
  negation: false
})

const isShell = (text: string): text is keyof typeof generators => Object.hasOwn(generators, text)

/** The completion script for a shell, or null when there is none for it. `--criteria`, never valid, is not offered. */
export const completions = (shell: string): string | null =>
  isShell(shell)
    ? Completions.generate("ooda-codex-review", generators[shell], {
      name: "ooda-codex-review",
      description: "Drive codex review to a fixed point",
      flags: flags.filter((flag) => flag.option !== "--criteria").map(descriptor),
      arguments: [],
      subcommands: [...subcommands].map(([name, description]) => ({
        name,
        description,
        flags: [],
        arguments: [],
        subcommands: []
      }))
    }).replaceAll(`--${shortPrefix}`, "-").replaceAll(`-l ${shortPrefix}`, "-s ")
      .replaceAll(`__fish_contains_opt ${shortPrefix}`, "__fish_contains_opt -s ").trimEnd()
    : null
