// normalise: rewrites argv so that every word of it stands alone, before effect/cli reads it.
// The one rule: what follows a value flag is its value, whatever it looks like (P2), and a value is never an option (P1).
import { findFlag } from "./flags.ts"
import { named } from "./quoted.ts"

/** A rewritten argv. */
export interface Normalised {
  /** Words for effect/cli: `--flag`, `--flag=value`, and last the word that stopped the rewriting, if one did. */
  readonly words: ReadonlyArray<string>
  /** Whether `--help` or `-h` stands anywhere as an option. */
  readonly help: boolean
  /** The word, as given, that is no flag of ours, if rewriting stopped there. */
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
    return short === undefined || short.metavar === null || word.length === 2
      ? { option: word, inline: null }
      : { option: short.option, inline: word.slice(word[2] === "=" ? 3 : 2) }
  }
  const equals = word.indexOf("=")
  return equals < 0
    ? { option: word, inline: null }
    : { option: word.slice(0, equals), inline: word.slice(equals + 1) }
}

// effect/cli compares an unknown name with every flag, at a cost of the product of their lengths.
const longestName = 64

/** What effect/cli is asked about a word that is no flag, for its suggestion; or the message where it cannot help. */
const unknownFlag = (option: string): { readonly word: string } | { readonly message: string } => {
  const name = option.replace(/^-+/, "")
  const meant = findFlag(name.length === 1 ? `-${name}` : `--${name}`)
  if (meant !== undefined) return { message: `unknown flag ${named(option)} (did you mean ${meant.option}?)` }
  return name === "" || name.length > longestName || name.includes("=")
    ? { message: `unknown flag ${named(option)}` }
    : { word: `--${name}` }
}

/**
 * Rewrites argv: a value is joined to its flag, so that effect/cli sees one word a flag. Rewriting stops at the first
 * word that is wrong by its shape; the rest is only searched for `--help`. Total, linear in the length of argv.
 */
export const normalise = (argv: ReadonlyArray<string>): Normalised => {
  const words: Array<string> = []
  let help = false
  let unknown: string | null = null
  let problem: string | null = null
  let stopped = false
  const stop = (last: ReadonlyArray<string>, why: string | null): void => {
    if (stopped) return
    stopped = true
    words.push(...last)
    problem = why
  }
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? ""
    if (word === "--") {
      const operand = argv[i + 1]
      if (operand !== undefined) stop(["--", operand], null)
      break
    }
    if (!word.startsWith("-") || word === "-") {
      stop(["--", word], null)
      continue
    }
    const { inline, option } = split(word)
    const flag = findFlag(option)
    if (flag === undefined) {
      const asked = unknownFlag(option)
      if (!stopped) unknown = option
      if ("word" in asked) stop([asked.word], null)
      else stop([], asked.message)
      continue
    }
    const value = flag.metavar === null ? null : inline ?? argv[++i] ?? null
    if (flag.metavar === null && inline !== null) {
      stop([], `${flag.option} takes no value`)
      continue
    }
    if (flag.option === "--help") help = true
    if (stopped) continue
    words.push(value === null ? flag.option : `${flag.option}=${value}`)
  }
  return { words, help, unknown, problem }
}
