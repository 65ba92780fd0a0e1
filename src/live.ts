// live: argv -> Invocation -> program -> what is printed and the exit code, with the live layers.
// The one rule: layers are provided here and nowhere else; whatever happens ends in exactly one Ending.
import { Cause, Effect, Layer } from "effect"
import { layer as codexProcess } from "./adapters/CodexProcessLive.ts"
import { layer as eventLog } from "./adapters/EventLogFile.ts"
import { layer as git } from "./adapters/GitLive.ts"
import { layer as gitHub } from "./adapters/GitHubLive.ts"
import { layer as progress } from "./adapters/ProgressTty.ts"
import { layer as reviewFiles } from "./adapters/ReviewFilesLive.ts"
import { layer as runStore } from "./adapters/RunStoreLive.ts"
import { layer as signals } from "./adapters/SignalsLive.ts"
import { parse, type ParseResult } from "./cli/parse.ts"
import { exitCode, type Outcome, stderrText } from "./core/Outcome.ts"
import { outcomeOf, step } from "./Step.ts"
import { stepJson } from "./StepJson.ts"

/** What an invocation prints and exits with. */
export interface Ending {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

const live = Layer.mergeAll(codexProcess, eventLog, git, gitHub, progress, reviewFiles, runStore, signals)

const ending = (stdout: string, outcome: Outcome): Ending => ({
  stdout,
  stderr: stderrText(outcome),
  code: exitCode(outcome)
})

const asked = (text: string): Ending => ({ stdout: `${text}\n`, stderr: "", code: 0 })

const run = Effect.fnUntraced(function*(parsed: ParseResult) {
  switch (parsed._tag) {
    case "Help":
    case "Version":
    case "Completions":
      return asked(parsed.text)
    case "Usage":
      return ending("", { _tag: "UsageError", message: parsed.message, usage: parsed.usage })
    case "Subcommand":
      return asked("")
    case "Step": {
      const { invocation } = parsed
      const result = yield* step(invocation, process.cwd(), process.env).pipe(
        Effect.provide(live),
        Effect.catch((failure) => Effect.succeed({ line: null, outcome: outcomeOf(failure), run: null }))
      )
      const line = result.line === null ? "" : `${result.line}\n`
      if (!invocation.settings.json) return ending(line, result.outcome)
      return ending(yield* stepJson(result).pipe(Effect.provide(live)), result.outcome)
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
