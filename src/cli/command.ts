// command: runs a subcommand: effect/cli reads its arguments, it runs, it ends, and its help is printed.
import { Context, Effect, Layer, Option, Ref, References, Result, Schema } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import type { GitFailed } from "../code/Git.ts"
import type { RunScope } from "../fleet/RunScope.ts"
import type { BadEnvironment } from "../platform/Environment.ts"
import { exits, type Failure, plainText } from "../platform/Failure.ts"
import { Output, OutputFailed, PlainOutput } from "../platform/Process.ts"
import { whileItWorks } from "../read/view/BusyLine.ts"
import { CallPlace } from "../run/Naming.ts"
import { Count, documentText, version } from "../run/Document.ts"
import { type StoreFailed, TrustStateRoot } from "../run/RunStore.ts"
import { asksJson, flagName, named, quote } from "./argv.ts"
import { type Ending, exited, failed, type Misuse, misused, printEnding } from "./ending.ts"
import { Fleets } from "./fleets.ts"
import { outputPage } from "../platform/Page.ts"
import { type Page, paintedHelp } from "../text/Paint.ts"
import { outgoing } from "../text/redaction/Redaction.ts"
import { commandHelp } from "./help.ts"
import { logCall, type LogOptions } from "./logOptions.ts"
import { oneLine } from "../text/Untrusted.ts"
import { logFileFlag, logLevelFlag } from "./options.ts"
import { type SubcommandName, subcommands } from "./subcommands.ts"
import { storeOf, twoStores } from "./targetOptions.ts"

// effect/cli's message for a flag that is given twice; it has no error of its own for that.
const once = "at most 1 value"

type Problem = Omit<Misuse, "call">

const meantBy = (suggestions: ReadonlyArray<string>): string | null =>
  suggestions.length === 0 ? null : suggestions.join(" or ")

/** The mistake and the probable intention, each in one line of bounded length. */
const problemOf = (error: CliError.CliError): Problem => {
  switch (error._tag) {
    case "UnrecognizedOption": {
      const option = named(error.option.replace(/^---/, "-"))
      // Every single letter is at most two changes away from `--pr`, so a suggestion would be noise.
      const meant = /^--?.?$/.test(option) ? null : meantBy(error.suggestions)
      return { message: `unknown flag ${option}`, meant }
    }
    case "InvalidValue": {
      const flag = flagName(error.option)
      const message = error.expected === once
        ? `${flag} is given more than once`
        : error.value === ""
        ? `${flag} needs a value: ${flag} ${error.expected}`
        : `${flag} ${quote(error.value)}: expected ${error.expected.replace(/^Expected:? /, "")}`
      return { message, meant: null }
    }
    case "MissingOption":
      return { message: `${flagName(error.option)} is required`, meant: null }
    case "MissingArgument":
      return { message: `${error.argument.toUpperCase()} is required`, meant: null }
    case "UnexpectedArgument":
      return { message: `unexpected argument ${quote(error.arguments[0] ?? "")}`, meant: null }
    case "UnknownSubcommand":
      return { message: `unknown subcommand ${quote(error.subcommand)}`, meant: meantBy(error.suggestions) }
    default:
      return { message: error.message, meant: null }
  }
}

const programName = "ooda-codex-review"

// Failures

/** The document of a call with `--json` that failed. */
export class ErrorDocument extends Schema.Class<ErrorDocument>("Error")({
  schema: version,
  error: Schema.Struct({ tag: Schema.String, message: Schema.String, exitCode: Count })
}) {}

const errorText = (tag: string, message: string, exitCode: number): string =>
  documentText(ErrorDocument, { error: { tag, message, exitCode } })

/** The ending of a wrong command line, with `json` also as a document. */
export const misusedCall = (misuse: Misuse, json: boolean): Ending => ({
  ...misused(misuse),
  stdout: json ? errorText("UsageError", oneLine(misuse.message), exits.usage) : ""
})

const failedWith = (failure: Failure, json: boolean): Ending => {
  const { _tag: tag, exitCode } = failure
  // If the reader has gone, it gets no document.
  const stdout = json && exitCode !== exits.done ? errorText(tag, plainText(failure), exitCode) : ""
  return { ...failed(failure), stdout }
}

/** How to answer a call: on what page, and whether errors are documents too. */
interface Presentation extends Page {
  readonly json: boolean
}

/** The ending of a call that effect/cli answers: help, or the mistake in the command line. */
export const present = (event: CliOutput.Presenter.Event, { colour, columns, json }: Presentation): Ending => {
  switch (event._tag) {
    case "Help": {
      const text = commandHelp(event.helpDoc, columns)
      return printEnding(colour ? paintedHelp(text) : text)
    }
    case "InvalidInvocation": {
      const [first] = event.errors
      const problem = first === undefined ? { message: "the arguments cannot be read", meant: null } : problemOf(first)
      return misusedCall({ ...problem, call: event.helpDoc.commandPath?.join(" ") ?? programName }, json)
    }
    case "Version":
      return printEnding(event.version)
  }
}

// The store in a database that the arguments or the environment name

const textOf = (given: object, name: "store" | "stateRoot"): string | null => {
  const text: unknown = name in given ? Reflect.get(given, name) : null
  return typeof text === "string" ? text : null
}

/** What is wrong with several named stores, or null. */
export const storeProblem = (given: object): string | null =>
  textOf(given, "store") === null || textOf(given, "stateRoot") === null ? null : twoStores

/** Runs in the named store; `scope` says which of its runs the call at `cwd` refers to. */
export const withStore = Effect.fnUntraced(function*<A, E, R, E2, R2, E3, R3>(
  run: Effect.Effect<A, E, R>,
  given: object,
  scope: Effect.Effect<RunScope, E2, R2>,
  cwd: Effect.Effect<string, E3, R3>
) {
  const url = yield* storeOf({ store: textOf(given, "store"), stateRoot: textOf(given, "stateRoot") })
  if (url === null) return yield* run
  // Its ports replace this machine's.
  const ports: Layer.Layer<never, StoreFailed | GitFailed> = (yield* Fleets).seen(url, yield* scope, yield* cwd)
  return yield* Effect.provide(run, ports)
})

// Running. Texts of effect/cli go into the ending, so that standard output holds only the requested output.

/** The directory of the call, and the version of the program. */
export interface CallContext {
  readonly cwd: Effect.Effect<string, BadEnvironment>
  readonly version: string
  /** The width of standard output's terminal; null if it is no terminal. */
  readonly columns?: number | null
  /** The arguments after the subcommand, as they were given. */
  readonly argv?: ReadonlyArray<string>
}

/** The layer with the log that a call asks for. By default nothing is logged. */
export const Logs = Context.Reference<(options: LogOptions) => Layer.Layer<never, BadEnvironment>>(
  "ooda-codex-review/commands/Logs",
  { defaultValue: () => () => Layer.succeed(References.MinimumLogLevel, "None") }
)

/** One call of a subcommand: its directory and its ending. */
export class Call extends Context.Service<
  Call,
  CallContext & {
    readonly end: (ending: Ending) => Effect.Effect<void>
  }
>()("ooda-codex-review/commands/Call") {}

/** The help text of a subcommand. */
interface Texts {
  /** The first line says in one sentence what it is, and completes "ooda-codex-review <name> ...". */
  readonly about: ReadonlyArray<string>
  readonly examples: ReadonlyArray<Command.Command.Example>
  /** The subcommand that it belongs to, if it is one of several: `fleet` of `fleet init`. */
  readonly parent?: SubcommandName
}

/** What a subcommand does with its arguments: it validates them together, then runs. */
interface SubcommandSpec<Flags, A, E extends Failure, R> extends Texts {
  /** The request, or what is wrong with the arguments together. */
  readonly read: (given: Flags) => Result.Result<A, string>
  readonly run: (request: A, context: CallContext) => Effect.Effect<Ending, E, R>
  /** The runs that the call refers to. Only a subcommand with a scope looks into a store in a database. */
  readonly scope?: (request: A, context: CallContext) => Effect.Effect<RunScope, E, R>
}

/** Runs a subcommand; every failure becomes an ending, with `json` also a document. */
export const perform = <E extends Failure, R>(
  run: Effect.Effect<Ending, E, R>,
  json = false
): Effect.Effect<Ending, never, R> => Effect.catch(run, (failure) => Effect.succeed(failedWith(failure, json)))

// Only subcommands that read a state root can be made to trust one.
const trusts = (given: object): boolean => "trustStateRoot" in given && given.trustStateRoot === true

// A long command shows its own progress, and no line may cover a question of `init`.
const isBusy = (name: string, given: object): boolean =>
  name === "watch" || name === "init" || (name === "status" && "follow" in given && given.follow === true)

// What they print is committed, the caller's own, or a document that removes secrets before it cuts a text.
const asItIs: ReadonlySet<string> = new Set(["attest", "config", "replay", "report", "result", "undo"])

const unread = new OutputFailed({
  reason: { _tag: "SystemRefused", code: "EPIPE", call: "write", said: "broken pipe" }
})

/** Runs a subcommand that prints no secret. The document that `isDocument` names fails if its reader has gone. */
const printing = Effect.fnUntraced(
  function*<E, R>(run: Effect.Effect<Ending, E, R>, name: string, isDocument: boolean) {
    const safe = asItIs.has(name) ? (text: string) => text : outgoing
    const output = yield* Effect.serviceOption(Output)
    const ended = Option.match(output, {
      onNone: () => run,
      onSome: ({ write }) =>
        Effect.provideService(run, Output, {
          write: (text) =>
            Effect.catchTag(write(safe(text)), "OutputClosed", (closed) => Effect.fail(isDocument ? unread : closed))
        })
    })
    const { code, stderr, stdout } = yield* Effect.provideService(ended, PlainOutput, Option.getOrNull(output))
    return { code, stdout: safe(stdout), stderr: safe(stderr) }
  }
)

const fits = (problem: string | null): Result.Result<void, string> =>
  problem === null ? Result.void : Result.fail(problem)

const shortText = (name: string, { about: [first = ""], parent }: Texts): string =>
  parent === undefined ? subcommands.get(name) ?? "" : first

export const subcommand =
  <Flags extends object, A, E extends Failure, R>(spec: SubcommandSpec<Flags, A, E, R>) =>
  <const Name extends string>(command: Command.Command<Name, Flags>) =>
    command.pipe(
      Command.withDescription(spec.about.join("\n")),
      Command.withShortDescription(shortText(command.name, spec)),
      Command.withExamples(spec.examples),
      Command.validate((given: Flags) =>
        Result.match(Result.flatMap(spec.read(given), () => fits(storeProblem(given))), {
          onFailure: (message) => Effect.fail(new CliError.ValidationError({ message })),
          onSuccess: () => Effect.void
        })
      ),
      Command.withHandler(Effect.fnUntraced(function*(given: Flags) {
        const call = yield* Call
        const request = Result.getOrThrow(spec.read(given))
        const { version } = call
        const log = { level: yield* logLevelFlag, file: yield* logFileFlag }
        const { scope } = spec
        const run = spec.run(request, call)
        const placed = scope === undefined ? run : withStore(run, given, scope(request, call), call.cwd)
        const name = spec.parent ?? command.name
        const work = isBusy(name, given) ? placed : whileItWorks(name, placed)
        const logged = logCall(work, { call: name, version }, ({ code }) => ({ exit: code }))
        const json = "json" in given && given.json === true
        const place = { stateRoot: textOf(given, "stateRoot"), store: textOf(given, "store") }
        const isDocument = json && name !== "replay" && !isBusy(name, given)
        const ended = perform(Effect.provide(logged, (yield* Logs)(log)), json)
        const ending = printing(ended, name, isDocument).pipe(
          Effect.provideService(CallPlace, place),
          Effect.provideService(TrustStateRoot, trusts(given))
        )
        yield* call.end(yield* ending)
      })),
      Command.withGlobalFlags([logLevelFlag, logFileFlag])
    )

/** A subcommand that only has subcommands of its own; without one of them it is misuse. */
export const family = <const Name extends SubcommandName, const Commands extends ReadonlyArray<Command.Command.Any>>(
  name: Name,
  commands: Commands,
  { about, examples }: Texts
) => {
  const message = `${name} needs a subcommand: ${commands.map((one) => one.name).join(", ")}`
  const errors = [new CliError.ValidationError({ message })]
  return Command.make(name, {}, () => Effect.fail(new CliError.ShowHelp({ commandPath: [programName, name], errors })))
    .pipe(
      Command.withSubcommands(commands),
      Command.withDescription(about.join("\n")),
      Command.withShortDescription(subcommands.get(name) ?? ""),
      Command.withExamples(examples)
    )
}

// effect/cli reads `-github` as `-g -i -t -h`: a call for help, which exits like a batch without findings. It would
// read `-n4` as `-n -4`, where a step reads `-n 4`.
const unclustered = (word: string): string => {
  if (/^-n[=\d]/.test(word)) return word.replace(/^-n=?/, "-n=")
  return /^-[^-\d.]./.test(word) ? `--${word}` : word
}

const separately = (argv: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = argv.indexOf("--")
  return end < 0 ? argv.map(unclustered) : [...argv.slice(0, end).map(unclustered), ...argv.slice(end)]
}

/** The program with some of its subcommands. */
export const program = <const Commands extends ReadonlyArray<Command.Command.SubcommandEntry>>(commands: Commands) =>
  Command.make(programName).pipe(Command.withSubcommands(commands))

/** Runs a subcommand, from its arguments to its ending. */
export const carryOut = Effect.fnUntraced(
  function*<Name extends SubcommandName, Given, E, R>(
    command: Command.Command<Name, Given, {}, E, R>,
    argv: ReadonlyArray<string>,
    called: CallContext
  ) {
    const ended = yield* Ref.make(exited(exits.done))
    const end = (ending: Ending) => Ref.set(ended, ending)
    const { columns = null, version } = called
    const json = asksJson(argv)
    const { colour } = yield* outputPage(columns)
    yield* Command.runWith(program([command]), { version })([command.name, ...separately(argv)]).pipe(
      Effect.catchIf(CliError.isCliError, () => Effect.void),
      Effect.provideService(CliOutput.Presenter, {
        present: (event) => end(present(event, { colour, columns, json }))
      }),
      Effect.provideService(Call, { ...called, argv, end })
    )
    return yield* Ref.get(ended)
  },
  Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns: [GlobalFlag.Help] }))
)
