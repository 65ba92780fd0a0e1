// completions: shell completion scripts for the whole program, written by effect/cli, loaded only if requested.
import { Command, Completions, GlobalFlag } from "effect/cli"
import { planSettings } from "../drive/plan/Settings.ts"
import { levels } from "../run/Level.ts"
import { helpText, type Setting } from "../run/Setting.ts"
import { program } from "./command.ts"
import { command as attest } from "./commands/attest.ts"
import { auditSettings, command as audit } from "./commands/audit.ts"
import { actions as ofCi, ciSettings, command as ci } from "./commands/ci.ts"
import { command as config } from "./commands/config.ts"
import { command as converge } from "./commands/converge.ts"
import { command as dismiss, dismissSettings } from "./commands/dismiss.ts"
import { command as doctor } from "./commands/doctor.ts"
import { command as findings } from "./commands/findings.ts"
import { command as fleet, fleetSettings } from "./commands/fleet.ts"
import { command as hook, hookSettings } from "./commands/hook.ts"
import { command as implement } from "./commands/implement.ts"
import { command as init, initSettings } from "./commands/init.ts"
import { command as replay } from "./commands/replay.ts"
import { command as report } from "./commands/report.ts"
import { command as result, resultSettings } from "./commands/result.ts"
import { command as runs } from "./commands/runs.ts"
import { command as status } from "./commands/status.ts"
import { command as stop } from "./commands/stop.ts"
import { command as undo, undoSettings } from "./commands/undo.ts"
import { command as watch } from "./commands/watch.ts"
import { settingsFor } from "./convergeOptions.ts"
import { findFlag, flags, type Shell } from "./flags.ts"
import { logFileFlag, logLevelFlag } from "./options.ts"
import { outSetting } from "./outFile.ts"

const choice = (values: ReadonlyArray<string>): Completions.ArgumentType => ({ _tag: "Choice", values })

/** The kind of a flag's value, from its name. */
const types = {
  LVL: choice(levels),
  PRIO: choice(["P0", "P1", "P2", "P3"]),
  PATH: { _tag: "Path", pathType: "either" },
  DIR: { _tag: "Path", pathType: "directory" },
  FILE: { _tag: "Path", pathType: "file" }
} as const satisfies Record<string, Completions.ArgumentType>

const typeOf = ({ metavar, words }: Setting): Completions.ArgumentType | undefined =>
  words === undefined ? Object.entries(types).find(([name]) => name === metavar)?.[1] : choice(words)

/** The settings of subcommands, by the first word of each. */
export const settings: Readonly<Record<string, ReadonlyArray<Setting>>> = {
  attest: [outSetting],
  audit: Object.values(auditSettings),
  ci: [...Object.values(ciSettings), ...settingsFor("ci")],
  config: settingsFor("converge"),
  converge: settingsFor("converge"),
  fleet: Object.values(fleetSettings),
  dismiss: Object.values(dismissSettings),
  hook: Object.values(hookSettings),
  implement: [...Object.values(planSettings), ...settingsFor("implement")],
  init: Object.values(initSettings),
  report: [outSetting],
  result: Object.values(resultSettings),
  undo: Object.values(undoSettings)
}

/** What else is known of flags and arguments, by name, or by subcommand and name. */
const others: Readonly<Record<string, Completions.ArgumentType>> = {
  "ci ACTION": choice(ofCi),
  "config ACTION": choice(["show"]),
  "implement PLAN": types.FILE
}

// An empty choice, because after a value of any other type the generators offer subcommands.
const anything = choice([])

// The generators know no flag without a long name, so `-n` passes through them under a placeholder name.
const shortPrefix = "ooda-short-"

const ofStep = (setting: Setting): Completions.FlagDescriptor => ({
  name: setting.flag.startsWith("--") ? setting.flag.slice(2) : shortPrefix + setting.flag.slice(1),
  aliases: setting.alias === undefined ? [] : [setting.alias.slice(1)],
  description: helpText(setting, "step"),
  type: setting.metavar === undefined ? { _tag: "Boolean" } : typeOf(setting) ?? anything,
  negation: false
})

// Flags that a step and subcommands share, so that their values are completed alike.
const steps = new Map(flags.map(ofStep).map((flag) => [flag.name, flag]))

/** The flags that every subcommand takes, which effect/cli omits from its description of each. */
const global = { help: GlobalFlag.Help.flag, level: logLevelFlag.flag, file: logFileFlag.flag }
const everywhere = Completions.fromCommand(Command.make("help", global)).flags
  .map((flag): Completions.FlagDescriptor => ({ ...flag, negation: false }))

const longNamed = (flag: Completions.FlagDescriptor): Completions.FlagDescriptor =>
  flag.name.length > 1 ? flag : { ...flag, name: shortPrefix + flag.name }

/** The kinds of values of a subcommand's flags and arguments that effect/cli does not know. */
const valueOf = (subcommand: string, name: string): Completions.ArgumentType | undefined => {
  const flag = `--${name}`
  const setting = settings[subcommand]?.find((one) => one.flag === flag) ?? findFlag(flag)
  return (setting === undefined ? undefined : typeOf(setting)) ?? others[`${subcommand} ${name}`]
}

/** A subcommand with its values; `first` is the first word of a call. */
const withValues = (
  descriptor: Completions.CommandDescriptor,
  first: string = descriptor.name
): Completions.CommandDescriptor => ({
  ...descriptor,
  subcommands: descriptor.subcommands.map((one) => withValues(one, first)),
  arguments: descriptor.arguments.map((one) => ({ ...one, type: valueOf(first, one.name) ?? one.type })),
  flags: [...descriptor.flags, ...everywhere].map(longNamed).map((flag) =>
    flag.type._tag === "Boolean" ? flag : { ...flag, type: valueOf(first, flag.name) ?? flag.type }
  )
})

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
  init,
  replay,
  report,
  result,
  runs,
  status,
  stop,
  undo,
  watch
])

/**
 * For bash: after a flag no subcommand can follow, so a step has a script of its own. Bash itself splits `--flag=value`
 * at its `=`, and the scripts know no such value: they are asked for it as after `--flag`.
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
    local flag="\${COMP_WORDS[at]%%=*}" lead="" first=1
    if ((at == COMP_CWORD)); then lead="$flag=" last="\${last#*=}" word="\${word#*=}"; fi
    while ((first < at)) && [[ "\${COMP_WORDS[first]}" != -* ]]; do ((first++)); done
    local -a COMP_WORDS=("\${COMP_WORDS[@]:0:first}" "$flag" "$last")
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
  const descriptor = { ...root, flags, subcommands: subcommands.map((one) => withValues(one)) }
  const script = Completions.generate(root.name, shell, descriptor)
  // zsh marks a flag that may have its value after `=`.
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
