// logged: one call of the program in the log of its own work: that it begins, and how it ends.
import { Effect } from "effect"

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
