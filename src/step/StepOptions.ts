// StepOptions: the settings of an invocation as the loop uses them, with the poll interval from the environment.
// Every limit of a step is named here once, in milliseconds and bytes.
import { Effect, Result, Schema } from "effect"
import type { Settings } from "../core/loop/Settings.ts"
import type { Level } from "../core/run/Level.ts"
import type { Limits } from "../core/loop/Limits.ts"
import type { Starting } from "../ooda/StartReviews.ts"
import { variable } from "../services/Environment.ts"

/** A setting of the environment is unusable. */
export class BadEnvironment extends Schema.TaggedError<BadEnvironment>()("BadEnvironment", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** What one step of loop mode works with. Times in milliseconds. */
export interface StepOptions {
  readonly ceiling: Level
  /** The most iterations; `explicit` says whether it was given: only then waiting counts toward it. */
  readonly maxIter: { readonly value: number; readonly explicit: boolean }
  readonly maxBatches: number | null
  readonly stepTimeout: number | null
  readonly pollInterval: number
  readonly limits: Limits
  readonly starting: Starting
}

/** The poll interval where the environment names none, in milliseconds. */
export const defaultInterval = 30_000
/** The most iterations where none are given. */
export const defaultIterations = 50
const networkTimeout = 5 * 60_000
const maxTranscript = 1024 ** 3

/** The poll interval in milliseconds from `OODA_AWAIT_SECS` (fractions and 0 allowed), or what is wrong with it. */
export const pollInterval = (text: string | null): Result.Result<number, string> => {
  if (text === null) return Result.succeed(defaultInterval)
  return /^(\d+(\.\d*)?|\.\d+)$/.test(text) && Number(text) <= 86_400
    ? Result.succeed(Math.round(Number(text) * 1000))
    : Result.fail(`OODA_AWAIT_SECS must be a number of seconds from 0 to 86400, not "${text}"`)
}

/** The options of a step in the directory `cwd`. */
export const stepOptions = (settings: Settings, cwd: string, interval: number): StepOptions => ({
  ceiling: settings.ceiling,
  maxIter: { value: settings.maxIter ?? defaultIterations, explicit: settings.maxIter !== null },
  maxBatches: settings.maxBatches,
  stepTimeout: settings.stepTimeout,
  pollInterval: interval,
  limits: {
    retries: settings.retries,
    idleTimeout: settings.idleTimeout,
    networkTimeout,
    maxTranscript
  },
  starting: {
    batchSize: settings.batchSize,
    codexBin: settings.codexBin,
    cwd,
    strictTarget: settings.strictTarget,
    retries: settings.retries,
    jobs: settings.jobs,
    reviewTimeout: settings.reviewTimeout,
    maxTranscript
  }
})

/** The options of a step in the directory `cwd`, with the poll interval of the environment. */
export const readOptions = Effect.fn("StepOptions.readOptions")(function*(settings: Settings, cwd: string) {
  const interval = pollInterval(yield* variable("OODA_AWAIT_SECS"))
  return Result.isFailure(interval)
    ? yield* new BadEnvironment({ reason: interval.failure })
    : stepOptions(settings, cwd, interval.success)
})
