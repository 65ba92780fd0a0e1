// logging: the log of its own work that a call keeps. Loaded only by a call that asks for one.
import { Effect, Layer, Result } from "effect"
import { layer as diagnostics } from "./adapters/terminal/Diagnostics.ts"
import { logLevel, type LogOptions } from "./cli/logOptions.ts"
import { BadEnvironment } from "./services/BadEnvironment.ts"

/** What a call asks for, the environment's words included. */
export interface Wanted extends LogOptions {
  /** What the environment names as the level, where no flag does. */
  readonly named: string | null
}

/** A file alone keeps what is needed to find out what happened. */
const level = ({ level, named }: Wanted) => {
  if (level !== null) return Result.succeed(level)
  return named === null ? Result.succeed("Debug" as const) : logLevel(named)
}

/** The layer that keeps the log which is wanted of a call in a directory. */
export const logging = (wanted: Wanted, cwd: string): Layer.Layer<never, BadEnvironment> =>
  Result.match(level(wanted), {
    onFailure: (expected) => {
      const reason = { _tag: "BadLogLevel", text: wanted.named ?? "", expected } as const
      return Layer.effectDiscard(Effect.fail(new BadEnvironment({ reason })))
    },
    onSuccess: (least) => least === "None" ? Layer.empty : diagnostics(wanted.file, least, cwd)
  })
