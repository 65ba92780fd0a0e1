// Scratchpad: where temporary copies of code are made while an invocation works: in the store of its target.
// Nothing else may keep one: what a killed invocation leaves there is found and removed by the next one.
import { Context } from "effect"
import type { TargetRef } from "../core/run/Refs.ts"

/** The target in whose store copies are made; null where no store is open, as for a host that asks git alone. */
export const Scratchpad = Context.Reference<TargetRef | null>("ooda-codex-review/services/Scratchpad", {
  defaultValue: () => null
})
