// logOptions: the log of its own work that a call is asked to keep: from which level on, and in which file.
import { Result } from "effect"
import { badValue } from "./quoted.ts"
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

export type LogLevel = typeof logLevels[keyof typeof logLevels]

/** Null stands for what was not given. */
export interface LogOptions {
  readonly level: LogLevel | null
  readonly file: string | null
}

const isName = (text: string): text is keyof typeof logLevels => Object.hasOwn(logLevels, text)

/** The names of the levels as prose. */
export const expectedLevel = "expected trace, debug, info, warn, error or none"

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
