// Obstacles: what stands against a call that works on a plan.
import { Effect } from "effect"
import type { PlanState } from "../core/implement/PlanState.ts"
import { scopeSince } from "../core/implement/Scope.ts"
import type { ImplementSettings } from "../core/implement/Settings.ts"
import type { Outcome } from "../core/loop/Outcome.ts"
import { dirtyWorktree } from "../driving/Against.ts"
import { presentIdentity, type Reviewed } from "../runs/PresentIdentity.ts"

const passedOver = (isKnown: boolean): Outcome => ({
  _tag: "BinaryError",
  message: `${isKnown ? "something" : "git cannot tell whether something"} was committed since this run began, and ` +
    "--then converge would not look at it [add --commit-fixes; or leave it out with --fresh]"
})

/** The end of a call that cannot go on as it was asked to; null for none. */
export const obstacleOf = Effect.fn("Obstacles.obstacleOf")(
  function*({ driven, then }: ImplementSettings, reviewed: Reviewed, { cycles }: PlanState) {
    const dirty = yield* dirtyWorktree(driven, reviewed, cycles.length === 0)
    const [first] = cycles
    if (dirty !== null || then === null || driven.commitFixes !== null || first === undefined) return dirty
    const now = yield* presentIdentity(reviewed)
    const isKnown = now.head !== undefined && first.started.content.head !== undefined
    return scopeSince(first, now)._tag === "Uncommitted" ? null : passedOver(isKnown)
  }
)
