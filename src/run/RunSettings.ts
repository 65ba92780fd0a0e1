// RunSettings: the settings of a run as its manifest has them, for whoever asks about the run without its command line.
import type { Priority } from "./Dismissal.ts"
import type { Level } from "./Level.ts"
import type { RunState } from "./Manifest.ts"
import type { Setting, SettingsCommand } from "./Setting.ts"
import type { Settings } from "./Settings.ts"
import { stepSettings } from "./StepSettings.ts"
import type { Target } from "./Target.ts"

// Each call's own settings: they decide how a run is driven, not what it shows.
type OfCall =
  | "codexBin"
  | "expectHead"
  | "identityTimeout"
  | "idleTimeout"
  | "isolate"
  | "jobs"
  | "link"
  | "maxBatches"
  | "maxIter"
  | "retries"
  | "reviewTimeout"
  | "stateRoot"
  | "stepTimeout"
  | "strictTarget"
  | "trustStateRoot"

/** Every other setting: a new one does not compile until `settingsOf` answers it. */
export type RunSettings =
  & Pick<Settings, "target">
  & {
    readonly [K in Exclude<keyof typeof stepSettings, OfCall>]: Settings[K] | undefined
  }

/** The settings of a run. Its log has a ceiling and a lowest priority that blocks only once they have counted. */
export const settingsOf = (
  { batch_size, fixed_point, start_level, strict, target, trust_from }: RunState,
  ceiling: Level | null = fixed_point?.ceiling ?? null
): RunSettings => ({
  target,
  floor: start_level,
  ceiling: ceiling ?? undefined,
  batchSize: batch_size,
  strict: strict !== undefined,
  block: Object.values(strict?.last ?? {}).reduce<Priority | undefined>((least, one) => {
    const block = one?.waiver?.block
    return block === undefined || (least !== undefined && least < block) ? least : block
  }, undefined),
  trustFrom: trust_from
})

const targetWords = (target: Target): ReadonlyArray<string> => {
  switch (target._tag) {
    case "Uncommitted":
      return ["--uncommitted"]
    case "Base":
      return ["--base", target.branch]
    case "Commit":
      return ["--commit", target.sha]
    case "PullRequest":
      return ["--pr", String(target.number)]
  }
}

/** The flags with which a command gets these settings. */
export const settingWords = (
  { target, ...settings }: Pick<Settings, "target"> & Partial<RunSettings>,
  command: SettingsCommand
): ReadonlyArray<string> => {
  const values: Readonly<Record<string, unknown>> = settings
  const given = Object.entries<Setting>(stepSettings).flatMap(
    ([name, { commands = [], default: usual, flag, kind }]) => {
      const value = values[name]
      if (value === undefined || value === null || value === usual || !commands.includes(command)) return []
      return kind === "switch" ? [flag] : [flag, `${kind === "priority" ? "P" : ""}${value}`]
    }
  )
  return [...targetWords(target), ...given]
}
