// parse: argv -> help | version | completions | subcommand | Invocation | usage problem.
//
// A call is a step, or its first word is a subcommand. The grammar and the messages of a step are a contract, kept byte
// for byte: `--help` wins over everything, the word after a value flag is its value even if it looks like a flag, and
// `-n4` is `-n 4`. `argv.ts` reads it without effect/cli, which would be a twentieth of what a mark costs; only words
// that it cannot read are given to effect/cli (`misuse.ts`), which names the mistake. Subcommands are commands of
// effect/cli. Flags, help and completions are made from one table, and both kinds of calls use the same parsers
// (`values.ts`), so they refuse the same values in the same words.
//
// Every call pays for what it loads. Help and version load no Effect, `dispatch.ts` loads a subcommand when it is
// called, and `fleets.ts` loads a store in a database once one is named. docs/decisions/start-up.md has the figures.
//
// Every list of strings gives exactly one result. Parsing reads and writes no file.
import { Effect, Result } from "effect"
import type { Invocation } from "../run/Invocation.ts"
import type { Misuse } from "./misuse.ts"
import { callSettings, findFlag, type Shell, shells } from "./flags.ts"
import { invocation } from "./invocation.ts"
import { type LogOptions, logOptions } from "./logOptions.ts"
import { badValue, named, normalise, type Normalised, quote, shortcut } from "./argv.ts"
import { storeOption } from "./targetOptions.ts"
import { subcommandIn, suggestion, type SubcommandCall } from "./subcommands.ts"
import { briefHelp } from "./usage.ts"
import { type FlagTexts, oneOf } from "./values.ts"

/** The request of a command line. Texts have no final newline. */
export type ParseResult =
  | {
    readonly _tag: "Step"
    readonly invocation: Invocation
    readonly json: boolean
    readonly log: LogOptions
    /** The URL of the named store. */
    readonly store: string | null
  }
  | { readonly _tag: "Help"; readonly text: string }
  | { readonly _tag: "Version"; readonly text: string }
  | { readonly _tag: "Completions"; readonly shell: Shell }
  | ({ readonly _tag: "Subcommand" } & SubcommandCall)
  | { readonly _tag: "Usage"; readonly message: string; readonly usage: string }

const problem = (message: string): ParseResult => ({ _tag: "Usage", message, usage: briefHelp() })

const completing = (asked: string): ParseResult =>
  Result.match(oneOf(shells)(asked), {
    onFailure: (reason) => problem(badValue(callSettings.completions.flag, asked, reason)),
    onSuccess: (shell) => ({ _tag: "Completions", shell })
  })

const askedShell = (argv: ReadonlyArray<string>): string | null => {
  const [word = "", next] = argv
  if (argv.length === 2 && word === "--completions" && next !== undefined) return next
  return argv.length === 1 && word.startsWith("--completions=") ? word.slice("--completions=".length) : null
}

const didYouMean = (suggestions: ReadonlyArray<string>): string =>
  suggestions.length === 0 ? "" : ` (did you mean ${suggestions.join(" or ")}?)`

/** A stray word, with the probable intention. Only a first argument may have meant a subcommand. */
const stray = (operand: string, argv: ReadonlyArray<string>): string => {
  const problem = `unexpected argument ${quote(operand)}`
  if (argv[0] !== operand) {
    return subcommandIn([operand]) === null ? problem : `${problem}: a subcommand is the first argument`
  }
  const found = suggestion(operand)
  return found === null ? problem : `${problem} (did you mean ${found}?)`
}

const describe = (misuse: Misuse, { unknown }: Normalised, argv: ReadonlyArray<string>): string => {
  switch (misuse._tag) {
    case "Unknown":
      return `unknown flag ${named(unknown ?? "")}${didYouMean(misuse.suggestions)}`
    case "Operand":
      return stray(misuse.operand, argv)
    case "Missing":
      return `${misuse.option} needs a value: ${misuse.option} ${findFlag(misuse.option)?.metavar ?? ""}`
    case "Repeated":
      return `${misuse.option} is given more than once`
    case "Other":
      return named(misuse.message)
    case "None":
      return "the flags cannot be read"
  }
}

const step = Effect.fnUntraced(function*(argv: ReadonlyArray<string>) {
  const normalised = normalise(argv)
  if (normalised.problem !== null) return problem(normalised.problem)
  const { given: flags } = normalised
  if (flags === null) {
    // A step with readable flags does not load effect/cli, which is a twentieth of its start.
    const { misuse } = yield* Effect.promise(() => import("./misuse.ts"))
    return problem(describe(yield* misuse(normalised.words), normalised, argv))
  }
  const given: FlagTexts = (option) => {
    const text = flags.get(option)
    return text === undefined ? [] : [text]
  }
  return Result.match(
    Result.gen(function*() {
      const asked = yield* invocation(given)
      const json = given("--json").length > 0
      const [log, store] = [yield* logOptions(given), yield* storeOption(given)]
      return { _tag: "Step", invocation: asked, json, log, store } satisfies ParseResult
    }),
    { onFailure: problem, onSuccess: (parsed) => parsed }
  )
})

/** The request of `argv` (without node and the script). Never fails and never dies, for any array of strings. */
export const parse = (argv: ReadonlyArray<string>): Effect.Effect<ParseResult> => {
  const subcommand = subcommandIn(argv)
  if (subcommand !== null) return Effect.succeed({ _tag: "Subcommand", ...subcommand })
  const short = shortcut(argv)
  if (short !== null) return Effect.succeed(short)
  const asked = askedShell(argv)
  return asked === null ? step(argv) : Effect.succeed(completing(asked))
}
