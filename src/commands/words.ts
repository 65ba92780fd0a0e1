// words: how the arguments of a subcommand are read, and how its help is written: from one table, as for the steps.
// What follows an option with a value is its value, whatever it looks like.
import { Result } from "effect"
import { named, quoted } from "../cli/quoted.ts"
import type { Value } from "../cli/values.ts"

/** An option of a subcommand; `metavar` is null for a switch. */
export interface OptionSpec {
  readonly option: `--${string}`
  readonly metavar: string | null
  readonly text: string
}

/** A subcommand: what it does in a few words, its operand if it takes one, and its options. */
export interface CommandSpec {
  readonly name: string
  readonly about: ReadonlyArray<string>
  readonly operand: string | null
  readonly options: ReadonlyArray<OptionSpec>
}

/** The text given to an option, the empty text for a switch that is given, or null; and the operand. */
export interface Words {
  readonly given: (option: string) => string | null
  readonly operand: string | null
}

/** The result of reading the arguments. */
export type Read =
  | { readonly _tag: "Help" }
  | { readonly _tag: "Problem"; readonly message: string }
  | { readonly _tag: "Words"; readonly words: Words }

/** Where runs are kept, and whether that is trusted whosever it is. */
export const rootOptions: ReadonlyArray<OptionSpec> = [
  {
    option: "--state-root",
    metavar: "PATH",
    text: "Where runs are kept. Default: $OODA_STATE_ROOT, else as for a step."
  },
  { option: "--trust-state-root", metavar: null, text: "Use it although others own or can write to it." }
]

/** Output for programs. */
export const jsonOption: OptionSpec = { option: "--json", metavar: null, text: "One JSON document instead of text." }

const help: ReadonlyArray<OptionSpec> = [{ option: "--help", metavar: null, text: "Print this text and exit 0." }]

const column = 26

/** The usage block of a subcommand, without a newline at its end. */
export const usageOf = ({ about, name, operand, options }: CommandSpec): string =>
  [
    `Usage: ooda-codex-review ${name} ${operand === null ? "" : `[${operand}] `}[OPTION ...]`,
    "",
    ...about,
    "",
    ...[...options, ...help].map(({ metavar, option, text }) =>
      `  ${option}${metavar === null ? "" : ` ${metavar}`}`.padEnd(column) + text
    )
  ].join("\n")

const split = (word: string): readonly [string, string | null] => {
  const at = word.indexOf("=")
  return at < 0 ? [word, null] : [word.slice(0, at), word.slice(at + 1)]
}

/** Reads the arguments behind a subcommand's name. Total; `--help` and `-h` win over whatever else is wrong. */
export const readWords = (spec: CommandSpec, argv: ReadonlyArray<string>): Read => {
  const found = new Map<string, string>()
  const operands: Array<string> = []
  let problem: string | null = null
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? ""
    if (word === "--") {
      operands.push(...argv.slice(i + 1))
      break
    }
    if (!word.startsWith("-") || word === "-") {
      operands.push(word)
      continue
    }
    const [option, inline] = split(word)
    if ((option === "--help" || option === "-h") && inline === null) return { _tag: "Help" }
    const known = spec.options.find((one) => one.option === option)
    const value = known === undefined || known.metavar === null ? inline : inline ?? argv[++i] ?? null
    problem ??= known === undefined
      ? `unknown option ${named(option)} of ${spec.name}`
      : known.metavar === null && value !== null
      ? `${option} takes no value`
      : known.metavar !== null && value === null
      ? `${option} needs a value: ${option} ${known.metavar}`
      : found.has(option)
      ? `${option} is given more than once`
      : null
    found.set(option, value ?? "")
  }
  const surplus = operands[spec.operand === null ? 0 : 1]
  problem ??= surplus === undefined ? null : `unexpected argument ${quoted(surplus)}`
  problem ??= operands[0] === "" ? `${spec.operand ?? ""} cannot be empty` : null
  return problem === null
    ? { _tag: "Words", words: { given: (option) => found.get(option) ?? null, operand: operands[0] ?? null } }
    : { _tag: "Problem", message: problem }
}

/** The value of an option by its parser, `otherwise` where it is not given. */
export const valueOf = <A, B>(
  words: Words,
  option: string,
  parser: Value<A>,
  otherwise: B
): Result.Result<A | B, string> => {
  const text = words.given(option)
  if (text === null) return Result.succeed(otherwise)
  return Result.mapError(parser(text), (reason) => `${option} ${quoted(text)}: ${reason}`)
}
