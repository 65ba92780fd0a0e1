// Scratchpad: the place for temporary copies of code during an invocation: the store of its target.
// Copies lie nowhere else, so that the next invocation finds and removes those of a killed one.
import { Context, Effect } from "effect"
import type { TargetRef } from "../log/Refs.ts"
import { recovered } from "../platform/Note.ts"
import { RunStore } from "../run/RunStore.ts"

/** The target whose store holds the copies; null without an open store, as for a host that only asks git. */
export const Scratchpad = Context.Reference<TargetRef | null>("ooda-codex-review/services/Scratchpad", {
  defaultValue: () => null
})

// An invocation with a place for temporary copies of code.

/** Runs an invocation about a target, after removing copies of code that killed invocations have left there. */
export const withScratchpad = <A, E, R>(target: TargetRef, use: Effect.Effect<A, E, R>) =>
  RunStore.use(({ clearScratches }) =>
    Effect.catch(clearScratches(target), recovered("old copies of code stay until the next call"))
  ).pipe(
    Effect.andThen(use),
    Effect.provideService(Scratchpad, target)
  )
