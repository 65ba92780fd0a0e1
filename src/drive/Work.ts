// Work: what the drivers of all runs share while they drive: the stream, where the work lies, and what may be run.
import { Effect } from "effect"
import { commitDriver, type Driver, transactDriver } from "../agent/TaskLog.ts"
import { shownName } from "../code/Names.ts"
import { type SnapshotCause, Snapshots } from "../code/Snapshots.ts"
import type { RunRef } from "../log/Refs.ts"
import type { TaggedEvent } from "../log/StreamKind.ts"
import { takeFitting } from "../run/LongText.ts"
import type { Target } from "../run/Target.ts"
import type { DrivenEvent, DrivenState } from "./State.ts"

/** A run that is driven. Its work lies in the root of `worktree`; what `target` names is what its content is. */
export interface Work<S extends DrivenState, X extends TaggedEvent> {
  readonly driver: Driver<S, DrivenEvent | X>
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
  function*<S extends DrivenState, X extends TaggedEvent, W>(
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

// What agents may not change, and what is taken back of what they changed.

// An event has room for so many bytes of names, less those that are only counted.
const mostBytes = 16_000

/** The protected files that are not what they were when the run began, in a form for people. */
export const protectedFiles = Effect.fn("Work.protectedFiles")(
  function*(run: RunRef, worktree: string, protect: ReadonlyArray<string>) {
    const files = yield* (yield* Snapshots).protectedChanges(run, worktree, protect)
    const names = takeFitting(files.map(shownName), mostBytes)
    return names.length < files.length ? [...names, `and ${files.length - names.length} more`] : names
  }
)

/** Takes back what agents and tests of a round did. What a person changed meanwhile stays. */
export const takeBackRound = (run: RunRef, worktree: string, round: number) =>
  Snapshots.use(({ restore }) => restore(run, worktree, { _tag: "Round", round }, { force: false, partial: false }))

/** Counts what changed in the worktree since the last snapshot of a round to that round, as of its tests. */
export const countToRound = (run: RunRef, worktree: string, round: number, cause: SnapshotCause) =>
  Snapshots.use(({ takeChanged }) => takeChanged(run, worktree, cause, round))
