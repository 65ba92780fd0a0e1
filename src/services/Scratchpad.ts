// Scratchpad: where temporary copies of code are made while an invocation works: in the store of its target.
// Copies are kept nowhere else, so that the next invocation finds and removes those that a killed one has left.
import { Context } from "effect"
import type { TargetRef } from "../core/run/Refs.ts"

/** The target whose store holds the copies; null where no store is open, as for a host that only asks git. */
export const Scratchpad = Context.Reference<TargetRef | null>("ooda-codex-review/services/Scratchpad", {
  defaultValue: () => null
})
