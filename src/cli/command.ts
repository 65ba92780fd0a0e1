// command: the flag table as an effect/cli command, used as a parser only: its handler records what was given.
// effect/cli stays behind `read`: nothing else knows its types or prints its texts.
import { Context, Effect, Ref } from "effect"
import { CliConfig, type CliError, CliOutput, Command, Flag } from "effect/cli"
import { type FlagSpec, flags } from "./flags.ts"
import type { Given } from "./invocation.ts"
import { version } from "../core/Version.ts"

/** What effect/cli found wrong: the first thing, as data. */
export type Misuse =
  | { readonly _tag: "Unknown"; readonly suggestions: ReadonlyArray<string> }
  | { readonly _tag: "Operand"; readonly operand: string }
  | { readonly _tag: "Missing"; readonly option: string }
  | { readonly _tag: "Repeated"; readonly option: string }
  | { readonly _tag: "Other"; readonly message: string }

const name = (option: string): string => option.replace(/^-+/, "")
const spelt = (name: string): string => name.length === 1 ? `-${name}` : `--${name}`

// A list of at most one is cheaper than an optional flag: effect/cli makes an error for every optional flag that is
// absent.
const table: ReadonlyArray<FlagSpec> = flags
const switches = Object.fromEntries(
  table.filter((flag) => flag.metavar === null).map((flag) => [
    flag.option,
    Flag.atMost(Flag.withoutNegation(Flag.Boolean(name(flag.option))), 1)
  ])
)
const values = Object.fromEntries(
  table.filter((flag) => flag.metavar !== null).map((flag) => [
    flag.option,
    Flag.atMost(Flag.String(name(flag.option)), 1)
  ])
)

// effect/cli asks for a file system, a terminal and more. A parser that reads no files, asks nothing and prints nothing
// uses none of them, and building stand-ins would double what every step has to load.
const noServices = Context.makeUnsafe<Command.Environment>(new Map())

const misuse = (error: CliError.CliError): Misuse => {
  const first = error._tag === "ShowHelp" ? error.errors[0] : error
  switch (first?._tag) {
    case "UnrecognizedOption":
      return { _tag: "Unknown", suggestions: first.suggestions.filter((option) => option.startsWith("--")) }
    case "UnexpectedArgument":
      return { _tag: "Operand", operand: first.arguments[0] ?? "" }
    case "InvalidValue":
      return { _tag: first.value === "" ? "Missing" : "Repeated", option: spelt(first.option) }
    default:
      return { _tag: "Other", message: (first ?? error).message }
  }
}

/** Reads normalised words; fails with the first misuse that effect/cli reports. */
export const read = Effect.fnUntraced(
  function*(words: ReadonlyArray<string>) {
    const recorded = yield* Ref.make<Given>(() => null)
    const command = Command.make(
      "ooda-codex-review",
      { switches, values },
      (given) =>
        Ref.set(recorded, (option) => given.values[option]?.[0] ?? (given.switches[option]?.[0] === true ? "" : null))
    )
    yield* Effect.mapError(Command.runWith(command, { version })(words), misuse)
    return yield* Ref.get(recorded)
  },
  Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns: [] })),
  Effect.provideService(CliOutput.Presenter, { present: () => Effect.void }),
  Effect.provideContext(noServices)
)
