// options: flags and operands that subcommands share.
import { Effect, Option, Record, Result } from "effect"
import { Argument, CliError, Flag, GlobalFlag } from "effect/cli"
import { reasonProblem } from "../run/Dismissal.ts"
import { helpText, type Kind, type Setting, type Values } from "../run/Setting.ts"
import { stepSettings } from "../run/StepSettings.ts"
import { callSettings, sharedSettings } from "./flags.ts"
import { logLevel } from "./logOptions.ts"
import { badValue } from "./argv.ts"
import { storeText } from "./targetOptions.ts"
import { parserOf, type Value, without } from "./values.ts"

// The flags and arguments of subcommands, and those that several of them share.

const checked = <A>(named: string, parser: Value<A>) => (text: string): Effect.Effect<A, CliError.ValidationError> =>
  Result.match(parser(text), {
    onFailure: (reason) => Effect.fail(new CliError.ValidationError({ message: badValue(named, text, reason) })),
    onSuccess: Effect.succeed
  })

/** The name of a flag without its dashes. */
export const nameOf = ({ flag }: Setting): string => flag.replace(/^-+/, "")

/** A flag by its setting, whose text is not read yet. */
export const textFlag = (setting: Setting): Flag.Flag<string> =>
  Flag.String(nameOf(setting)).pipe(
    Flag.withMetavar(setting.metavar ?? ""),
    Flag.withDescription(helpText(setting))
  )

/** A flag, null if it is left out. */
export const optional = <A>(flag: Flag.Flag<A>): Flag.Flag<A | null> =>
  flag.pipe(Flag.optional, Flag.map(Option.getOrNull))

/** An argument, read as a step would read it. */
export const operand = <A>(name: string, parser: Value<A>, text: string): Argument.Argument<A> =>
  Argument.String(name).pipe(Argument.withDescription(text), Argument.mapEffect(checked(name, parser)))

/** The same argument, null if it is left out. */
export const optionalOperand = <A>(argument: Argument.Argument<A>): Argument.Argument<A | null> =>
  argument.pipe(Argument.optional, Argument.map(Option.getOrNull))

/** A flag by its setting, read by `parser`. */
export const flagAs = <A>(setting: Setting, parser: Value<A>): Flag.Flag<A> =>
  Flag.mapEffect(textFlag(setting), checked(setting.flag, parser))

/**
 * A switch. A negation would be a second way to express leaving it out, and the word after it is never its value: in
 * `dismiss --undo 1` it is the operand.
 */
export const bareSwitch = (setting: Setting): Flag.Flag<boolean> =>
  Flag.Boolean(nameOf(setting)).pipe(
    Flag.withoutNegation,
    Flag.withOptionalValue("true"),
    Flag.withDescription(helpText(setting))
  )

/** A required flag by its setting. */
export const requiredFlag = <K extends Kind>(setting: Setting<K>): Flag.Flag<Values[K]> =>
  flagAs(setting, parserOf(setting))

type ValueOf<S> = S extends { readonly words: ReadonlyArray<infer Word> } ? Word
  : S extends Setting ? Values[S["kind"]]
  : never

/** What a flag gives: its value; if it is left out, its default or null, and false for a switch. */
type Parsed<S> = S extends { readonly kind: "switch" } ? boolean
  : S extends { readonly default: unknown } ? ValueOf<S>
  : ValueOf<S> | null

type FlagsFor<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting ? Flag.Flag<Parsed<Table[Name]>> : never
}

/** The flags of a table of settings. */
export function flagsFor<const Table extends Readonly<Record<string, Setting>>>(settings: Table): FlagsFor<Table>
export function flagsFor(settings: Readonly<Record<string, Setting>>): Readonly<Record<string, Flag.Flag<unknown>>> {
  return Record.map(settings, (setting): Flag.Flag<unknown> => {
    if (setting.kind === "switch") return Flag.withDefault(bareSwitch(setting), false)
    return Flag.map(optional(requiredFlag(setting)), (value) => value ?? setting.default ?? null)
  })
}

/** Why something is dismissed. */
export const reasonFlag: Flag.Flag<string> = flagAs(
  { flag: "--reason", metavar: "TEXT", kind: "text", text: "Why it is not to block, required." },
  without(reasonProblem)
)

const { stateRoot, trustStateRoot } = stepSettings

/** The state root, and whether to trust one that is another user's or that others can write to. */
export const rootFlags = flagsFor({ stateRoot, trustStateRoot })

/** The store in a database. An error about its URL does not repeat it. */
export const storeFlag: Flag.Flag<string | null> = optional(
  Flag.mapEffect(textFlag(callSettings.store), (text) =>
    Result.match(storeText(text), {
      onFailure: (message) => Effect.fail(new CliError.ValidationError({ message })),
      onSuccess: Effect.succeed
    }))
)

/** Where runs are kept, on this machine or in a database. */
export const storeFlags = { ...rootFlags, store: storeFlag }

/** Output for programs: one document, or several where results are printed as they come. */
export const { json, jsonLines } = flagsFor({ json: callSettings.json, jsonLines: sharedSettings.jsonLines })

/** The level of the log of the program's own work. Every subcommand takes this flag and the next. */
export const logLevelFlag = GlobalFlag.Setting("log-level")({
  flag: optional(flagAs(callSettings.logLevel, logLevel))
})

export const logFileFlag = GlobalFlag.Setting("log-file")({
  flag: flagsFor({ file: callSettings.logFile }).file
})
