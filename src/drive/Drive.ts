// Drive: a run while a process drives it: its stream, its settings, and where the work is.
import { Clock, Effect } from "effect"
import { commitDriver, type Driver, type DriverStream, transactDriver } from "../agent/TaskLog.ts"
import { shownName } from "../code/Names.ts"
import { type SnapshotCause, Snapshots } from "../code/Snapshots.ts"
import type { RunRef } from "../log/Refs.ts"
import type { TaggedEvent } from "../log/StreamKind.ts"
import { takeFitting } from "../run/LongText.ts"
import type { Target } from "../run/Target.ts"
import type { ConvergeSettings } from "./converge/Settings.ts"
import type { DrivenEvent, DrivenState } from "./State.ts"

/** The options of a call beside its settings. */
export interface DriveOptions {
  /** Whether a new run is begun instead of going on with the latest; for a plan also one of its code. */
  readonly fresh?: boolean
  /** Whether another try is made where an earlier call asked a person and nothing has changed since. */
  readonly again?: boolean
  /** The command line of the call, which ends show to a person; it is kept in the log. */
  readonly call?: string
  /** What the change of a new run is compared with, where an earlier run began with something else and this is allowed. */
  readonly carried?: ReadonlyArray<string>
  /** The digest of tests that the repository itself names: a person must allow them; null where a person named them. */
  readonly repositoryTests?: string | null
  /** Called with each run that the call drives: a review run and its successors, or a plan run and its code's run. */
  readonly onRun?: (run: RunRef) => Effect.Effect<void>
}

/** A run that has a driver, whatever its policy. */
export interface AnyDrive {
  /** The subcommand that drives. */
  readonly call: "converge" | "implement"
  /** The driver's id, and the number of its process. */
  readonly id: string
  readonly pid: number
  readonly options: DriveOptions
  readonly driver: DriverStream<DrivenState>
  /** The work is in the root of `worktree`, and `target` says what its content is. */
  readonly run: {
    readonly ref: RunRef
    readonly manifest: { readonly target: Target; readonly worktree: string }
  }
  readonly settings: ConvergeSettings
  /** Whether the call ends amid a round, with which the next call goes on, whatever a person does meanwhile. */
  readonly isAmid?: true
}

/** A run that has a driver, with the stream of that driver. */
export interface Drive<S extends DrivenState, X extends TaggedEvent> extends AnyDrive {
  readonly driver: Driver<S, DrivenEvent | X>
}

/**
 * Commits events on the head that they were decided from. If another process was first, nothing is committed: its
 * events are read, and the driver decides again.
 */
export const record = Effect.fn("Drive.record")(
  function*<S extends DrivenState, X extends TaggedEvent, D>(
    drive: D & Pick<Drive<S, X>, "driver">,
    events: ReadonlyArray<DrivenEvent | X>
  ) {
    const { head } = drive.driver
    const driver = yield* transactDriver(
      drive.driver,
      (now) => now.head.seq === head.seq ? commitDriver(now, events) : Effect.succeed(now)
    )
    return { ...drive, driver }
  }
)

/** A round by its number. Rounds are counted without a gap. */
export const roundOf = <R>(
  { driver }: { readonly driver: { readonly state: { readonly rounds: ReadonlyArray<R> } } },
  round: number
): Effect.Effect<R> => {
  const found = driver.state.rounds[round - 1]
  return found === undefined ? Effect.die(new Error(`round ${round} never began`)) : Effect.succeed(found)
}

/** The driver of an inspection, which writes nothing. */
export const inspector = { driver: "inspection", pid: 1 } as const

/**
 * The stream of a run as a driver that takes the run now would find it, or one that has just `begun`. A run's time passes
 * only while a driver works, so the time since a driver was killed does not count.
 */
export const inspected = Effect.fn("Drive.inspected")(
  function*<S extends DrivenState, X extends TaggedEvent>(begun: Driver<S, X | DrivenEvent>) {
    const at = new Date(yield* Clock.currentTimeMillis).toISOString()
    const state = begun.kind.fold.evolve(begun.state, { _tag: "DriverStarted", ...inspector }, { seq: 0, at })
    return { ...begun, state }
  }
)

// What a turn of the driver comes to.

/** The run continues, or the call ends. */
export type Turn<D, O> =
  | { readonly _tag: "On"; readonly drive: D }
  | { readonly _tag: "Over"; readonly drive: D; readonly outcome: O }

/** The run continues. */
export const on = <D>(drive: D): Turn<D, never> => ({ _tag: "On", drive })

/** The call ends. */
export const over = <D, O>(drive: D, outcome: O): Turn<D, O> => ({ _tag: "Over", drive, outcome })

/** A call that was asked to end. */
export const aborted = { _tag: "DoneAborted" } as const

// What agents may not change, and how their changes are taken back.

// An event has room for so many bytes of names; the rest is only counted.
const mostBytes = 16_000

/** The protected files that were changed since the run began, in a form for people. */
export const protectedFiles = Effect.fn("Drive.protectedFiles")(
  function*({ run: { ref, manifest }, settings }: Pick<AnyDrive, "run" | "settings">) {
    const files = yield* (yield* Snapshots).protectedChanges(ref, manifest.worktree, settings.protect)
    const names = takeFitting(files.map(shownName), mostBytes)
    return names.length < files.length ? [...names, `and ${files.length - names.length} more`] : names
  }
)

/** Puts the worktree back to where a round began. What a person changed meanwhile stays. */
export const restore = Effect.fn("Drive.restore")(
  function*<S extends DrivenState, X extends TaggedEvent, D>(drive: D & Drive<S, X>, round: number) {
    const { ref, manifest: { worktree } } = drive.run
    const how = { force: false, partial: false }
    const { to } = yield* (yield* Snapshots).restore(ref, worktree, { _tag: "Round", round }, how)
    return yield* record(drive, [{ _tag: "WorktreeRestored", round, snapshot: to.number }])
  }
)

/** Counts what changed in the worktree since the last snapshot of a round to that round. */
export const countToRound = ({ run: { ref, manifest } }: Pick<AnyDrive, "run">, round: number, cause: SnapshotCause) =>
  Snapshots.use(({ takeChanged }) => takeChanged(ref, manifest.worktree, cause, round))
