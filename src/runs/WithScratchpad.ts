// WithScratchpad: an invocation with a place for temporary copies of code.
import { Effect } from "effect"
import type { TargetRef } from "../core/run/Refs.ts"
import { RunStore } from "../services/RunStore.ts"
import { Scratchpad } from "../services/Scratchpad.ts"
import { recovered } from "../services/Note.ts"

/** Runs an invocation about a target, after removing the copies of code that killed invocations have left there. */
export const withScratchpad = <A, E, R>(target: TargetRef, use: Effect.Effect<A, E, R>) =>
  RunStore.use(({ clearScratches }) =>
    Effect.catch(clearScratches(target), recovered("old copies of code stay until the next call"))
  ).pipe(
    Effect.andThen(use),
    Effect.provideService(Scratchpad, target)
  )
