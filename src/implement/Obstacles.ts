// Obstacles: what stands against beginning a call that works on a plan.
import { Effect } from "effect"
import type { PlanState } from "../core/implement/PlanState.ts"
import type { ImplementSettings } from "../core/implement/Settings.ts"
import type { Outcome } from "../core/loop/Outcome.ts"
import { dirtyWorktree } from "../driving/Against.ts"
import type { Reviewed } from "../runs/PresentIdentity.ts"

const uncovered: Outcome = {
  _tag: "BinaryError",
  message: "this run has committed work, at which --then converge would not look [add --commit-fixes]"
}

/** The end of a call that could not go on as it was asked to; null for none. */
export const obstacleOf = Effect.fn("Obstacles.obstacleOf")(
  function*({ driven, then }: ImplementSettings, reviewed: Reviewed, { cycles }: PlanState) {
    const dirty = yield* dirtyWorktree(driven, reviewed, cycles.length === 0)
    const isCommitted = cycles.some(({ committed }) => committed)
    return dirty ?? (then === "converge" && driven.commitFixes === null && isCommitted ? uncovered : null)
  }
)
