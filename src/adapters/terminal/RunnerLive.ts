// RunnerLive: the files of a GitHub Actions runner, named by its variables.
import { appendFileSync, readFileSync } from "node:fs"
import { Effect, Layer } from "effect"
import { variable } from "../../services/Environment.ts"
import { Runner, RunnerFailed } from "../../services/Runner.ts"
import { systemFault } from "../process/SystemError.ts"

const pathOf = Effect.fnUntraced(function*(name: string) {
  return (yield* variable(name)) ?? (yield* new RunnerFailed({ variable: name, reason: { _tag: "NotSet" } }))
})

const tried = <A>(name: string, call: () => A) =>
  Effect.try({
    try: call,
    catch: (error) =>
      new RunnerFailed({
        variable: name,
        reason: error instanceof SyntaxError
          ? { _tag: "NoEvent", problem: "its file holds no JSON" }
          : systemFault(error)
      })
  })

const appending = (span: string, name: string) =>
  Effect.fn(span)(function*(text: string) {
    const path = yield* pathOf(name)
    yield* tried(name, () => appendFileSync(path, text))
  })

/** The live layer. */
export const layer = Layer.succeed(
  Runner,
  Runner.of({
    event: Effect.gen(function*() {
      const name = "GITHUB_EVENT_PATH"
      const path = yield* pathOf(name)
      const parsed: unknown = yield* tried(name, () => JSON.parse(readFileSync(path, "utf8")))
      return parsed
    }).pipe(Effect.withSpan("Runner.event")),
    output: appending("Runner.output", "GITHUB_OUTPUT"),
    summarise: appending("Runner.summarise", "GITHUB_STEP_SUMMARY")
  })
)
