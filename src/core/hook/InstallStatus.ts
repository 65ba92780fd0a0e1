// InstallStatus: what is installed for Claude Code and where, judged: does it run, does it run once, can it review.
import { type Check, fine, note, shellWord, wrong } from "../doctor/Check.ts"
import { defaultGate } from "./HookTable.ts"
import type { Told } from "./Settings.ts"

/** The settings files of Claude Code, the farthest first: a nearer one wins. */
export const scopes = ["user", "project", "local"] as const
export type Scope = typeof scopes[number]

/** A settings file and what it tells, or why it cannot be read. */
export interface SettingsTold {
  readonly scope: Scope
  readonly path: string
  readonly told: Told | { readonly problem: string }
}

/** What is looked at. */
export interface InstallFacts {
  readonly settings: ReadonlyArray<SettingsTold>
  /** Where the program of the hooks is, or null where PATH has none. */
  readonly program: string | null
  readonly codex: { readonly path: string } | { readonly problem: string }
  /** Whether a variable turns the program off. */
  readonly isOff: boolean
}

const handlersOf = ({ told }: SettingsTold): number => "problem" in told ? 0 : told.handlers

const ofSettings = (one: SettingsTold): Check => {
  const { path, scope, told } = one
  if ("problem" in told) return wrong(scope, told.problem, `correct ${shellWord(path)}`)
  if (told.handlers === 0) return note(scope, `no hooks of ours (${path})`, null)
  return fine(scope, `${told.handlers} hooks, gate ${told.gates.join(", ") || defaultGate} (${path})`)
}

/** The plugins that are on when all settings are taken together. */
const pluginsOf = (settings: ReadonlyArray<SettingsTold>): ReadonlyArray<string> => {
  const all = new Map(settings.flatMap(({ told }) => "problem" in told ? [] : told.plugins))
  return [...all].filter(([, isOn]) => isOn).map(([name]) => name)
}

const twice = (settings: ReadonlyArray<SettingsTold>, plugins: ReadonlyArray<string>): ReadonlyArray<Check> => {
  const holding = settings.filter((one) => handlersOf(one) > 0)
  const [first] = holding
  if (first === undefined) return []
  const remove = ({ scope }: SettingsTold) => `ooda-codex-review hook uninstall --scope ${scope}`
  const gates = new Set(holding.flatMap(({ told }) => "problem" in told ? [] : told.gates))
  if (plugins.length > 0) {
    const where = holding.map(({ scope }) => scope).join(" and ")
    return [wrong("twice", `the plugin and ${where} settings both run their hooks`, holding.map(remove).join("; "))]
  }
  const [, second] = holding
  if (second === undefined || gates.size < 2) return []
  return [wrong("twice", `settings name several gates, and all of them run: ${[...gates].join(", ")}`, remove(second))]
}

const off = ({ isOff, settings }: InstallFacts): ReadonlyArray<Check> => [
  ...settings.filter(({ told }) => !("problem" in told) && told.isOff)
    .map(({ path }) => note("off", `${path} turns all hooks off`, `take disableAllHooks out of ${shellWord(path)}`)),
  ...(isOff ? [note("off", "CODEX_REFLECTOR_ENABLED turns reviews off", "unset CODEX_REFLECTOR_ENABLED")] : [])
]

const ofProgram = ({ program }: InstallFacts, isInstalled: boolean): Check => {
  if (program !== null) return fine("program", program)
  const found = "ooda-codex-review is not on PATH, so the hooks do nothing"
  const fix = "npm install -g ooda-codex-review, or npm link in its checkout"
  return isInstalled ? wrong("program", found, fix) : note("program", found, fix)
}

const ofCodex = ({ codex }: InstallFacts, isInstalled: boolean): Check => {
  if ("path" in codex) return fine("codex", codex.path)
  const fix = "npm install -g @openai/codex; then ooda-codex-review doctor"
  return isInstalled ? wrong("codex", codex.problem, fix) : note("codex", codex.problem, fix)
}

/** One check for each place, then what keeps the hooks from their work. */
export const installChecks = (facts: InstallFacts): ReadonlyArray<Check> => {
  const plugins = pluginsOf(facts.settings)
  const isInstalled = plugins.length > 0 || facts.settings.some((one) => handlersOf(one) > 0)
  return [
    ...facts.settings.map(ofSettings),
    plugins.length > 0 ? fine("plugin", plugins.join(", ")) : note("plugin", "not enabled", null),
    ...twice(facts.settings, plugins),
    ...off(facts),
    ...(isInstalled ? [] : [note("hooks", "nothing is installed", "ooda-codex-review hook install")]),
    ofProgram(facts, isInstalled),
    ofCodex(facts, isInstalled)
  ]
}
