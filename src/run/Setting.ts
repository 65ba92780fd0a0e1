// Setting: the definition of a setting. Flags, their help, completions, keys of configuration files, the output of
// `config show`, the tables of the docs and the schemas of programs are all made from it, so that a limit or a default
// is written once. Nothing here loads Effect, because help is printed without it.
import type { Level } from "./Level.ts"
import type { Priority } from "./Dismissal.ts"

/** The least and the most that a number may be. */
export interface Bounds {
  readonly least: number
  readonly most: number
}

/** The values of each kind. Durations are in milliseconds; a line is not blank; a text is checked by its command. */
export interface Values {
  readonly switch: boolean
  readonly level: Level
  readonly priority: Priority
  readonly count: number
  readonly duration: number
  readonly tokens: number
  readonly path: string
  readonly patterns: ReadonlyArray<string>
  readonly revision: string
  readonly head: { readonly seq: number; readonly hash: string }
  readonly word: string
  readonly line: string
  readonly text: string
}
export type Kind = keyof Values

/** The headings of the help of a step, in their order. */
export const groups = ["Mode", "Ladder", "Loop", "Marks", "Primitives", "State", "Reviewers", "Output"] as const
export type Group = typeof groups[number]

/** A command that takes its settings from the table; `config` shows those of `converge`. */
export type SettingsCommand = "step" | "converge" | "implement" | "ci"

export interface Setting<K extends Kind = Kind> {
  readonly flag: `-${string}`
  readonly alias?: `-${string}`
  /** The name of the value; a switch has none. */
  readonly metavar?: string
  readonly kind: K
  readonly bounds?: Bounds
  readonly words?: ReadonlyArray<string>
  readonly default?: Values[K]
  /** What happens without the setting, in words, if no value says it. */
  readonly otherwise?: string
  /** The text that means the same as leaving it out. */
  readonly implied?: string
  /** The value of the flag without a value, if that is allowed. */
  readonly bare?: Values[K]
  /** Whether it may be repeated. */
  readonly many?: boolean
  /** What it does: sentences without its limits and its default. */
  readonly text: string
  /** Sentences that apply only to a step. */
  readonly inStep?: string
  /** Its heading in the help of a step. */
  readonly group?: Group
  readonly commands?: ReadonlyArray<SettingsCommand>
  /** Which configuration files may set it: any, only a person's own, or none, because it belongs to one call. */
  readonly files?: "any" | "own" | "none"
  /** What counts if a person's file and a repository's both set it: the smaller or greater number, or all. */
  readonly between?: "smaller" | "greater" | "all"
}

const hour = 3_600_000
const week = 168 * hour

/** The bounds of a duration that nothing else limits: a week is well inside what a timer can hold. */
export const upToAWeek: Bounds = { least: 1, most: week }

/** The bounds of a duration that limits a whole run. */
export const upToAYear: Bounds = { least: 0, most: 52 * week }

/** A duration in milliseconds as people write it: 60s, 20m. */
export const durationText = (millis: number): string =>
  millis % 60_000 === 0 && millis > 60_000 ? `${millis / 60_000}m` : `${millis / 1000}s`

/** The units of durations in milliseconds. */
export const units = { h: hour, m: 60_000, s: 1000 } as const

/**
 * A duration in milliseconds, within its bounds: `1h`, `8m`, `90s`, `500ms` or a sum such as `1h30m`; more than 0. For
 * another text, what is expected.
 */
export const readDuration = (text: string, { least, most }: Bounds): number | string => {
  const parts = /^(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/.exec(text)
  if (parts === null) return "expected a duration with its unit, such as 90s, 8m or 1h30m"
  const [h = 0, m = 0, s = 0, ms = 0] = parts.slice(1).map((part) => Number(part ?? 0))
  const total = h * units.h + m * units.m + s * units.s + ms
  if (total === 0) return "expected a duration longer than 0, such as 90s, 8m or 1h30m"
  if (total >= least && total <= most) return total
  return least > 1
    ? `expected a duration from ${durationText(least)} to ${durationText(most)}`
    : `expected a duration of at most ${most / units.h}h`
}

/** The default of a setting as the text of its flag, or null if no value is the default. */
export const defaultText = (setting: Setting): string | null => {
  const { default: value, implied, kind, otherwise } = setting
  if (implied !== undefined) return implied
  if (otherwise !== undefined || typeof value === "object" || typeof value === "boolean") return null
  return value === undefined ? null : kind === "duration" ? durationText(Number(value)) : String(value)
}

// A duration is printed with its limits if it has a least value; the most alone is too long to matter.
const boundsText = ({ least, most }: Bounds, kind: Kind): ReadonlyArray<string> => {
  if (kind === "count") return [`${least} to ${most}`]
  return kind === "duration" && least > 1 ? [`${durationText(least)} to ${durationText(most)}`] : []
}

/** Its bounds and its default, in words. */
const factsOf = (setting: Setting): ReadonlyArray<string> => {
  const { bounds, kind, otherwise } = setting
  const fallback = defaultText(setting) ?? otherwise
  return [
    ...(bounds === undefined ? [] : boundsText(bounds, kind)),
    ...(fallback === undefined ? [] : [`default ${fallback}`])
  ]
}

/** The help of a setting in a command: its text with its limits and its default. */
export const helpText = (setting: Setting, command: SettingsCommand = "converge"): string => {
  const facts = factsOf(setting)
  const text = facts.length === 0 ? setting.text : setting.text.replace(/\.?$/, ` (${facts.join(", ")}).`)
  return command === "step" && setting.inStep !== undefined ? `${text} ${setting.inStep}` : text
}
