// misuse: the flag table as an effect/cli command, which names the mistake in unreadable flags.
// Only this file knows the types and texts of effect/cli for a step.
import { Context, Effect } from "effect"
import { CliConfig, type CliError, CliOutput, Command, Flag } from "effect/cli"
import { flags } from "./flags.ts"
import { flagName } from "./argv.ts"
import { version } from "../platform/Version.ts"

/** The first mistake that effect/cli found, as data. */
export type Misuse =
  | { readonly _tag: "Unknown"; readonly suggestions: ReadonlyArray<string> }
  | { readonly _tag: "Operand"; readonly operand: string }
  | { readonly _tag: "Missing"; readonly option: string }
  | { readonly _tag: "Repeated"; readonly option: string }
  | { readonly _tag: "Other"; readonly message: string }
  | { readonly _tag: "None" }

const name = (option: string): string => option.replace(/^-+/, "")

// A list of at most one is cheaper than an optional flag: effect/cli makes an error for every absent optional flag.
const switches = Object.fromEntries(
  flags.filter(({ metavar }) => metavar === undefined).map(({ flag }) => [
    flag,
    Flag.atMost(Flag.withoutNegation(Flag.Boolean(name(flag))), 1)
  ])
)
const values = Object.fromEntries(
  flags.filter(({ metavar }) => metavar !== undefined).map((
    { flag }
  ) => [flag, Flag.atMost(Flag.String(name(flag)), 1)])
)

const command = Command.make("ooda-codex-review", { switches, values }, () => Effect.void)

// effect/cli asks for a file system, a terminal and more. A parser that reads no files, asks nothing and prints nothing
// uses none of them, and stand-ins would double what every step has to load.
const noServices = Context.makeUnsafe<Command.Environment>(new Map())

const misuseOf = (error: CliError.CliError): Misuse => {
  const first = error._tag === "ShowHelp" ? error.errors[0] : error
  switch (first?._tag) {
    case "UnrecognizedOption":
      return { _tag: "Unknown", suggestions: first.suggestions.filter((option) => option.startsWith("--")) }
    case "UnexpectedArgument":
      return { _tag: "Operand", operand: first.arguments[0] ?? "" }
    case "InvalidValue":
      return { _tag: first.value === "" ? "Missing" : "Repeated", option: flagName(first.option) }
    default:
      return { _tag: "Other", message: (first ?? error).message }
  }
}

/** The first mistake that effect/cli reports in normalised words. It is called only if there is one. */
export const misuse = (words: ReadonlyArray<string>): Effect.Effect<Misuse> =>
  Command.runWith(command, { version })(words).pipe(
    Effect.match({ onFailure: misuseOf, onSuccess: (): Misuse => ({ _tag: "None" }) }),
    Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns: [] })),
    Effect.provideService(CliOutput.Presenter, { present: () => Effect.void }),
    Effect.provideContext(noServices)
  )
