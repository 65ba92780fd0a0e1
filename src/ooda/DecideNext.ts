// DecideNext: gathers what a decision needs besides the log, and lets `core/loop` decide.
import { Effect } from "effect"
import { decide, type Decision, needsIdentity } from "../core/loop/Decide.ts"
import { decideStrict, dependsOnPresent } from "../core/loop/StrictDecide.ts"
import type { Settings } from "../core/loop/Settings.ts"
import { noneWaived } from "../core/run/Cover.ts"
import { baseOrLast, presentBase, type Present, presentWith } from "../runs/PresentIdentity.ts"
import { handoffPlaces } from "./Halt.ts"
import type { Recorded } from "./Record.ts"

/** What a decision depends on of what is there now; null where it depends on none of it. */
const presentFor = Effect.fnUntraced(function*({ completed, run: { manifest } }: Recorded, retries: number) {
  const { batch, strict } = manifest
  const told = completed === null || batch._tag === "NotStarted" ? null : { base: batch.base, identity: completed }
  if (strict !== undefined) {
    return dependsOnPresent(manifest, retries) ? yield* presentWith(manifest, yield* presentBase(manifest), told) : null
  }
  if (batch._tag === "NotStarted" || !needsIdentity(manifest, retries)) return null
  // Without strictness a pull request's base holds for all of the call in which its batch became complete.
  return told ?? (yield* presentWith(manifest, yield* baseOrLast(manifest, batch.base)))
})

/** What is next, and what is there now as far as that was asked for. */
export interface Next {
  readonly decision: Decision
  readonly present: Present | null
}

/**
 * Decides what comes next for a run. `openedAt` is the last line that the invocation found. An identity takes long in a
 * large repository: it is computed only where the decision depends on it, and never where it was computed just now.
 */
export const decideNext = Effect.fn("DecideNext.decideNext")(
  function*(recorded: Recorded, openedAt: number, settings: Settings) {
    const { run } = recorded
    const { strict } = run.manifest
    const { ceiling, maxBatches, retries } = settings
    const present = yield* presentFor(recorded, retries)
    const identity = present?.identity ?? null
    const paths = yield* handoffPlaces(run)
    const context = { ceiling, retries, openedAt, identity, maxBatches, paths }
    const decision = strict === undefined
      ? decide(run.manifest, context)
      : decideStrict(run.manifest, strict, { ...context, waived: noneWaived })
    return { decision, present } satisfies Next
  }
)
