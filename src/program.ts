// program: argv -> Invocation -> program -> output and exit code, with the live layers.
// Whatever happens ends in exactly one Ending.
import { Effect, Layer, References, Result } from "effect"
import { parse, type ParseResult } from "./cli/parse.ts"
import { subcommandIn } from "./cli/subcommands.ts"
import { Git } from "./code/Git.ts"
import { type Ending, ending, usageEnding, printEnding } from "./cli/ending.ts"
import { logCall, type LogOptions } from "./cli/logOptions.ts"
import { briefHelp } from "./cli/usage.ts"
import { version } from "./platform/Version.ts"
import { defectText, type Failure } from "./platform/Failure.ts"
import { oneLine } from "./text/Untrusted.ts"
import { header } from "./run/Outcome.ts"
import {
  BadEnvironment,
  CallersPath,
  Environment,
  UsersUmask,
  variable,
  type Variables,
  withoutStore
} from "./platform/Environment.ts"
import type { FleetAccess } from "./fleet/Fleets.ts"
import { TrustStateRoot } from "./run/RunStore.ts"
import { searchPath, stepping } from "./stepLayers.ts"
import type { Invocation } from "./run/Invocation.ts"
import { parseCommit } from "./run/Target.ts"
import { codexProblem, storeOf } from "./cli/targetOptions.ts"
import { CallWords } from "./step/CallLine.ts"
import type { guardStep } from "./drive/Held.live.ts"
import { RunGuard } from "./step/RunGuard.ts"
import type { step as anyStep, StepFailure } from "./step/Step.ts"
import { failedResult, type StepResult } from "./step/StepResult.ts"

/** Makes a step's ending. Loaded before the step begins, because this program may be replaced during the step. */
const stepEnding = Effect.fnUntraced(function*(json: boolean, { settings }: Invocation) {
  if (!json) {
    return ({ line, outcome }: StepResult) => Effect.succeed(ending(line === null ? "" : `${oneLine(line)}\n`, outcome))
  }
  const { stepJson } = yield* Effect.promise(() => import("./step/StepJson.ts"))
  return (result: StepResult) => Effect.map(stepJson(result, settings), (document) => ending(document, result.outcome))
})

const failed = (failure: Failure): Effect.Effect<StepResult> => Effect.succeed(failedResult(failure))

/** The directory, the variables and the umask of the call. A null directory has been removed meanwhile. */
interface Caller {
  readonly cwd: string | null
  readonly env: Variables
  readonly umask?: string
  /** The width of standard output's terminal; null if it is no terminal. */
  readonly columns?: number | null
}

const directoryOf = ({ cwd }: Caller): Effect.Effect<string, BadEnvironment> =>
  cwd === null
    ? Effect.fail(new BadEnvironment({ reason: { _tag: "NoDirectory" } }))
    : Effect.succeed(cwd)

/** The log of the call's own work: none, unless a flag or a variable asks for one. */
const logs = Effect.fnUntraced(function*(options: LogOptions, caller: Caller) {
  const named = options.level === null ? yield* variable("OODA_LOG_LEVEL") : null
  const file = options.file ?? (yield* variable("OODA_LOG_FILE"))
  if (options.level === null && named === null && file === null) return Layer.empty
  const { logging } = yield* Effect.promise(() => import("./cli/Diagnostics.live.ts"))
  return logging({ level: options.level, named, file }, yield* directoryOf(caller))
}, Layer.unwrap)

// Ending reviewers loads everything that judges reviews. A mark that ends and judges none does not load it.
const reviewing = Effect.promise(() => import("./review/End.ts"))

const held = Effect.promise(() => import("./drive/Held.live.ts"))

/** A step that asks about each run that it continues or leaves what drivers have left of it. */
const guarded = <A, E, R>(step: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.context<Effect.Services<ReturnType<typeof guardStep>>>(), (context) =>
    Effect.provideService(
      step,
      RunGuard,
      (run, leaving) => Effect.provideContext(Effect.flatMap(held, (one) => one.guardStep(run, leaving)), context)
    ))

/** A command line that asks for a step. */
type StepCall = Extract<ParseResult, { readonly _tag: "Step" }>

/** A step of any action. All have one type, so that the compiler finds a failure without an outcome. */
type StepIn = (cwd: string) => Effect.Effect<StepResult, StepFailure, Effect.Services<ReturnType<typeof anyStep>>>

/** A step with the modules of its action loaded, and of no other. */
const stepOf = Effect.fnUntraced(function*({ action, settings }: Invocation): Effect.fn.Return<StepIn> {
  switch (action._tag) {
    case "SideEffect": {
      const { markStep } = yield* Effect.promise(() => import("./step/MarkStep.ts"))
      return (cwd: string) => markStep(settings, action, reviewing, cwd)
    }
    case "Inspect": {
      const { inspectStep } = yield* Effect.promise(() => import("./step/InspectStep.ts"))
      return (cwd: string) => inspectStep(settings, cwd)
    }
    case "Loop": {
      const { loopStep } = yield* Effect.promise(() => import("./step/LoopStep.ts"))
      return (cwd: string) => guarded(loopStep(settings, action.fresh, cwd))
    }
  }
})

/** Stores in databases. The modules for them are loaded when one is named. */
const fleetLayers = Effect.promise(() => import("./fleetLayers.ts"))
const fleetsOf = ({ cwd }: Caller): FleetAccess => ({
  store: (url) => Layer.unwrap(Effect.map(fleetLayers, ({ storeAt }) => storeAt(url))),
  at: (url) => Layer.unwrap(Effect.map(fleetLayers, ({ stored }) => stored(url))),
  seen: (url, meant, cwd) => Layer.unwrap(Effect.map(fleetLayers, ({ seen }) => seen(url, meant, cwd))),
  // From a removed directory only absolute paths are found.
  work: (url, facts, asked, begun) =>
    Effect.flatMap(fleetLayers, ({ workFor }) => workFor(url, facts, asked, begun, cwd ?? "/"))
})

/** A step, on this machine or in a store in a database, where every batch is reviewed in a copy of its head. */
const stepped = Effect.fnUntraced(function*({ invocation, json, log, store }: StepCall, caller: Caller) {
  const { action, settings } = invocation
  const end = yield* stepEnding(json, invocation)
  const call = { call: action._tag, version }
  const ended = <R>(step: Effect.Effect<StepResult, StepFailure, R>) =>
    logCall(step, call, ({ outcome }) => ({ outcome: header(outcome) })).pipe(
      Effect.provide(logs(log, caller)),
      Effect.catch(failed),
      Effect.flatMap(end)
    )
  return yield* Effect.gen(function*() {
    const url = yield* storeOf({ store, stateRoot: settings.stateRoot })
    if (url === null) {
      const here = ended(Effect.flatMap(directoryOf(caller), yield* stepOf(invocation)))
      return yield* Effect.provideService(here, Environment, withoutStore(caller.env))
    }
    const problem = codexProblem(settings)
    if (problem !== null) return usageEnding(problem, briefHelp())
    const step = yield* stepOf({ action, settings: { ...settings, isolate: true } })
    const cwd = yield* directoryOf(caller)
    const marked = action._tag === "SideEffect"
      ? Effect.tap(step(cwd), ({ run }) => Effect.flatMap(fleetLayers, ({ wake }) => wake(run)))
      : step(cwd)
    return yield* Effect.provide(
      ended(marked),
      fleetsOf(caller).seen(url, { _tag: "Latest", target: settings.target }, cwd)
    )
  }).pipe(
    Effect.catch((failure) => Effect.flatMap(failed(failure), end)),
    Effect.provide(stepping),
    Effect.provideService(TrustStateRoot, settings.trustStateRoot)
  )
})

/** The subcommands whose standard output belongs to their result. */
const drivers: ReadonlySet<string> = new Set(["ci", "converge", "implement"])

const run = Effect.fnUntraced(function*(parsed: ParseResult, caller: Caller) {
  switch (parsed._tag) {
    case "Help":
    case "Version":
      return printEnding(parsed.text)
    case "Completions": {
      const { completions } = yield* Effect.promise(() => import("./cli/completions.ts"))
      return printEnding(completions(parsed.shell))
    }
    case "Usage":
      return usageEnding(parsed.message, parsed.usage)
    case "Subcommand": {
      const { dispatch } = yield* Effect.promise(() => import("./cli/dispatch.ts"))
      const { commanding, driving } = yield* Effect.promise(() => import("./commandLayers.ts"))
      const { Logs } = yield* Effect.promise(() => import("./cli/command.ts"))
      const { Fleets } = yield* Effect.promise(() => import("./cli/fleets.ts"))
      const isDriver = drivers.has(parsed.name)
      return yield* dispatch(parsed, { cwd: directoryOf(caller), version, columns: caller.columns ?? null }).pipe(
        Effect.provideService(Logs, (options) => logs(options, caller)),
        Effect.provideService(Fleets, fleetsOf(caller)),
        Effect.provide(isDriver ? driving : commanding),
        Effect.provideService(Environment, isDriver ? withoutStore(caller.env) : caller.env)
      )
    }
    case "Step":
      return yield* stepped(parsed, caller)
  }
})

/** The word of a command line that names a commit by something other than its full id, with its place. */
const namedCommit = (argv: ReadonlyArray<string>) => {
  const at = argv.findIndex((word) => word === "--commit" || word.startsWith("--commit="))
  const inline = argv[at]?.startsWith("--commit=") === true
  const name = inline ? argv[at]?.slice("--commit=".length) : argv[at + 1]
  if (at < 0 || name === undefined || name === "" || name.startsWith("-") || Result.isSuccess(parseCommit(name))) {
    return null
  }
  return { at, name, count: inline ? 1 : 2 }
}

/**
 * The command line with the id of the commit that it names otherwise, such as HEAD. A step without `--strict` accepts
 * only ids, by its contract; a name that does not resolve stays, and is refused as always.
 */
const resolved = Effect.fnUntraced(function*(argv: ReadonlyArray<string>, { cwd }: Caller) {
  const named = namedCommit(argv)
  if (named === null || cwd === null) return argv
  if (subcommandIn(argv) === null && !argv.includes("--strict")) return argv
  const { at, count, name } = named
  const commit = yield* Effect.gen(function*() {
    const git = yield* Git
    return yield* git.commit((yield* git.repository(cwd)).root, name)
  }).pipe(Effect.provide(stepping), Effect.orElseSucceed(() => null))
  return commit === null ? argv : [...argv.slice(0, at), "--commit", commit, ...argv.slice(at + count)]
})

/** The whole result of an argv. Never fails: a defect is a BinaryError of its own. */
export const main = (argv: ReadonlyArray<string>, called: Caller): Promise<Ending> =>
  Effect.runPromise(
    Effect.suspend(() => {
      const { cwd, env } = called
      const caller = { ...called, env: { ...env, PATH: searchPath(env, cwd === null ? [] : [cwd]) } }
      const ended = resolved(argv, caller).pipe(Effect.flatMap(parse), Effect.flatMap((asked) => run(asked, caller)))
      return Effect.provideService(ended, Environment, caller.env)
    }).pipe(
      Effect.provideService(CallersPath, called.env["PATH"]),
      Effect.provideService(CallWords, argv),
      Effect.provideService(UsersUmask, called.umask ?? null),
      // Only what a call asks for is logged: standard output belongs to its results.
      Effect.provideService(References.MinimumLogLevel, "None"),
      Effect.catchCause((cause) => Effect.succeed(ending("", { _tag: "BinaryError", message: defectText(cause) })))
    )
  )
