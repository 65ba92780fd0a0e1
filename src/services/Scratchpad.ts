// Scratchpad: where temporary copies of code are made while an invocation works: in the store of its target.
// Copies are kept nowhere else, so that the next invocation finds and removes those that a killed one has left.
import { Context } from "effect"
import type { TargetRef } from "../core/run/Refs.ts"

/** The target in whose store copies are made; null where no store is open, as for a host that asks git alone. */
export const Scratchpad = Context.Reference<TargetRef | null>("ooda-codex-review/services/Scratchpad", {
  defaultValue: () => null
})
