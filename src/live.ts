// live: argv -> Invocation -> program -> what is printed and the exit code, with the live layers.
// The one rule: layers are provided here and nowhere else; whatever happens ends in exactly one Ending.
import { Cause, Effect, Layer } from "effect"
import { layer as codexProcess } from "./adapters/CodexProcessLive.ts"
import { layer as eventLog } from "./adapters/EventLogFile.ts"
import { layer as git } from "./adapters/GitLive.ts"
import { layer as gitHub } from "./adapters/GitHubLive.ts"
import { layer as output } from "./adapters/OutputLive.ts"
import { layer as progress, layerOutput as watching } from "./adapters/ProgressTty.ts"
import { layer as reviewFiles } from "./adapters/ReviewFilesLive.ts"
import { layer as runStore } from "./adapters/RunStoreLive.ts"
import { layer as signals } from "./adapters/SignalsLive.ts"
import { layer as storedReviews } from "./adapters/StoredReviewsLive.ts"
import { layer as storedRuns } from "./adapters/StoredRunsLive.ts"
import { parse, type ParseResult } from "./cli/parse.ts"
import { version } from "./core/Version.ts"
import { exitCode, type Outcome, stderrText } from "./core/Outcome.ts"
import type { Subcommand } from "./core/Subcommand.ts"
import { BadEnvironment, outcomeOf, step, type StepFailure, type StepResult } from "./Step.ts"

/** What an invocation prints and exits with. */
export interface Ending {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

const live = Layer.mergeAll(
  codexProcess,
  eventLog,
  git,
  gitHub,
  progress,
  reviewFiles,
  runStore,
  signals,
  storedReviews
)

const stored = Layer.mergeAll(eventLog, git, output, runStore, signals, storedReviews, storedRuns)

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
    return ({ line, outcome }: StepResult) => Effect.succeed(ending(line === null ? "" : `${line}\n`, outcome))
  }
  const { stepJson } = yield* Effect.promise(() => import("./StepJson.ts"))
  return (result: StepResult) =>
    stepJson(result).pipe(Effect.provide(live), Effect.map((document) => ending(document, result.outcome)))
})

const failed = (failure: StepFailure): Effect.Effect<StepResult> =>
  Effect.succeed({ line: null, outcome: outcomeOf(failure), run: null })

/** Where this was called. Node throws in a directory that has been removed. */
const here = Effect.try({
  try: () => process.cwd(),
  catch: () => new BadEnvironment({ reason: "the current directory does not exist any more" })
})

/** A subcommand writes what it has to say as it goes; what it does is loaded only now. `stop` alone ends as a step. */
const subcommand = Effect.fnUntraced(function*(command: Subcommand) {
  switch (command._tag) {
    case "Stop": {
      const { stopStep } = yield* Effect.promise(() => import("./StopStep.ts"))
      const end = yield* stepEnding(command.json)
      return yield* Effect.flatMap(here, (cwd) => stopStep(command, cwd)).pipe(
        Effect.provide(live),
        Effect.catch(failed),
        Effect.flatMap(end)
      )
    }
    case "Watch":
    case "Prune":
    case "Doctor": {
      const [{ tend }, machine, removal] = yield* Effect.promise(() =>
        Promise.all([
          import("./history/Tend.ts"),
          import("./adapters/MachineLive.ts"),
          import("./adapters/RunRemovalLive.ts")
        ])
      )
      const tending = Layer.mergeAll(stored, codexProcess, watching, machine.layer, removal.layer)
      const { code, stderr } = yield* Effect.provide(tend(command, yield* here), tending)
      return { stdout: "", stderr, code } satisfies Ending
    }
    default: {
      const { answer } = yield* Effect.promise(() => import("./history/Answer.ts"))
      const { code, stderr } = yield* Effect.provide(answer(command, { cwd: yield* here, version }), stored)
      return { stdout: "", stderr, code } satisfies Ending
    }
  }
})

const run = Effect.fnUntraced(function*(parsed: ParseResult) {
  switch (parsed._tag) {
    case "Help":
    case "Version":
    case "Completions":
      return asked(parsed.text)
    case "Usage":
      return ending("", { _tag: "UsageError", message: parsed.message, usage: parsed.usage })
    case "Subcommand":
      return yield* Effect.catch(subcommand(parsed.command), ({ message }) =>
        Effect.succeed<Ending>({ stdout: "", stderr: `ooda-codex-review: ${message}\n`, code: 6 }))
    case "Step": {
      const { invocation } = parsed
      const end = yield* stepEnding(invocation.settings.json)
      return yield* Effect.flatMap(here, (cwd) => step(invocation, cwd, process.env)).pipe(
        Effect.provide(live),
        Effect.catch(failed),
        Effect.flatMap(end)
      )
    }
  }
})

/** Everything an argv leads to. Never fails: a defect is a BinaryError of its own. */
export const main = (
  argv: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>
): Promise<Ending> =>
  Effect.runPromise(parse(argv, env).pipe(
    Effect.flatMap(run),
    Effect.catchCause((cause) => {
      const [defect] = Cause.prettyErrors(cause)
      const message = `internal error: ${defect?.message ?? "unknown"}`
      return Effect.succeed(ending("", { _tag: "BinaryError", message }))
    })
  ))
