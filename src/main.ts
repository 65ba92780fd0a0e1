#!/usr/bin/env node
// main: argv -> Invocation -> program -> exit code, with the live layers.
// The one rule: stdout first, then the header on stderr, then the exit; everything is written before the process ends.
import { Cause, Effect, Layer } from "effect"
import { layer as codexProcess } from "./adapters/CodexProcessLive.ts"
import { layer as eventLog } from "./adapters/EventLogFile.ts"
import { layer as git } from "./adapters/GitLive.ts"
import { layer as gitHub } from "./adapters/GitHubLive.ts"
import { layer as reviewFiles } from "./adapters/ReviewFilesLive.ts"
import { layer as runStore } from "./adapters/RunStoreLive.ts"
import { layer as signals } from "./adapters/SignalsLive.ts"
import { parse, type ParseResult } from "./cli/parse.ts"
import { exitCode, type Outcome, stderrText } from "./core/Outcome.ts"
import { outcomeOf, step } from "./Step.ts"
import { stepJson } from "./StepJson.ts"

/** What an invocation prints and exits with. */
interface Ending {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

const live = Layer.mergeAll(codexProcess, eventLog, git, gitHub, reviewFiles, runStore, signals)

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

const main: Effect.Effect<Ending> = parse(process.argv.slice(2), process.env).pipe(
  Effect.flatMap(run),
  Effect.catchCause((cause) => {
    const [defect] = Cause.prettyErrors(cause)
    return Effect.succeed(ending("", { _tag: "BinaryError", message: `internal error: ${defect?.message ?? "unknown"}` }))
  })
)

/** Writes a text whole; a reader that has gone away is no reason to fail after the work is done. */
const write = (stream: NodeJS.WriteStream, text: string): Promise<void> =>
  new Promise((resolve) => {
    if (text === "" || stream.destroyed) return resolve()
    stream.once("error", () => resolve())
    stream.write(text, () => resolve())
  })

const { code, stderr, stdout } = await Effect.runPromise(main)
await write(process.stdout, stdout)
await write(process.stderr, stderr)
process.exit(code)
