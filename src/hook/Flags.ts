// Flags: the command line of a hook. Nothing of Effect is loaded with it.
import { helpText, readDuration, type Setting } from "../run/Setting.ts"
import { stepSettings } from "../run/StepSettings.ts"
import { jsonText } from "../text/Json.ts"
import { nearest } from "../text/Phrases.ts"
import { defaultGate, type Gate, gates } from "./Table.ts"

/** The flags of `hook`. Times in milliseconds. */
export interface HookFlags {
  readonly gate: Gate
  /** How long the whole process may take. */
  readonly deadline: number
  /** Whether it runs in the background: nothing is for the user, so a PASS prints nothing. */
  readonly quiet: boolean
  readonly model: string | null
  readonly fastModel: string | null
  readonly codexBin: string
  readonly stateRoot: string | null
  readonly log: string | null
}

/** The subcommands of `hook`. Any other call of it answers an event. */
export const hookSubcommands = ["install", "uninstall", "status", "dismiss"] as const

export const eventSettings = {
  gate: {
    flag: "--gate",
    metavar: "GATE",
    kind: "word",
    words: gates,
    default: defaultGate,
    text: `What a Stop is held to: ${gates.join(", ")}.`
  },
  deadline: {
    flag: "--deadline",
    metavar: "DUR",
    kind: "duration",
    bounds: { least: 1000, most: 600_000 },
    default: 90_000,
    text: "Time limit for the hook."
  },
  model: {
    flag: "--model",
    metavar: "MODEL",
    kind: "line",
    otherwise: "codex's own",
    text: "The model of every review."
  },
  fastModel: {
    flag: "--fast-model",
    metavar: "MODEL",
    kind: "line",
    otherwise: "as --model",
    text: "The model of summaries and of diagnoses."
  },
  codexBin: stepSettings.codexBin,
  stateRoot: { ...stepSettings.stateRoot, text: "Where sessions are kept." },
  log: { flag: "--log", metavar: "PATH", kind: "path", text: "Write the hook's own log to PATH." },
  quiet: {
    flag: "--quiet",
    kind: "switch",
    default: false,
    text: "Speak to Claude alone, and not after a PASS: for hooks in the background."
  }
} as const satisfies Record<string, Setting>
type EventSetting = typeof eventSettings[keyof typeof eventSettings]

/** The flags when none is given. */
export const defaultFlags: HookFlags = {
  gate: defaultGate,
  deadline: eventSettings.deadline.default,
  quiet: false,
  model: null,
  fastModel: null,
  codexBin: eventSettings.codexBin.default,
  stateRoot: null,
  log: null
}

const bySpelling: ReadonlyMap<string, EventSetting> = new Map(
  Object.values(eventSettings).map((setting) => [setting.flag, setting])
)

/** Whether a word is a flag with a value. */
export const takesValue = (word: string): boolean => (bySpelling.get(word)?.kind ?? "switch") !== "switch"

const orNull = (text: string): string | null => text.trim() === "" ? null : text

const withSetting = (flags: HookFlags, { flag }: EventSetting, text: string): HookFlags | string => {
  switch (flag) {
    case "--gate": {
      const gate = gates.find((one) => one === text)
      return gate === undefined ? `expected one of ${gates.join(", ")}` : { ...flags, gate }
    }
    case "--deadline": {
      const deadline = readDuration(text, eventSettings.deadline.bounds)
      return typeof deadline === "string" ? deadline : { ...flags, deadline }
    }
    case "--model":
      return { ...flags, model: orNull(text) }
    case "--fast-model":
      return { ...flags, fastModel: orNull(text) }
    case "--codex-bin":
      return text === "" ? "expected a program" : { ...flags, codexBin: text }
    case "--state-root":
      return text === "" ? "expected a directory" : { ...flags, stateRoot: text }
    case "--log":
      return text === "" ? "expected a file" : { ...flags, log: text }
    case "--quiet":
      return { ...flags, quiet: true }
  }
}

const unknownOption = (name: string): string => {
  const meant = name.length > 32 ? null : nearest(name, [...bySpelling.keys()])
  return `unknown option ${jsonText(name)}${meant === null ? "" : ` (did you mean ${meant}?)`}`
}

/** Reads the flags, or returns one line that says what is wrong with them. */
export const readFlags = (args: ReadonlyArray<string>): HookFlags | string => {
  let flags = defaultFlags
  for (let at = 0; at < args.length; at++) {
    const [name = "", inline] = (args[at] ?? "").split(/=(.*)/s)
    const setting = bySpelling.get(name)
    if (setting === undefined) return unknownOption(name)
    if (setting.kind === "switch" && inline !== undefined) return `${name} takes no value`
    const value = setting.kind === "switch" ? "" : inline ?? args[++at]
    if (value === undefined) return `${name} needs a value: ${helpText(setting)}`
    const next = withSetting(flags, setting, value)
    if (typeof next === "string") return `${name} ${jsonText(value)}: ${next}`
    flags = next
  }
  return flags
}

const off: ReadonlyArray<string> = ["0", "false", "off", "no"]

/** Whether this value of `CODEX_REFLECTOR_ENABLED` turns the hooks off. */
export const saysOff = (value: string): boolean => off.includes(value.trim().toLowerCase())

/** Whether the environment turns every hook off: a person did, or an agent of this program runs the hook. */
export const isOff = (env: Readonly<Record<string, string | undefined>>): boolean =>
  saysOff(env["CODEX_REFLECTOR_ENABLED"] ?? "") || (env["OODA_IN_AGENT"] ?? "") !== ""
