// program: argv -> Invocation -> program -> what is printed and the exit code, with the live layers.
// The one rule: whatever happens ends in exactly one Ending.
import { Cause, Effect } from "effect"
import { parse, type ParseResult } from "./cli/parse.ts"
import { version } from "./core/Version.ts"
import { exitCode, type Outcome, stderrText } from "./core/loop/Outcome.ts"
import { oneLine } from "./core/text/Text.ts"
import type { Subcommand } from "./commands/Subcommand.ts"
import { Environment, type Variables } from "./services/Environment.ts"
import { reading, stepping, tending } from "./layers.ts"
import type { Invocation } from "./core/loop/Invocation.ts"
import { BadEnvironment } from "./step/StepOptions.ts"
import { outcomeOf, type StepFailure, type StepResult } from "./step/StepResult.ts"

/** What an invocation prints and exits with. */
export interface Ending {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

const ending = (stdout: string, outcome: Outcome): Ending => ({
  stdout,
  stderr: stderrText(outcome),
  code: exitCode(outcome)
})

const asked = (text: string): Ending => ({ stdout: `${text}\n`, stderr: "", code: 0 })

/**
 * What makes the ending of a step: its line or its document, then its header. Loaded before the step begins: a step
 * may last for hours, and the files of this program may be replaced meanwhile.
 */
const stepEnding = Effect.fnUntraced(function*(json: boolean) {
  if (!json) {
    return ({ line, outcome }: StepResult) => Effect.succeed(ending(line === null ? "" : `${oneLine(line)}\n`, outcome))
  }
  const { stepJson } = yield* Effect.promise(() => import("./step/StepJson.ts"))
  return (result: StepResult) =>
    stepJson(result).pipe(Effect.provide(stepping), Effect.map((document) => ending(document, result.outcome)))
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
    ? Effect.fail(new BadEnvironment({ reason: "the current directory does not exist any more" }))
    : Effect.succeed(cwd)

// Ending reviewers brings all that judges reviews: a mark that ends none does without.
const endReviews = Effect.promise(() => import("./ooda/EndReviews.ts"))

/** A step with the modules of its action loaded, and of no other. */
const stepOf = Effect.fnUntraced(function*({ action, settings }: Invocation) {
  switch (action._tag) {
    case "SideEffect": {
      const { markStep } = yield* Effect.promise(() => import("./step/MarkStep.ts"))
      return (cwd: string) => markStep(settings, action.mark, endReviews, cwd)
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

/** A subcommand writes what it has to say as it goes; what it does is loaded only now. `stop` alone ends as a step. */
const subcommand = Effect.fnUntraced(function*(command: Subcommand, caller: Caller) {
  const here = directoryOf(caller)
  switch (command._tag) {
    case "Stop": {
      const { stopStep } = yield* Effect.promise(() => import("./step/StopStep.ts"))
      const end = yield* stepEnding(command.json)
      return yield* Effect.flatMap(here, (cwd) => stopStep(command, cwd, caller.env)).pipe(
        Effect.provide(stepping),
        Effect.catch(failed),
        Effect.flatMap(end)
      )
    }
    case "Watch":
    case "Prune":
    case "Doctor": {
      const { tend } = yield* Effect.promise(() => import("./commands/Tend.ts"))
      const { code, stderr } = yield* Effect.provide(tend(command, yield* here), tending)
      return { stdout: "", stderr, code } satisfies Ending
    }
    default: {
      const { answer } = yield* Effect.promise(() => import("./commands/Answer.ts"))
      const { code, stderr } = yield* Effect.provide(answer(command, { cwd: yield* here, version }), reading)
      return { stdout: "", stderr, code } satisfies Ending
    }
  }
})

const run = Effect.fnUntraced(function*(parsed: ParseResult, caller: Caller) {
  switch (parsed._tag) {
    case "Help":
    case "Version":
    case "Completions":
      return asked(parsed.text)
    case "Usage":
      return ending("", { _tag: "UsageError", message: parsed.message, usage: parsed.usage })
    case "Subcommand":
      return yield* Effect.catch(subcommand(parsed.command, caller), ({ message }) =>
        Effect.succeed<Ending>({ stdout: "", stderr: `ooda-codex-review: ${oneLine(message)}\n`, code: 6 }))
    case "Step": {
      const { invocation, json } = parsed
      const end = yield* stepEnding(json)
      const step = yield* stepOf(invocation)
      return yield* Effect.flatMap(directoryOf(caller), step).pipe(
        Effect.provide(stepping),
        Effect.catch(failed),
        Effect.flatMap(end)
      )
    }
  }
})

/** Everything an argv leads to. Never fails: a defect is a BinaryError of its own. */
export const main = (argv: ReadonlyArray<string>, caller: Caller): Promise<Ending> =>
  Effect.runPromise(parse(argv).pipe(
    Effect.flatMap((parsed) => run(parsed, caller)),
    Effect.provideService(Environment, caller.env),
    Effect.catchCause((cause) => {
      const [defect] = Cause.prettyErrors(cause)
      const message = `internal error: ${defect?.message ?? "unknown"}`
      return Effect.succeed(ending("", { _tag: "BinaryError", message }))
    })
  ))
