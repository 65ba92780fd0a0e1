// Work: what the drivers of all runs share while they drive: the stream, where the work lies, and what may be run.
import { Effect } from "effect"
import { commitDriver, type Driver, transactDriver } from "../agents/Driver.ts"
import type { DrivenState } from "../core/driven/DrivenState.ts"
import type { DrivenEvent } from "../core/driven/Event.ts"
import type { Tagged } from "../core/log/StreamKind.ts"
import type { RunRef } from "../core/run/Refs.ts"
import type { Target } from "../core/run/Target.ts"

/** A run that is driven. Its work lies in the root of `worktree`; what `target` names is what its content is. */
export interface Work<S extends DrivenState, X extends Tagged> {
  readonly driver: Driver<S, X>
  readonly run: {
    readonly ref: RunRef
    readonly manifest: { readonly target: Target; readonly worktree: string }
  }
  /** The most time of one test, in milliseconds. */
  readonly settings: { readonly testTimeout: number }
}

/**
 * Commits events on the head that they were decided from. Where another process was first nothing is committed: what it
 * wrote is read, and the driver decides again.
 */
export const record = Effect.fn("Work.record")(
  function*<S extends DrivenState, X extends Tagged, W>(
    work: W & Work<S, X>,
    events: ReadonlyArray<DrivenEvent | X>
  ) {
    const { head } = work.driver
    const driver = yield* transactDriver(
      work.driver,
      (now) => now.head.seq === head.seq ? commitDriver(now, events) : Effect.succeed(now)
    )
    return { ...work, driver }
  }
)
