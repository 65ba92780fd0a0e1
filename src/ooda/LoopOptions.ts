// LoopOptions: the settings of an invocation as the loop uses them.
// Every limit of the loop is named here once, in milliseconds and bytes.
import type { Limits } from "../core/loop/Limits.ts"
import type { Settings } from "../core/loop/Settings.ts"
import type { Cap } from "../core/loop/Stuck.ts"
import type { Level } from "../core/run/Level.ts"
import type { Starting } from "./StartReviews.ts"

/** What the loop works with. Times in milliseconds. */
export interface LoopOptions {
  readonly ceiling: Level
  readonly maxIter: Cap
  readonly maxBatches: number | null
  readonly stepTimeout: number | null
  readonly pollInterval: number
  readonly limits: Limits
  readonly starting: Starting
}

/** The most iterations where none are given. */
export const defaultIterations = 50
const networkTimeout = 5 * 60_000
const maxTranscript = 1024 ** 3

/** The options of a loop in the directory `cwd` that waits for at most `pollInterval` at a time. */
export const loopOptions = (settings: Settings, cwd: string, pollInterval: number): LoopOptions => ({
  ceiling: settings.ceiling,
  maxIter: { value: settings.maxIter ?? defaultIterations, explicit: settings.maxIter !== null },
  maxBatches: settings.maxBatches,
  stepTimeout: settings.stepTimeout,
  pollInterval,
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
