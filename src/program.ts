// program: argv -> Invocation -> program -> what is printed and the exit code, with the live layers.
// Whatever happens ends in exactly one Ending.
import { Cause, Effect, Layer, References } from "effect"
import { parse, type ParseResult } from "./cli/parse.ts"
import { type Ending, ending, misused, printed } from "./cli/ending.ts"
import { logged } from "./cli/logged.ts"
import type { LogOptions } from "./cli/logOptions.ts"
import { version } from "./core/Version.ts"
import { oneLine } from "./core/text/Text.ts"
import { brief } from "./core/text/Untrusted.ts"
import { header } from "./core/loop/Outcome.ts"
import { Environment, variable, type Variables } from "./services/Environment.ts"
import { TrustStateRoot } from "./services/RunStore.ts"
import { stepping } from "./stepLayers.ts"
import type { Invocation } from "./core/loop/Invocation.ts"
import { BadEnvironment } from "./services/BadEnvironment.ts"
import type { step as anyStep } from "./step/Step.ts"
import { outcomeOf, type StepFailure, type StepResult } from "./step/StepResult.ts"

/**
 * What makes the ending of a step: its line or its document, then its header. Loaded before the step begins: a step
 * may last for hours, and the files of this program may be replaced meanwhile.
 */
const stepEnding = Effect.fnUntraced(function*(json: boolean, { settings }: Invocation) {
  if (!json) {
    return ({ line, outcome }: StepResult) => Effect.succeed(ending(line === null ? "" : `${oneLine(line)}\n`, outcome))
  }
  const { stepJson } = yield* Effect.promise(() => import("./step/StepJson.ts"))
  return (result: StepResult) =>
    stepJson(result, settings).pipe(
      Effect.provide(stepping),
      Effect.map((document) => ending(document, result.outcome))
    )
})

const failed = (failure: StepFailure): Effect.Effect<StepResult> =>
  Effect.succeed({ line: null, outcome: outcomeOf(failure), run: null })

/** Where and with which variables this program was called. A null directory has been removed meanwhile. */
export interface Caller {
  readonly cwd: string | null
  readonly env: Variables
}

const directoryOf = ({ cwd }: Caller): Effect.Effect<string, BadEnvironment> =>
  cwd === null
    ? Effect.fail(new BadEnvironment({ reason: { _tag: "NoDirectory" } }))
    : Effect.succeed(cwd)

/** The log of its own work that a call keeps: none, unless a flag or a variable asks for one. */
const logs = Effect.fnUntraced(function*(options: LogOptions, caller: Caller) {
  const named = options.level === null ? yield* variable("OODA_LOG_LEVEL") : null
  const file = options.file ?? (yield* variable("OODA_LOG_FILE"))
  if (options.level === null && named === null && file === null) return Layer.empty
  const { logging } = yield* Effect.promise(() => import("./logging.ts"))
  return logging({ level: options.level, named, file }, yield* directoryOf(caller))
}, Layer.unwrap)

// Ending reviewers loads everything that judges reviews. A mark that ends and judges none does not load it.
const reviewing = Effect.promise(() => import("./ooda/Reviewing.ts"))

/** A step of any action. All have one type, so that the compiler finds a failure that nobody turns into an outcome. */
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
      return (cwd: string) => loopStep(settings, action.fresh, cwd)
    }
  }
})

/** The subcommands whose standard output belongs to their result. */
const drivers: ReadonlySet<string> = new Set(["ci", "converge", "implement"])

const run = Effect.fnUntraced(function*(parsed: ParseResult, caller: Caller) {
  switch (parsed._tag) {
    case "Help":
    case "Version":
      return printed(parsed.text)
    case "Completions": {
      const { completions } = yield* Effect.promise(() => import("./commands/Completions.ts"))
      return printed(completions(parsed.shell))
    }
    case "Usage":
      return misused(parsed.message, parsed.usage)
    case "Subcommand": {
      const { dispatch } = yield* Effect.promise(() => import("./commands/Dispatch.ts"))
      const { commanding, driving } = yield* Effect.promise(() => import("./commandLayers.ts"))
      const { Logs } = yield* Effect.promise(() => import("./commands/Command.ts"))
      return yield* dispatch(parsed, { cwd: directoryOf(caller), version }).pipe(
        Effect.provideService(Logs, (options) => logs(options, caller)),
        Effect.provide(drivers.has(parsed.name) ? driving : commanding)
      )
    }
    case "Step": {
      const { invocation, json, log } = parsed
      const end = yield* stepEnding(json, invocation)
      const step = yield* stepOf(invocation)
      const told = { call: invocation.action._tag, version }
      return yield* logged(Effect.flatMap(directoryOf(caller), step), told, ({ outcome }) => ({
        outcome: header(outcome)
      })).pipe(
        Effect.provide([stepping, logs(log, caller)]),
        Effect.provideService(TrustStateRoot, invocation.settings.trustStateRoot),
        Effect.catch(failed),
        Effect.flatMap(end)
      )
    }
  }
})

/** Everything an argv leads to. Never fails: a defect is a BinaryError of its own. */
export const main = (argv: ReadonlyArray<string>, caller: Caller): Promise<Ending> =>
  Effect.runPromise(
    parse(argv).pipe(
      Effect.flatMap((parsed) => run(parsed, caller)),
      Effect.provideService(Environment, caller.env),
      // Nothing but what a call asks for is logged: standard output belongs to its results.
      Effect.provideService(References.MinimumLogLevel, "None"),
      Effect.catchCause((cause) => {
        const [defect] = Cause.prettyErrors(cause)
        const message = `internal error: ${brief(defect?.message ?? "unknown", 500)} [please report it]`
        return Effect.succeed(ending("", { _tag: "BinaryError", message }))
      })
    )
  )
