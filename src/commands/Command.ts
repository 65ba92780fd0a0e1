// Command: how a subcommand is carried out: effect/cli reads its arguments, it runs, it ends.
// Texts of effect/cli go into the ending, so that standard output carries nothing but what was asked for.
import { Context, Effect, Layer, Ref, References, Result } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import type { Ending } from "../cli/ending.ts"
import { logged } from "../cli/logged.ts"
import type { LogOptions } from "../cli/logOptions.ts"
import { type SubcommandName, subcommands } from "../cli/subcommands.ts"
import { TrustStateRoot } from "../services/RunStore.ts"
import type { Meant } from "../core/fleet/Meant.ts"
import type { BadEnvironment } from "../services/BadEnvironment.ts"
import { logFileFlag, logLevelFlag } from "./flags.ts"
import { exited, exits, type Failure, failed } from "./Exits.ts"
import { formatter, presented } from "./Help.ts"
import { inStore, storeProblem } from "./InStore.ts"
import { whileItWorks } from "./WhileItWorks.ts"

/** Where a subcommand is called, and by which version of the program. */
export interface Called {
  readonly cwd: Effect.Effect<string, BadEnvironment>
  readonly version: string
}

/** The layer that keeps the log which a call asks for. By default nothing is logged. */
export const Logs = Context.Reference<(options: LogOptions) => Layer.Layer<never, BadEnvironment>>(
  "ooda-codex-review/commands/Logs",
  { defaultValue: () => () => Layer.succeed(References.MinimumLogLevel, "None") }
)

/** One call of a subcommand: where it is made, and how it ends. */
export class Call extends Context.Service<
  Call,
  Called & {
    readonly end: (ending: Ending) => Effect.Effect<void>
  }
>()("ooda-codex-review/commands/Call") {}

/** What its help says of a subcommand. */
export interface Texts {
  /** The first line says in one sentence what it is, and completes "ooda-codex-review <name> ...". */
  readonly about: ReadonlyArray<string>
  readonly examples: ReadonlyArray<Command.Command.Example>
}

/** What a subcommand does with its arguments: they are read together, then something is done. */
export interface Doing<Given, A, E extends Failure, R> extends Texts {
  /** What was asked for, or what is wrong with the arguments together. */
  readonly read: (given: Given) => Result.Result<A, string>
  readonly run: (asked: A, called: Called) => Effect.Effect<Ending, E, R>
  /** Which runs that is about. Only a subcommand that says so looks into a store in a database. */
  readonly meant?: (asked: A, called: Called) => Effect.Effect<Meant, E, R>
}

/** Does what was asked; every failure is an ending of its own. */
export const perform = <E extends Failure, R>(run: Effect.Effect<Ending, E, R>): Effect.Effect<Ending, never, R> =>
  Effect.catch(run, (failure) => Effect.succeed(failed(failure)))

// Only subcommands that look into a state root can be told to trust one.
const trusts = (given: object): boolean => "trustStateRoot" in given && given.trustStateRoot === true

const fits = (problem: string | null): Result.Result<void, string> =>
  problem === null ? Result.void : Result.fail(problem)

/** A subcommand, from its arguments. */
export const subcommand =
  <Given extends object, A, E extends Failure, R>(doing: Doing<Given, A, E, R>) =>
  <const Name extends SubcommandName>(command: Command.Command<Name, Given>) =>
    command.pipe(
      Command.withDescription(doing.about.join("\n")),
      Command.withShortDescription(subcommands.get(command.name) ?? ""),
      Command.withExamples(doing.examples),
      Command.validate((given: Given) =>
        Result.match(Result.flatMap(doing.read(given), () => fits(storeProblem(given))), {
          onFailure: (message) => Effect.fail(new CliError.ValidationError({ message })),
          onSuccess: () => Effect.void
        })
      ),
      Command.withHandler(Effect.fnUntraced(function*(given: Given) {
        const call = yield* Call
        const asked = Result.getOrThrow(doing.read(given))
        const { version } = call
        const log = { level: yield* logLevelFlag, file: yield* logFileFlag }
        const { meant } = doing
        const doingIt = doing.run(asked, call)
        const there = meant === undefined ? doingIt : inStore(doingIt, given, meant(asked, call), call.cwd)
        const work = command.name === "watch" ? there : whileItWorks(command.name, there)
        const ran = logged(work, { call: command.name, version }, ({ code }) => ({ exit: code }))
        const ending = perform(Effect.provide(ran, (yield* Logs)(log)))
        yield* call.end(yield* Effect.provideService(ending, TrustStateRoot, trusts(given)))
      })),
      Command.withGlobalFlags([logLevelFlag, logFileFlag])
    )

// effect/cli reads `-github` as `-g -i -t -h`: a call for help, whose exit is that of a batch without findings.
// It would read `-n4` as `-n -4`, where a step reads `-n 4`.
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
  Command.make("ooda-codex-review").pipe(Command.withSubcommands(commands))

/** Carries a subcommand out, from its arguments to its ending. */
export const carryOut = Effect.fnUntraced(
  function*<Name extends SubcommandName, Given, E, R>(
    command: Command.Command<Name, Given, {}, E, R>,
    argv: ReadonlyArray<string>,
    called: Called
  ) {
    const ended = yield* Ref.make(exited(exits.done))
    const end = (ending: Ending) => Ref.set(ended, ending)
    const { version } = called
    yield* Command.runWith(program([command]), { version })([command.name, ...separately(argv)]).pipe(
      Effect.catchIf(CliError.isCliError, () => Effect.void),
      Effect.provideService(CliOutput.Presenter, { present: (event) => Effect.flatMap(presented(event), end) }),
      Effect.provideService(CliOutput.Formatter, formatter),
      Effect.provideService(Call, { ...called, end })
    )
    return yield* Ref.get(ended)
  },
  Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns: [GlobalFlag.Help] }))
)
