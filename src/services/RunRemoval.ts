// RunRemoval: the port that takes old runs away.
// The one rule: nothing outside the runs of a state root is ever touched, and no link is followed.
import { Context, type Effect } from "effect"
import type { StoreFailed } from "./RunStore.ts"
import type { RunRef } from "../core/run/Refs.ts"

/** What one look at a run's directory shows. `changedAt` in epoch milliseconds: its log's time. */
export interface Trace {
  readonly changedAt: number
  /** Whether any attempt's lock is held: its wrapper lives, whatever the log says. */
  readonly reviewersAlive: boolean
}

export class RunRemoval extends Context.Service<RunRemoval, {
  readonly look: (run: RunRef) => Effect.Effect<Trace, StoreFailed>
  /** Whether a directory is there. */
  readonly exists: (path: string) => Effect.Effect<boolean>
  /**
   * Removes a run, and `latest` with it where `isLatest`. It is gone at once, by one rename, and then deleted; what an
   * earlier removal that was cut short left is deleted too. Refuses a path with a link in it.
   */
  readonly remove: (
    stateRoot: string,
    run: RunRef,
    options: { readonly isLatest: boolean }
  ) => Effect.Effect<void, StoreFailed>
}>()("ooda-codex-review/services/RunRemoval") {}
