// options: flags and operands that subcommands share.
import { Effect, Option, Result } from "effect"
import { Argument, CliError, Flag, GlobalFlag } from "effect/cli"
import { reasonProblem } from "../run/Dismissal.ts"
import { helpText, type Kind, type Setting, type Values } from "../run/Setting.ts"
import { stepSettings } from "../run/StepSettings.ts"
import { callSettings } from "./flags.ts"
import { logLevel } from "./logOptions.ts"
import { badValue } from "./argv.ts"
import { storeText } from "./targetOptions.ts"
import { oneOf, parserOf, type Value, without } from "./values.ts"

// The flags and arguments of subcommands, and those that several of them share.

/** A switch. A negation would be a second way to express leaving it out. */
export const switchFlag = (name: string, text: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(text), Flag.withDefault(false))

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

/** A required flag by its setting. */
export const requiredFlag = <K extends Kind>(setting: Setting<K>): Flag.Flag<Values[K]> =>
  flagAs(setting, parserOf(setting))

/** A flag by its setting, null if it is left out. */
export const flagOf = <K extends Kind>(setting: Setting<K>): Flag.Flag<Values[K] | null> =>
  optional(requiredFlag(setting))

/** The same, its default if it is left out. */
export const flagOrDefault = <K extends Kind>(setting: Setting<K> & { readonly default: Values[K] }) =>
  Flag.map(flagOf(setting), (value) => value ?? setting.default)

/** A flag with a choice of words, null if it is left out. */
export const choiceOf = <const Word extends string>(
  setting: Setting<"word"> & { readonly words: ReadonlyArray<Word> }
): Flag.Flag<Word | null> => optional(flagAs(setting, oneOf(setting.words)))

/** The same, its default if it is left out. */
export const choiceOrDefault = <const Word extends string>(
  setting: Setting<"word"> & { readonly words: ReadonlyArray<Word>; readonly default: Word }
): Flag.Flag<Word> => Flag.map(choiceOf(setting), (value) => value ?? setting.default)

/** A switch by its setting. */
const switchOf = (setting: Setting<"switch">): Flag.Flag<boolean> => switchFlag(nameOf(setting), helpText(setting))

/** To skip the question at a terminal. */
export const yesSetting: Setting<"switch"> = {
  flag: "--yes",
  metavar: null,
  kind: "switch",
  text: "Go on without asking at the terminal."
}

export const yes: Flag.Flag<boolean> = switchOf(yesSetting)

/** Every run instead of those of this repository. */
export const everyRun: Flag.Flag<boolean> = switchFlag("all", "Every run under the state root.")

/** Why something is dismissed. */
export const reasonFlag: Flag.Flag<string> = flagAs(
  { flag: "--reason", metavar: "TEXT", kind: "text", text: "Why it is not to block, required." },
  without(reasonProblem)
)

/** The state root, and whether to trust one that is another user's or that others can write to. */
export const rootFlags = {
  stateRoot: flagOf(stepSettings.stateRoot),
  trustStateRoot: switchOf(stepSettings.trustStateRoot)
}

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

export const json: Flag.Flag<boolean> = switchOf(callSettings.json)

/** Output for programs, for a subcommand that prints results as they come. */
export const jsonLines: Flag.Flag<boolean> = switchFlag("json", "JSON documents on standard output, one a line.")

/** The level of the log of the program's own work. Every subcommand takes this flag and the next. */
export const logLevelFlag = GlobalFlag.Setting("log-level")({
  flag: optional(flagAs(callSettings.logLevel, logLevel))
})

export const logFileFlag = GlobalFlag.Setting("log-file")({
  flag: flagOf<"path">(callSettings.logFile)
})
