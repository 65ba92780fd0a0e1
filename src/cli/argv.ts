// argv: reads a step's words without effect/cli, and quotes them in messages.
// A message is one line of bounded length, in well-formed Unicode, for any input.
import { version } from "../platform/Version.ts"
import { oneLine, shortened } from "../text/Untrusted.ts"
import { findFlag } from "./flags.ts"
import { subcommandIn } from "./subcommands.ts"
import { usageOn } from "./usage.ts"

const most = 80

/** The text on one line and shortened: for something that looks like a flag. */
export const named = (text: string): string => oneLine(shortened(text, most))

/** The same in quotes: for a value or an operand. */
export const quote = (text: string): string => `"${named(text)}"`

/** A flag with this name, as it is spelt. */
export const flagName = (name: string): string => name.length === 1 ? `-${name}` : `--${name}`

/** The message about a wrong value of an option. */
export const badValue = (option: string, text: string, reason: string): string => `${option} ${quote(text)}: ${reason}`

// The given flags, or words with a mistake, rewritten so that effect/cli can name it

export interface Normalised {
  /** The value of each given flag, the empty text for a switch; null if there is a mistake. */
  readonly given: ReadonlyMap<string, string> | null
  /** Words for effect/cli: `--flag`, `--flag=value`, and last the word that stopped the rewriting, if one did. */
  readonly words: ReadonlyArray<string>
  /** Whether `--help` or `-h` is given anywhere as an option. */
  readonly help: boolean
  /** The word, as given, that is no flag of ours, if it stopped the rewriting. */
  readonly unknown: string | null
  /** A problem that effect/cli cannot see. */
  readonly problem: string | null
}

interface Word {
  readonly option: string
  readonly inline: string | null
}

// `-n4` and `-n=4` are `-n 4`. No other letter takes a value and letters are not clustered: `-fresh` is a mistake
// for `--fresh`, and reading it as `-f -r -e -s -h` would print help and exit 0, which an orchestrator takes for done.
const split = (word: string): Word => {
  if (!word.startsWith("--")) {
    const short = findFlag(word.slice(0, 2))
    return short === undefined || short.metavar === undefined || word.length === 2
      ? { option: word, inline: null }
      : { option: short.flag, inline: word.slice(word[2] === "=" ? 3 : 2) }
  }
  const equals = word.indexOf("=")
  return equals < 0
    ? { option: word, inline: null }
    : { option: word.slice(0, equals), inline: word.slice(equals + 1) }
}

// effect/cli compares an unknown name with every flag, in time that grows with the product of their lengths.
const longestName = 64

// The word that effect/cli may suggest a similar flag for, or the whole problem if it cannot.
const unknownFlag = (option: string): { readonly word: string | null; readonly problem: string | null } => {
  const name = option.replace(/^-+/, "")
  const problem = `unknown flag ${named(option)}`
  const meant = findFlag(flagName(name))
  if (/^-[vV]$/.test(option)) return { word: null, problem: `${problem} (did you mean --version?)` }
  if (meant !== undefined) return { word: null, problem: `${problem} (did you mean ${meant.flag}?)` }
  // Every single letter is at most two changes away from `--pr`, so a suggestion would be noise.
  return name.length < 2 || name.length > longestName || name.includes("=")
    ? { word: null, problem }
    : { word: `--${name}`, problem: null }
}

/**
 * Rewrites argv: a value is joined to its flag, so that effect/cli sees one word for each flag. Rewriting stops at the
 * first malformed word; the words after it are only searched for `--help`. Total, linear in the length of argv.
 */
export const normalise = (argv: ReadonlyArray<string>): Normalised => {
  const words: Array<string> = []
  const given = new Map<string, string>()
  let mistaken = false
  let stopped: { readonly unknown: string | null; readonly problem: string | null } | null = null
  let help = false
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? ""
    const operand = word === "--" ? argv[i + 1] : word.startsWith("-") && word !== "-" ? undefined : word
    if (operand !== undefined && stopped === null) {
      words.push("--", operand)
      stopped = { unknown: null, problem: null }
    }
    if (word === "--") break
    if (operand !== undefined) continue

    const { inline, option } = split(word)
    const flag = findFlag(option)
    mistaken ||= flag === undefined || given.has(flag.flag)
    if (flag === undefined) {
      const asked = unknownFlag(option)
      if (stopped === null && asked.word !== null) words.push(asked.word)
      stopped ??= { unknown: option, problem: asked.problem }
    } else if (flag.metavar !== undefined) {
      const value = inline ?? argv[++i]
      if (stopped === null) words.push(value === undefined ? flag.flag : `${flag.flag}=${value}`)
      mistaken ||= value === undefined
      given.set(flag.flag, value ?? "")
    } else if (inline !== null) {
      stopped ??= { unknown: null, problem: `${flag.flag} takes no value` }
    } else {
      help ||= flag.flag === "--help"
      given.set(flag.flag, "")
      if (stopped === null) words.push(flag.flag)
    }
  }
  const { problem = null, unknown = null } = stopped ?? {}
  return { given: mistaken || stopped !== null ? null : given, words, help, unknown, problem }
}

// Help and version need no parser. Nothing here loads Effect, so they cost little more than starting node.

type Shortcut =
  | { readonly _tag: "Help"; readonly text: string }
  | { readonly _tag: "Version"; readonly text: string }

/** The text for stdout (without a final newline) if argv asks for help or for the version, else null. */
export const shortcut = (argv: ReadonlyArray<string>, columns: number | null = null): Shortcut | null => {
  // A subcommand prints its own help.
  if (subcommandIn(argv) !== null) return null
  if (argv.length === 1 && argv[0] === "--version") return { _tag: "Version", text: version }
  return normalise(argv).help ? { _tag: "Help", text: usageOn(columns) } : null
}

/** Whether words ask for JSON, even if something else in them is wrong. */
export const asksJson = (argv: ReadonlyArray<string>): boolean => {
  const end = argv.indexOf("--")
  return (end < 0 ? argv : argv.slice(0, end)).includes("--json")
}
