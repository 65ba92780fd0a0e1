// FleetTargets: the port to the state of each submitted target: waiting, under way, parked or done.
import { Context, type Effect, Schema } from "effect"
import { exitCodes } from "../run/Outcome.ts"
import { exits } from "../platform/Failure.ts"
import type { TargetRef } from "../log/Refs.ts"
import type { StoreFailed } from "../run/RunStore.ts"

/**
 * `Waiting` for its first turn; `Active`: under review; `Parked` until a person or a push acts; `Done`: at its fixed
 * point.
 */
export const FleetTargetState = Schema.Literals(["Waiting", "Active", "Parked", "Done"])
export type FleetTargetState = typeof FleetTargetState.Type

/** How a turn of a target's run ended: a step's header and exit code. */
export interface TurnEnd {
  readonly header: string
  readonly code: number
}

/** The code of a turn that failed for a cause outside the reviewed code. */
export const failedCode = exitCodes.BinaryError

/**
 * The state of a target with its newest submission, whose commit is `head`; since when (epoch milliseconds); how its
 * last turn ended, and how many have. `moved`: the log of its newest run has lines that the last turn had not read.
 */
export interface FleetTarget {
  readonly target: TargetRef
  readonly submission: number
  readonly head: string | null
  readonly turns: number
  readonly standing: FleetTargetState
  readonly since: number
  readonly run: string | null
  readonly moved: boolean
  readonly end: TurnEnd | null
}

/** The expected commit is not under review. */
export class WaitRefused extends Schema.TaggedError<WaitRefused>()("WaitRefused", { message: Schema.String }) {
  readonly exitCode = exits.couldNot
}

export class FleetTargets extends Context.Service<FleetTargets, {
  /**
   * Queues a submission of a target for its first turn; if the target is active, wakes its run instead. A repeated call
   * does nothing, unless the target is parked because its last turn failed: then it is queued again. Returns whether
   * anything was done.
   */
  readonly enqueue: (target: TargetRef, submission: number) => Effect.Effect<boolean, StoreFailed>
  /** Marks a waiting target as active and queues a turn of it. */
  readonly begin: (target: TargetRef) => Effect.Effect<void, StoreFailed>
  /**
   * Records how a turn of a target ended, unless that is stale: there is a submission that the turn did not know, or it
   * read another run than the newest, or less of its log than the last turn. A turn without a run is stale if another
   * has ended since it began; `turns` is how many had ended then.
   */
  readonly turned: (
    target: TargetRef,
    turn: {
      readonly submission: number
      readonly turns: number
      readonly run: { readonly id: string; readonly seq: number } | null
      readonly end: TurnEnd
      readonly standing: FleetTargetState
    }
  ) => Effect.Effect<void, StoreFailed>
  /** Wakes the run of a target after a delay in milliseconds, once for each `why`. */
  readonly wakeLater: (target: TargetRef, why: string, delay: number) => Effect.Effect<void, StoreFailed>
  /**
   * Wakes every resting run whose log has moved: whoever marked it may have died before waking it. Returns how many.
   */
  readonly wakeMoved: (root: string) => Effect.Effect<number, StoreFailed>
  /** How many targets are active. */
  readonly active: (root: string) => Effect.Effect<number, StoreFailed>
  /** The state of one target; null if it was never submitted. */
  readonly of: (target: TargetRef) => Effect.Effect<FleetTarget | null, StoreFailed>
  /** The states of all targets, the last changed first. */
  readonly all: (root: string) => Effect.Effect<ReadonlyArray<FleetTarget>, StoreFailed>
}>()("ooda-codex-review/services/FleetTargets") {}
