// Held.live: what drivers of this machine have left of a run, for a step.
import { Effect } from "effect"
import type { Run } from "../run/Run.ts"
import type { Leaving } from "../step/RunGuard.ts"
import { layer } from "./DriverLock.live.ts"
import * as Held from "./Held.ts"

/** Fails if a step may not go on with a run, or leave it. */
export const guardStep = (run: Run, leaving: Leaving) => Effect.provide(Held.guardStep(run, leaving), layer)
