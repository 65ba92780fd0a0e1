// Workbench: the port to where an executor runs reviews on its own machine: a directory for each delivery.
// The one rule: what a delivery left running is known to whoever starts after a crash.
import { Context, type Effect } from "effect"
import type { AttemptRef, ReviewRef } from "../core/run/Refs.ts"
import type { Delivery, LeftFile } from "./Deliveries.ts"
import type { StoreFailed } from "./RunStore.ts"

export class Workbench extends Context.Service<Workbench, {
  /** Makes the place of a delivery, and returns the attempt as it is run there, under an id of this delivery alone. */
  readonly open: (delivery: Delivery) => Effect.Effect<AttemptRef, StoreFailed>
  /** The files that an attempt has left there. A transcript of more than 16 MiB is cut down to both its ends. */
  readonly left: (review: ReviewRef) => Effect.Effect<ReadonlyArray<LeftFile>, StoreFailed>
  /** Removes the place of a delivery, where nothing runs any more. */
  readonly close: (attempt: AttemptRef) => Effect.Effect<void, StoreFailed>
  /** The attempts whose places are still there. */
  readonly found: Effect.Effect<ReadonlyArray<AttemptRef>, StoreFailed>
}>()("ooda-codex-review/services/Workbench") {}
