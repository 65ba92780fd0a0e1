// Flags: the command line of a hook. Nothing of Effect is loaded with it.
import { jsonText } from "../text/Json.ts"
import { nearest } from "../text/Phrases.ts"
import { defaultGate, type Gate, gates } from "./Table.ts"

/** The flags of `hook`. Times in milliseconds. */
export interface HookFlags {
  readonly gate: Gate
  /** How long the whole process may take. */
  readonly deadline: number
  /** Whether it runs in the background: nothing is for the user, so that a PASS prints nothing. */
  readonly quiet: boolean
  readonly model: string | null
  readonly fastModel: string | null
  readonly codexBin: string
  readonly stateRoot: string | null
  readonly log: string | null
}

/** The flags where none is given. */
export const defaultFlags: HookFlags = {
  gate: defaultGate,
  deadline: 90_000,
  quiet: false,
  model: null,
  fastModel: null,
  codexBin: "codex",
  stateRoot: null,
  log: null
}

const longest = 600

/** The options that take a value, and what they say. */
export const options = {
  "--gate": `what a Stop is held to: ${gates.join(", ")}; default ${defaultGate}`,
  "--deadline": `how long the hook may take, such as 90s, at most ${longest}s; default 90s`,
  "--model": "the model of every review; default: codex's own",
  "--fast-model": "the model of summaries and of diagnoses",
  "--codex-bin": "the codex binary; default codex",
  "--state-root": "where sessions are kept, as for a step",
  "--log": "a file that the hook writes its own log to"
} as const
type Option = keyof typeof options

const isOption = (name: string): name is Option => name in options

const orNull = (text: string): string | null => text.trim() === "" ? null : text

/** The flags with one option set, or what is wrong with its value. */
const withOption = (flags: HookFlags, option: Option, text: string): HookFlags | string => {
  switch (option) {
    case "--gate": {
      const gate = gates.find((one) => one === text)
      return gate === undefined ? `expected one of ${gates.join(", ")}` : { ...flags, gate }
    }
    case "--deadline": {
      const seconds = Number(/^(\d{1,3})s$/.exec(text)?.[1] ?? 0)
      return seconds < 1 || seconds > longest
        ? `expected seconds from 1s to ${longest}s`
        : { ...flags, deadline: seconds * 1000 }
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
  }
}

const names = [...Object.keys(options), "--quiet"]

const unknownOption = (name: string): string => {
  const meant = name.length > 32 ? null : nearest(name, names)
  return `unknown option ${jsonText(name)}${meant === null ? "" : ` (did you mean ${meant}?)`}`
}

/** Reads the flags, or says in one line what is wrong with them. */
export const readFlags = (args: ReadonlyArray<string>): HookFlags | string => {
  let flags = defaultFlags
  for (let at = 0; at < args.length; at++) {
    const [name = "", inline] = (args[at] ?? "").split(/=(.*)/s)
    if (name === "--quiet" && inline === undefined) {
      flags = { ...flags, quiet: true }
      continue
    }
    if (!isOption(name)) return unknownOption(name)
    const value = inline ?? args[++at]
    if (value === undefined) return `${name} needs a value: ${options[name]}`
    const next = withOption(flags, name, value)
    if (typeof next === "string") return `${name} ${jsonText(value)}: ${next}`
    flags = next
  }
  return flags
}

const off: ReadonlyArray<string> = ["0", "false", "off", "no"]

/** Whether this value of `CODEX_REFLECTOR_ENABLED` turns the hooks off. */
export const saysOff = (value: string): boolean => off.includes(value.trim().toLowerCase())

/** Whether the environment turns every hook off: a person does, or an agent that this program has started runs it. */
export const isOff = (env: Readonly<Record<string, string | undefined>>): boolean =>
  saysOff(env["CODEX_REFLECTOR_ENABLED"] ?? "") || (env["OODA_IN_AGENT"] ?? "") !== ""
