// logOptions: the log of its own work that a call is asked to write: from which level on, and to which file.
import { Effect, Result } from "effect"
import { callSettings, logLevelNames } from "./flags.ts"
import { type FlagTexts, oneOf, parserOf, type Value, valueOf } from "./values.ts"

/** Effect's names of the levels. */
export const logLevels = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  none: "None"
} as const satisfies Record<typeof logLevelNames[number], string>

type LogLevel = typeof logLevels[keyof typeof logLevels]

/** Null for a flag that is not given. */
export interface LogOptions {
  readonly level: LogLevel | null
  readonly file: string | null
}

/** A level by its name. */
export const logLevel: Value<LogLevel> = (text) => Result.map(oneOf(logLevelNames)(text), (name) => logLevels[name])

/** The request of the two flags, or one line that says what is wrong with one of them. */
export const logOptions = (given: FlagTexts): Result.Result<LogOptions, string> =>
  Result.gen(function*() {
    const level = yield* valueOf(given, callSettings.logLevel.flag, logLevel)
    const file = yield* valueOf(given, callSettings.logFile.flag, parserOf<"path">(callSettings.logFile))
    return { level: level ?? null, file: file ?? null }
  })

/** Logs a call: `fields` identify it, `ended` describes its end. */
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
