// DriverLock: the port that lets one process at a time drive a worktree, whatever the target or plan, and whether a
// driver is at work.
import { Context, Effect, Schema } from "effect"
import { underWay } from "../agent/State.ts"
import type { EventLog } from "../log/EventLog.ts"
import type { RunRef, TargetRef } from "../log/Refs.ts"
import { exits } from "../platform/Failure.ts"
import { readerCall, unnamed } from "../run/Naming.ts"
import type { RunStore, StoreFailed } from "../run/RunStore.ts"
import type { DrivenState, DriverState } from "./State.ts"

/**
 * Another process drives the worktree: `who`, and for which target or plan, if known, and the command that ends it.
 * `left`: it has ended, but an agent or a test that it began still works.
 */
export class AlreadyDriven extends Schema.TaggedError<AlreadyDriven>()("AlreadyDriven", {
  who: Schema.NullOr(Schema.Struct({ pid: Schema.Int, since: Schema.String, targetKey: Schema.String })),
  stop: Schema.optionalKey(Schema.String),
  left: Schema.optionalKey(Schema.Literal(true))
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    const { left = false, stop = readerCall("stop", unnamed), who } = this
    if (left && who !== null) {
      return `an agent or a test of ${who.targetKey} still works in this worktree [\`${stop}\` ends it]`
    }
    return who === null
      ? "another process drives this worktree [wait for it; its runs may be in another state root]"
      : `process ${who.pid} drives this worktree (${who.targetKey}), since ${who.since} [\`${stop}\` ends it]`
  }
}

/** The worktree that the present fiber drives: the driver of a plan goes on to drive its code. */
export const DrivenWorktree = Context.Reference<string | null>("ooda-codex-review/services/DrivenWorktree", {
  defaultValue: () => null
})

export class Drivers extends Context.Service<Drivers, {
  /**
   * Runs an effect for a target while this process alone drives a worktree. The effect gets the number of this process.
   * Fails at once with AlreadyDriven where another process drives it, or where agents or tests of another target work
   * there that outlived their driver. A killed process drives nothing any more.
   */
  readonly driving: <A, E, R>(
    target: TargetRef,
    worktree: string,
    use: (pid: number) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | StoreFailed | AlreadyDriven, R | RunStore | EventLog>
  /** Whether an agent or a test of a run lives, whoever began it. */
  readonly works: (run: RunRef) => Effect.Effect<boolean, StoreFailed>
  /** The numbers of the processes that drive a target's runs now, each in a worktree of its own, as far as known. */
  readonly present: (target: TargetRef) => Effect.Effect<ReadonlyArray<number>>
}>()("ooda-codex-review/services/Drivers") {}

/** Whether the last driver of a run is at work: it has recorded no end, and drives the target. */
export const isAtWork = Effect.fn("DriverLock.isAtWork")(function*(run: RunRef, last: DriverState | null) {
  if (last === null || last.outcome !== null) return false
  return (yield* (yield* Drivers).present(run)).includes(last.pid)
})

/** Whether an agent of a run works or waits to be started again, a test runs, or its driver is at work. */
export const isWorkedOn = Effect.fn("DriverLock.isWorkedOn")(function*(run: RunRef, state: DrivenState) {
  const { agents, drivers, tests } = state
  return underWay(agents).length > 0 || tests.some(({ standing }) => standing._tag === "Running") ||
    (yield* isAtWork(run, drivers.at(-1) ?? null))
})
