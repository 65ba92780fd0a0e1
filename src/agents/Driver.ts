// Driver: the stream of a run's driver as a value: its reference, its folded state and the head it was folded to.
// As for runs: whoever changes it commits on the head it decided from, and carries the new head on.
import { Clock, Effect } from "effect"
import { type ConvergeState, convergeRun } from "../core/converge/ConvergeRun.ts"
import type { ConvergeEvent } from "../core/converge/Event.ts"
import type { Head } from "../core/log/Head.ts"
import { isLogEvent } from "../core/log/LogEvent.ts"
import type { Commit } from "../core/log/StreamKind.ts"
import { fold } from "../core/log/Walk.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { NoSuchRun } from "../runs/NoSuchRun.ts"
import { EventLog, LogConflict, type LogReadError } from "../services/EventLog.ts"
import { recovered } from "../services/Note.ts"
import { RunStore } from "../services/RunStore.ts"

/** A driver's stream as last read: `head` is the last line folded into `state`. */
export interface Driver {
  readonly ref: RunRef
  readonly state: ConvergeState
  readonly head: Head
}

const replay = (state: ConvergeState, commits: ReadonlyArray<Commit<ConvergeEvent>>): ConvergeState => {
  let next = state
  for (const line of commits) {
    for (const event of line.events) if (!isLogEvent(event)) next = convergeRun.fold.evolve(next, event, line)
  }
  return next
}

/** The stream of a run's driver as its log has it now. LogMissing where nobody has driven the run yet. */
export const readDriver = Effect.fn("Driver.readDriver")(function*(ref: RunRef) {
  const { commits, head } = yield* (yield* EventLog).read(convergeRun, ref)
  const state = fold(convergeRun, commits)
  if (state === null) return yield* new NoSuchRun({ reason: { _tag: "NotBegun", runId: ref.runId } })
  return { ref, state, head } satisfies Driver
})

const begin = Effect.fnUntraced(function*(ref: RunRef) {
  const started = { _tag: "ConvergeStarted", runId: ref.runId, nonce: yield* (yield* RunStore).nonce } as const
  // Whoever was first has begun the stream; it is the same one for all.
  yield* Effect.catchTag((yield* EventLog).create(convergeRun, ref, [started]), "LogConflict", recovered("it is read"))
})

/** The stream of a run's driver; it is begun where nobody has driven the run yet. */
export const openDriver = Effect.fn("Driver.openDriver")((ref: RunRef) =>
  Effect.catchTag(readDriver(ref), "LogMissing", () => Effect.andThen(begin(ref), readDriver(ref)))
)

/** The stream with all that this and other processes have committed since it was read. */
export const refreshDriver = Effect.fn("Driver.refresh")(function*(driver: Driver) {
  const { commits, head } = yield* (yield* EventLog).readFrom(convergeRun, driver.ref, driver.head)
  return commits.length === 0 ? driver : { ...driver, state: replay(driver.state, commits), head }
})

/**
 * Commits events on the stream's head. LogConflict when another process committed first. Nothing fails once
 * the line is durable: where it cannot be read back, the state is computed from the events that were written.
 */
export const commitDriver = Effect.fn("Driver.commit")(function*(driver: Driver, events: ReadonlyArray<ConvergeEvent>) {
  const head = yield* (yield* EventLog).append(convergeRun, driver.ref, driver.head, events)
  const at = new Date(yield* Clock.currentTimeMillis).toISOString()
  const written: Driver = { ...driver, state: replay(driver.state, [{ seq: head.seq, at, events }]), head }
  const after = Effect.tapError(refreshDriver(driver), recovered("the state is computed from what was written"))
  return yield* Effect.orElseSucceed(after, () => written)
})

/** Decides on a stream and commits; when another process commits first, it is read again and decided again. */
export const transactDriver = <A, E, R>(
  driver: Driver,
  decide: (driver: Driver) => Effect.Effect<A, E | LogConflict, R>
): Effect.Effect<A, E | LogReadError, R | EventLog> =>
  Effect.catchIf(
    decide(driver),
    (error) => error instanceof LogConflict,
    (error) =>
      recovered("the driver's stream is read again and decided again")(error).pipe(
        Effect.andThen(refreshDriver(driver)),
        Effect.flatMap((next) => transactDriver(next, decide))
      )
  )
