// fleets: the stores in databases, for subcommands. Nothing of them is loaded until one is named.
import { Context, Effect, Layer } from "effect"
import { StoreFailed } from "../run/RunStore.ts"
import type { FleetAccess } from "../fleet/Fleets.ts"

const unreachable = { _tag: "DatabaseRefused", why: "unreachable", state: null } as const
const nowhere = Effect.fail(new StoreFailed({ path: "the store", reason: unreachable }))

/** The available stores: none, unless the caller provides them. */
export const Fleets = Context.Reference<FleetAccess>("ooda-codex-review/commands/Fleets", {
  defaultValue: () => ({
    store: () => Layer.effectContext(nowhere),
    at: () => Layer.effectContext(nowhere),
    seen: () => Layer.effectContext(nowhere),
    work: () => nowhere
  })
})
