// Held: what an earlier driver has left of a run: agents that still work, or a change that is compared with something
// else than when its round began. Neither may be forgotten because another run of the target begins.
import { Effect, Result } from "effect"
import { type Consents, isGiven } from "../agent/Consent.ts"
import { baseOrLast, presentWith, type Reviewed } from "../code/PresentIdentity.ts"
import type { RunRef } from "../log/Refs.ts"
import { comparedMoved } from "../run/Identity.ts"
import { readerCall, CallPlace } from "../run/Naming.ts"
import type { Run } from "../run/Run.ts"
import { isPlanRun } from "../run/RunKind.ts"
import { parseBranch } from "../run/Target.ts"
import { type Leaving, RunHeld } from "../step/RunGuard.ts"
import { Drivers } from "./DriverLock.ts"
import { movedText } from "./Ends.ts"
import { driverOf } from "./Spending.ts"
import type { DrivenState } from "./State.ts"

/**
 * What the rounds of a call are compared with, as it was at their beginning, and the present one; null if it is the
 * same, or one that a person allowed. Otherwise a smaller diff would hide what was never reviewed.
 */
export const movedBase = Effect.fn("Held.movedBase")(function*(state: DrivenState, ref: RunRef, reviewed: Reviewed) {
  const began = state.rounds[state.settled]?.started.content
  if (began === undefined) return null
  const base = yield* baseOrLast(reviewed, Result.getOrElse(parseBranch(began.branch ?? ""), () => null))
  const { identity } = yield* presentWith(reviewed, base)
  // The agents of a plan judge all that was done since the round began, committed or not.
  const moved = comparedMoved(began, identity, reviewed.target._tag === "Uncommitted" && !isPlanRun(ref))
  return moved === null || isGiven(state, "moved-base", moved.to) ? null : moved
})

/** Fails while an agent or a test of a run works, which a new run would leave behind. */
export const idle = Effect.fn("Held.idle")(function*(ref: RunRef) {
  if (!(yield* (yield* Drivers).works(ref))) return
  const stop = readerCall("stop", { ...yield* CallPlace, run: ref.runId })
  return yield* new RunHeld({ message: `an agent or a test of run ${ref.runId} still works [\`${stop}\` ends it]` })
})

/** Fails if agents of a run work that a new one would leave behind. What its change is compared with now, if it moved. */
const guard = Effect.fn("Held.guard")(
  function*({ manifest, ref }: Run, leaving: Leaving) {
    if (leaving !== "Resume") yield* idle(ref)
    if (leaving === "Fresh") return null
    const state = (yield* driverOf(ref))?.walked.state ?? null
    return state === null ? null : yield* movedBase(state, ref, manifest)
  },
  Effect.mapError((error) => error instanceof RunHeld ? error : new RunHeld({ message: error.message }))
)

/** The guard of a step, which has no flag to allow another base. */
export const guardStep = (run: Run, leaving: Leaving) =>
  Effect.flatMap(
    guard(run, leaving),
    (moved) => moved === null ? Effect.void : new RunHeld({ message: movedText(moved) })
  )

/**
 * The guard of a driver's call, which itself answers for the run that it goes on with. `carried` gets what the change of a
 * new run is compared with because the call allows it.
 */
export const guarded = Effect.fnUntraced(function*(allow: Consents, carried: Array<string>) {
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof guard>>>()
  return (run: Run, leaving: Leaving) =>
    leaving === "Resume" ? Effect.void : guard(run, leaving).pipe(
      Effect.flatMap((moved) => {
        if (moved === null) return Effect.void
        return allow.includes("moved-base")
          ? Effect.sync(() => carried.push(moved.to))
          : new RunHeld({ message: movedText(moved) })
      }),
      Effect.provideContext(context)
    )
})
