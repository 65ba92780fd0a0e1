// Runner.live: the files of a GitHub Actions runner, named by its variables.
import { Effect, FileSystem, Layer, type PlatformError } from "effect"
import { variable } from "../platform/Environment.ts"
import { Runner, RunnerFailed } from "./Runner.ts"
import { systemFault } from "../platform/SystemError.ts"

const pathOf = Effect.fnUntraced(function*(name: string) {
  return (yield* variable(name)) ?? (yield* new RunnerFailed({ variable: name, reason: { _tag: "NotSet" } }))
})

const refused = (variable: string) => ({ reason: { cause } }: PlatformError.PlatformError): RunnerFailed =>
  new RunnerFailed({ variable, reason: systemFault(cause) })

const noJson = { _tag: "NoEvent", problem: "its file holds no JSON" } as const

const appending = (fs: FileSystem.FileSystem, span: string, name: string) =>
  Effect.fn(span)(function*(text: string) {
    const path = yield* pathOf(name)
    yield* Effect.mapError(fs.writeFileString(path, text, { flag: "a" }), refused(name))
  })

export const layer = Layer.effect(
  Runner,
  Effect.map(FileSystem.FileSystem, (fs) =>
    Runner.of({
      event: Effect.gen(function*() {
        const name = "GITHUB_EVENT_PATH"
        const text = yield* Effect.mapError(fs.readFileString(yield* pathOf(name)), refused(name))
        return yield* Effect.try({
          try: (): unknown => JSON.parse(text),
          catch: () => new RunnerFailed({ variable: name, reason: noJson })
        })
      }).pipe(Effect.withSpan("Runner.event")),
      output: appending(fs, "Runner.output", "GITHUB_OUTPUT"),
      summarise: appending(fs, "Runner.summarise", "GITHUB_STEP_SUMMARY")
    }))
)
