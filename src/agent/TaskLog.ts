// Driver: the stream of a run's driver as a value: its reference, its folded state and the head it was folded to.
// As for runs: whoever changes it commits on the head it decided from, and carries the new head on.
import { Clock, Effect } from "effect"
import { type ConvergeState, convergeRun } from "../drive/converge/State.ts"
import type { ConvergeEvent } from "../drive/converge/Event.ts"
import type { DrivenEvent, DrivenState } from "../drive/State.ts"
import { type Commit, type Head, isLogEvent, type StreamKind, type TaggedEvent } from "../log/StreamKind.ts"
import { fold } from "../log/Walk.ts"
import type { RunRef } from "../log/Refs.ts"
import { NoSuchRun } from "../run/Selection.ts"
import { EventLog, LogConflict, type LogReadError } from "../log/EventLog.ts"
import { recovered } from "../platform/Note.ts"
import { RunStore } from "../run/RunStore.ts"

/** What is known of a driver's stream, whatever its kind. */
export interface DriverStream {
  readonly ref: RunRef
  readonly state: DrivenState
}

/** The kind of a driver's stream: beside the events that all share it has its own, `X`. */
export type DriverKind<S extends DrivenState, X extends TaggedEvent> = StreamKind<DrivenEvent | X, S>

/** A driver's stream as last read: `head` is the last line folded into `state`. */
export interface Driver<S extends DrivenState, X extends TaggedEvent> extends DriverStream {
  readonly kind: DriverKind<S, X>
  readonly state: S
  readonly head: Head
}

/** The stream of the driver of a converging run. */
export type ConvergeDriver = Driver<ConvergeState, ConvergeEvent>

const replay = <S extends DrivenState, X extends TaggedEvent>(
  { kind, state }: Driver<S, X>,
  commits: ReadonlyArray<Commit<DrivenEvent | X>>
): S => {
  let next = state
  for (const line of commits) {
    for (const event of line.events) if (!isLogEvent(event)) next = kind.fold.evolve(next, event, line)
  }
  return next
}

/**
 * A driver's stream as its log has it now. LogMissing where nobody has driven the run yet, NoSuchRun where whoever was
 * about to begin it died before the first line.
 */
export const readDriver = Effect.fn("Driver.readDriver")(
  function*<S extends DrivenState, X extends TaggedEvent>(kind: DriverKind<S, X>, ref: RunRef) {
    const { commits, head } = yield* (yield* EventLog).read(kind, ref)
    const state = fold(kind, commits)
    if (state === null) return yield* new NoSuchRun({ reason: { _tag: "NotBegun", runId: ref.runId } })
    const driver: Driver<S, X> = { kind, ref, state, head }
    return driver
  }
)

const begin = Effect.fnUntraced(function*(ref: RunRef) {
  const started = { _tag: "ConvergeStarted", runId: ref.runId, nonce: yield* (yield* RunStore).nonce } as const
  // If another process began the stream first, that one is used: a run has one stream for all its drivers.
  yield* Effect.catchTag((yield* EventLog).create(convergeRun, ref, [started]), "LogConflict", recovered("it is read"))
})

/** The stream of the driver of a converging run. LogMissing where nobody has driven it yet. */
export const readConverge = (ref: RunRef) => readDriver<ConvergeState, ConvergeEvent>(convergeRun, ref)

/** The stream of the driver of a converging run; it is begun where nobody has driven the run yet. */
export const openDriver = Effect.fn("Driver.openDriver")((ref: RunRef) =>
  Effect.catchTag(readConverge(ref), ["LogMissing", "NoSuchRun"], () => Effect.andThen(begin(ref), readConverge(ref)))
)

/** The stream with all that this and other processes have committed since it was read. */
export const refreshDriver = Effect.fn("Driver.refresh")(
  function*<S extends DrivenState, X extends TaggedEvent>(driver: Driver<S, X>) {
    const { commits, head } = yield* (yield* EventLog).readFrom(driver.kind, driver.ref, driver.head)
    return commits.length === 0 ? driver : { ...driver, state: replay(driver, commits), head }
  }
)

/**
 * Commits events on the stream's head. LogConflict when another process committed first. Nothing fails once
 * the line is durable: where it cannot be read back, the state is computed from the events that were written.
 */
export const commitDriver = Effect.fn("Driver.commit")(
  function*<S extends DrivenState, X extends TaggedEvent>(
    driver: Driver<S, X>,
    events: ReadonlyArray<DrivenEvent | X>
  ) {
    const head = yield* (yield* EventLog).append(driver.kind, driver.ref, driver.head, events)
    const at = new Date(yield* Clock.currentTimeMillis).toISOString()
    const written: Driver<S, X> = { ...driver, state: replay(driver, [{ seq: head.seq, at, events }]), head }
    const after = Effect.tapError(refreshDriver(driver), recovered("the state is computed from what was written"))
    return yield* Effect.orElseSucceed(after, () => written)
  }
)

/** Decides on a stream and commits; when another process commits first, it is read again and decided again. */
export const transactDriver = <S extends DrivenState, X extends TaggedEvent, A, E, R>(
  driver: Driver<S, X>,
  decide: (driver: Driver<S, X>) => Effect.Effect<A, E | LogConflict, R>
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
