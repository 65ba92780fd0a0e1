// Note: the program's log of its own work, through Effect's logger.
// Notes have the level Debug or Trace. Effect logs from Info on by default, so only callers that ask see them.
import { Effect } from "effect"

/** What a note is about, by name. */
export type Fields = Readonly<Record<string, string | number | boolean | null | ReadonlyArray<string | number>>>

/** Notes that something happened or was decided. */
export const note = (message: string, fields: Fields = {}): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logDebug(message), fields)

/** Notes something that happens many times a minute. */
export const trace = (message: string, fields: Fields = {}): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logTrace(message), fields)

/** Notes a failure after which the program continues; `what` says what it does instead. */
export const recovered = (what: string) => (error: unknown): Effect.Effect<void> =>
  note(`recovered: ${what}`, { error: error instanceof Error ? error.message : String(error) })
