// ReviewLevels: one batch of reviews per level, nothing edited: each level is a strict run of its own.
import { Effect } from "effect"
import type { Settings } from "../core/loop/Settings.ts"
import type { Outcome } from "../core/loop/Outcome.ts"
import type { Level } from "../core/run/Level.ts"
import { loopStep } from "../step/LoopStep.ts"
import { outcomeOf, type StepResult } from "../step/StepResult.ts"

/** Whether an outcome says that a level was reviewed, whatever was found. */
export const isReviewed = (outcome: Outcome): boolean =>
  outcome._tag === "DoneFixedPoint" || (outcome._tag === "HandoffAgent" && outcome.action === "AddressBatch")

/** Reviews at each of the levels, in their order, until one could not be reviewed. */
export const reviewLevels = Effect.fn("ReviewLevels.reviewLevels")(
  function*(settings: Settings, levels: ReadonlyArray<Level>, cwd: string) {
    const results: Array<StepResult> = []
    for (const level of levels) {
      const result = yield* loopStep({ ...settings, floor: level, ceiling: level }, true, cwd).pipe(
        Effect.catch((failure) => Effect.succeed<StepResult>({ line: null, outcome: outcomeOf(failure), run: null }))
      )
      results.push(result)
      if (!isReviewed(result.outcome)) break
    }
    return results
  }
)
