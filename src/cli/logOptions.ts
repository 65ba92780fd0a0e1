// logOptions: the log of its own work that a call is asked to keep: from which level on, and in which file.
import { Effect, Result } from "effect"
import { badValue } from "./argv.ts"
import { path, type Value } from "./values.ts"

/** The names of the levels, and what Effect calls each. */
export const logLevels = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  none: "None"
} as const

type LogLevel = typeof logLevels[keyof typeof logLevels]

/** Null stands for what was not given. */
export interface LogOptions {
  readonly level: LogLevel | null
  readonly file: string | null
}

const isName = (text: string): text is keyof typeof logLevels => Object.hasOwn(logLevels, text)

/** The names of the levels as prose. */
const expectedLevel = "expected trace, debug, info, warn, error or none"

/** A level by its name. */
export const logLevel: Value<LogLevel> = (text) =>
  isName(text) ? Result.succeed(logLevels[text]) : Result.fail(expectedLevel)

const read = <A>(option: string, text: string | null, parser: Value<A>): Result.Result<A | null, string> =>
  text === null
    ? Result.succeed(null)
    : Result.mapError(parser(text), (reason) => badValue(option, text, reason))

/** What the two flags ask for, or one line that says what is wrong with one of them. */
export const logOptions = (
  given: (option: "--log-level" | "--log-file") => string | null
): Result.Result<LogOptions, string> =>
  Result.gen(function*() {
    const level = yield* read("--log-level", given("--log-level"), logLevel)
    return { level, file: yield* read("--log-file", given("--log-file"), path) }
  })

// logged: one call of the program in the log of its own work: that it begins, and how it ends.

/** Logs a call: `fields` say which it is, `ended` says how it ended. */
export const logged = <A, E extends Error, R>(
  call: Effect.Effect<A, E, R>,
  fields: Readonly<Record<string, string>>,
  ended: (result: A) => Readonly<Record<string, string | number>>
): Effect.Effect<A, E, R> =>
  Effect.annotateLogs(Effect.logInfo("the call begins"), fields).pipe(
    Effect.andThen(call),
    Effect.tap((result) => Effect.annotateLogs(Effect.logInfo("the call ended"), ended(result))),
    Effect.tapError(({ message }) => Effect.annotateLogs(Effect.logError("the call failed"), { error: message }))
  )
