// completions: shell completion scripts for the whole program, written by effect/cli, loaded only when asked for.
import { Command, Completions, GlobalFlag } from "effect/cli"
import { Consent } from "../agent/Event.ts"
import { FailOn } from "../ci/Review.ts"
import { convergeSettings } from "../drive/converge/Settings.ts"
import { planSettings } from "../drive/plan/Settings.ts"
import { levels } from "../run/Level.ts"
import { program } from "./command.ts"
import { command as attest } from "./commands/attest.ts"
import { command as audit } from "./commands/audit.ts"
import { actions as ofCi, command as ci } from "./commands/ci.ts"
import { command as config } from "./commands/config.ts"
import { command as converge } from "./commands/converge.ts"
import { command as dismiss } from "./commands/dismiss.ts"
import { command as doctor } from "./commands/doctor.ts"
import { command as findings } from "./commands/findings.ts"
import { actions as ofFleet, command as fleet } from "./commands/fleet.ts"
import { command as hook, hookSettings } from "./commands/hook.ts"
import { command as implement } from "./commands/implement.ts"
import { command as replay } from "./commands/replay.ts"
import { command as report } from "./commands/report.ts"
import { command as result } from "./commands/result.ts"
import { command as runs } from "./commands/runs.ts"
import { command as stop } from "./commands/stop.ts"
import { command as undo } from "./commands/undo.ts"
import { command as watch } from "./commands/watch.ts"
import { flags, type FlagSpec } from "./flags.ts"
import { logLevels } from "./logOptions.ts"
import { logFileFlag, logLevelFlag } from "./options.ts"
import { type Shell, shells } from "./parse.ts"

/** The words that a value can be: of a flag wherever it is, or of one flag or argument of a subcommand. */
export const choices: Readonly<Record<string, ReadonlyArray<string>>> = {
  agent: convergeSettings.agent.words,
  allow: Consent.literals,
  retro: convergeSettings.retro.words,
  "ci ACTION": ofCi,
  "fail-on": FailOn.literals,
  "fork-tests": ["never", "always"],
  mode: ["review", "converge"],
  "config ACTION": ["show"],
  "fleet ACTION": ofFleet,
  "fleet retro": ["park", "clean"],
  "install gate": hookSettings.gate.words,
  "install plans": hookSettings.plans.words,
  "install scope": hookSettings.scope.words,
  "uninstall scope": hookSettings.scope.words,
  then: planSettings.then.words
}

/** Flags and arguments of subcommands that are files or directories, by their names. */
const places: Readonly<Record<string, Completions.ArgumentType>> = {
  attestation: { _tag: "Path", pathType: "file" },
  out: { _tag: "Path", pathType: "file" },
  "out-dir": { _tag: "Path", pathType: "directory" },
  plan: { _tag: "Path", pathType: "file" },
  work: { _tag: "Path", pathType: "directory" }
}

const choice = (values: ReadonlyArray<string>): Completions.FlagType => ({ _tag: "Choice", values })

/** What the value of a flag can be, by what it is called. */
const types: Readonly<Record<string, Completions.FlagType>> = {
  LVL: choice(levels),
  LEVEL: choice(Object.keys(logLevels)),
  PRIO: choice(["P0", "P1", "P2", "P3"]),
  SHELL: choice(shells),
  PATH: { _tag: "Path", pathType: "either" }
}

// A choice of nothing, because behind a value of any other type the generators offer subcommands.
const anything = choice([])

// The generators know no flag without a long name, so `-n` passes through them under a name that nothing else has.
const shortPrefix = "ooda-short-"

const ofStep = (flag: FlagSpec): Completions.FlagDescriptor => ({
  name: flag.option.startsWith("--") ? flag.option.slice(2) : shortPrefix + flag.option.slice(1),
  aliases: flag.alias === undefined ? [] : [flag.alias.slice(1)],
  description: flag.text,
  type: flag.metavar === null ? { _tag: "Boolean" } : types[flag.metavar] ?? anything,
  negation: false
})

// Flags that are alike in a step and in subcommands, so that their values are completed alike.
const steps = new Map(flags.map(ofStep).map((flag) => [flag.name, flag]))

/** The flags that every subcommand takes, which effect/cli leaves out of what it says of each. */
const global = { help: GlobalFlag.Help.flag, level: logLevelFlag.flag, file: logFileFlag.flag }
const everywhere = Completions.fromCommand(Command.make("help", global)).flags
  .map((flag): Completions.FlagDescriptor => ({ ...flag, negation: false }))

const longNamed = (flag: Completions.FlagDescriptor): Completions.FlagDescriptor =>
  flag.name.length > 1 ? flag : { ...flag, name: shortPrefix + flag.name }

/** What is known of the value of a flag or an argument of a subcommand beside what effect/cli knows. */
const valueOf = (subcommand: string, name: string): Completions.ArgumentType | undefined => {
  const words = choices[`${subcommand} ${name}`] ?? choices[name]
  if (words !== undefined) return { _tag: "Choice", values: words }
  const type = steps.get(name)?.type
  const isSame = type?._tag === "Path" || (type?._tag === "Choice" && type.values.length > 0)
  return places[name] ?? (isSame ? type : undefined)
}

const ofSubcommand = (descriptor: Completions.CommandDescriptor): Completions.CommandDescriptor => ({
  ...descriptor,
  subcommands: descriptor.subcommands.map(ofSubcommand),
  arguments: descriptor.arguments.map((one) => ({ ...one, type: valueOf(descriptor.name, one.name) ?? one.type })),
  flags: [...descriptor.flags, ...everywhere].map(longNamed).map((flag) =>
    flag.type._tag === "Boolean" ? flag : { ...flag, type: valueOf(descriptor.name, flag.name) ?? flag.type }
  )
})

/** The program with all its subcommands. */
export const whole = program([
  attest,
  audit,
  ci,
  config,
  converge,
  implement,
  dismiss,
  doctor,
  findings,
  fleet,
  hook,
  replay,
  report,
  result,
  runs,
  stop,
  undo,
  watch
])

/**
 * For bash: behind a flag no subcommand can follow, so a step has a script of its own. Bash itself takes `--flag=value`
 * apart at its `=`, and the scripts know no such value: they are asked for it as behind `--flag`.
 */
const inBash = `
_ooda_codex_review_line()
{
  local last="\${COMP_WORDS[COMP_CWORD]}" word="$2" at=0
  if ((COMP_CWORD > 1)) && [[ "$last" == "=" ]]; then
    at=$((COMP_CWORD - 1)) last=""
  elif ((COMP_CWORD > 2)) && [[ "\${COMP_WORDS[COMP_CWORD-1]}" == "=" ]]; then
    at=$((COMP_CWORD - 2))
  elif [[ "$last" == --*=* ]]; then
    at=$COMP_CWORD
  fi
  if ((at > 0)) && [[ "\${COMP_WORDS[at]}" == --* ]]; then
    local flag="\${COMP_WORDS[at]%%=*}" first="" lead=""
    if ((at == COMP_CWORD)); then lead="$flag=" last="\${last#*=}" word="\${word#*=}"; fi
    if ((at > 1)) && [[ "\${COMP_WORDS[1]}" != -* ]]; then first="\${COMP_WORDS[1]}"; fi
    local -a COMP_WORDS=("\${COMP_WORDS[0]}" \${first:+"$first"} "$flag" "$last")
    local COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)) COMP_LINE="\${COMP_WORDS[*]}"
    local COMP_POINT=\${#COMP_LINE}
    _ooda_codex_review_choose "$1" "$word"
    COMPREPLY=("\${COMPREPLY[@]/#/$lead}")
    return
  fi
  _ooda_codex_review_choose "$1" "$word"
}

_ooda_codex_review_choose()
{
  if ((COMP_CWORD > 1)) && [[ "\${COMP_WORDS[1]}" == -* ]]; then
    _ooda_codex_review_step "$@"
  else
    _ooda_codex_review "$@"
  fi
}

complete -F _ooda_codex_review_line ooda-codex-review`

/** The completion script for a shell. `--criteria`, never valid, is not offered. */
export const completions = (shell: Shell): string => {
  const { subcommands, ...root } = Completions.fromCommand(whole)
  const flags = [...steps.values()].filter(({ name }) => name !== "criteria")
  const descriptor = { ...root, flags, subcommands: subcommands.map(ofSubcommand) }
  const script = Completions.generate(root.name, shell, descriptor)
  // To zsh, a flag that may have its value behind `=` is spelt with one.
  if (shell === "zsh") return spelt(script.replace(/^( +'\(--[\w-]+\)--[\w-]+)(\[.*\]:)/gm, "$1=$2"))
  if (shell === "fish") return spelt(script)
  const step = Completions.generate(stepName, shell, { ...root, name: stepName, flags, subcommands: [] })
    .replaceAll(`complete -F _ooda_codex_review_step ${stepName}`, "")
  return spelt(`${script}\n${step}${inBash}`)
}

const stepName = `${whole.name}-step`

const spelt = (script: string): string =>
  script
    .replaceAll(`--${shortPrefix}`, "-").replaceAll(`-l ${shortPrefix}`, "-s ")
    .replaceAll(`__fish_contains_opt ${shortPrefix}`, "__fish_contains_opt -s ").trimEnd()
