// DriverLock: the port that lets one process at a time drive the runs of a target, and whether a driver is at work.
import { Context, Effect, Schema } from "effect"
import { underWay } from "../agent/State.ts"
import type { RunRef, TargetRef } from "../log/Refs.ts"
import { exits } from "../platform/Failure.ts"
import type { StoreFailed } from "../run/RunStore.ts"
import type { DrivenState, DriverState } from "./State.ts"

/** Another process drives the target's runs. `who` is its number and since when, if known. */
export class AlreadyDriven extends Schema.TaggedError<AlreadyDriven>()("AlreadyDriven", {
  who: Schema.NullOr(Schema.Struct({ pid: Schema.Int, since: Schema.String }))
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    const by = this.who === null ? "another process" : `process ${this.who.pid}, since ${this.who.since}`
    return `this target is driven by ${by} [watch shows what it does; stop ends it]`
  }
}

export class Drivers extends Context.Service<Drivers, {
  /**
   * Runs an effect while this process alone drives the runs of a target. The effect gets the number of this process.
   * Fails at once with AlreadyDriven where another process drives them. A killed process drives nothing any more.
   */
  readonly driving: <A, E, R>(
    target: TargetRef,
    use: (pid: number) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | StoreFailed | AlreadyDriven, R>
  /** The number of the process that drives a target's runs now; null where none does or it is unknown. */
  readonly present: (target: TargetRef) => Effect.Effect<number | null>
}>()("ooda-codex-review/services/Drivers") {}

/** Whether the last driver of a run is at work: it has recorded no end, and drives the target. */
export const isAtWork = Effect.fn("DriverLock.isAtWork")(function*(run: RunRef, last: DriverState | null) {
  if (last === null || last.outcome !== null) return false
  return (yield* (yield* Drivers).present(run)) === last.pid
})

/** Whether an agent of a run works or waits to be started again, a test runs, or its driver is at work. */
export const isWorkedOn = Effect.fn("DriverLock.isWorkedOn")(function*(run: RunRef, state: DrivenState) {
  const { agents, drivers, tests } = state
  return underWay(agents).length > 0 || tests.some(({ standing }) => standing._tag === "Running") ||
    (yield* isAtWork(run, drivers.at(-1) ?? null))
})
