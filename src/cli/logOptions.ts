// logOptions: the log of its own work that a call is asked to keep: from which level on, and in which file.
import { Effect, Result, Struct } from "effect"
import { type FlagTexts, oneOf, path, type Value, valueOf } from "./values.ts"

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

const names = Struct.keys(logLevels)

/** A level by its name. */
export const logLevel: Value<LogLevel> = (text) => Result.map(oneOf(names)(text), (name) => logLevels[name])

/** What the two flags ask for, or one line that says what is wrong with one of them. */
export const logOptions = (given: FlagTexts): Result.Result<LogOptions, string> =>
  Result.gen(function*() {
    const level = yield* valueOf(given, "--log-level", logLevel)
    const file = yield* valueOf(given, "--log-file", path)
    return { level: level ?? null, file: file ?? null }
  })

/** Logs a call: `fields` say which it is, `ended` says how it ended. */
export const logCall = <A, E extends Error, R>(
  call: Effect.Effect<A, E, R>,
  fields: Readonly<Record<string, string>>,
  ended: (result: A) => Readonly<Record<string, string | number>>
): Effect.Effect<A, E, R> =>
  Effect.annotateLogs(Effect.logInfo("the call begins"), fields).pipe(
    Effect.andThen(call),
    Effect.tap((result) => Effect.annotateLogs(Effect.logInfo("the call ended"), ended(result))),
    Effect.tapError(({ message }) => Effect.annotateLogs(Effect.logError("the call failed"), { error: message }))
  )
