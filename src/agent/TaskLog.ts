// TaskLog: the stream that records the work of agents.
import { Clock, Effect } from "effect"
import { type Commit, type Head, isLogEvent, type StreamKind, type TaggedEvent } from "../log/StreamKind.ts"
import { fold } from "../log/Walk.ts"
import type { RunRef } from "../log/Refs.ts"
import { NoSuchRun } from "../run/Owner.ts"
import { EventLog, LogConflict, type LogReadError } from "../log/EventLog.ts"
import { recovered } from "../platform/Note.ts"
import type { TaskEvent } from "./Event.ts"
import type { AgentsState } from "./State.ts"

// The stream of a run's driver as a value: its reference, its folded state and the head of that state.
// A commit is made on the head of the decision, and returns the next head.

/** What agents need of a driver's folded state. */
export interface TaskState {
  readonly agents: AgentsState
  /** Whether `stop` asked the present driver to end: then no agent is started. */
  readonly stopAsked: boolean
}

/** A driver's stream of any kind. */
export interface DriverStream<S extends TaskState = TaskState> {
  readonly ref: RunRef
  readonly state: S
}

/** The kind of a driver's stream; it has events `X` beside those of agents. */
type DriverKind<S extends TaskState, X extends TaggedEvent> = StreamKind<TaskEvent | X, S>

/** A driver's stream as last read: `head` is the last line folded into `state`. */
export interface Driver<S extends TaskState, X extends TaggedEvent> extends DriverStream<S> {
  readonly kind: DriverKind<S, X>
  readonly head: Head
}

const replay = <S extends TaskState, X extends TaggedEvent>(
  { kind, state }: Driver<S, X>,
  commits: ReadonlyArray<Commit<TaskEvent | X>>
): S => {
  let next = state
  for (const line of commits) {
    for (const event of line.events) if (!isLogEvent(event)) next = kind.fold.evolve(next, event, line)
  }
  return next
}

/**
 * Reads a driver's stream. LogMissing: no driver has worked on the run. NoSuchRun: its beginning died before line 1.
 */
export const readDriver = Effect.fn("TaskLog.readDriver")(
  function*<S extends TaskState, X extends TaggedEvent>(kind: DriverKind<S, X>, ref: RunRef) {
    const { commits, head } = yield* (yield* EventLog).read(kind, ref)
    const state = fold(kind, commits)
    if (state === null) return yield* new NoSuchRun({ reason: { _tag: "NotBegun", runId: ref.runId } })
    const driver: Driver<S, X> = { kind, ref, state, head }
    return driver
  }
)

/** The stream with all commits of this and other processes since it was read. */
export const refreshDriver = Effect.fn("TaskLog.refresh")(
  function*<S extends TaskState, X extends TaggedEvent>(driver: Driver<S, X>) {
    const { commits, head } = yield* (yield* EventLog).readFrom(driver.kind, driver.ref, driver.head)
    return commits.length === 0 ? driver : { ...driver, state: replay(driver, commits), head }
  }
)

/**
 * Commits events on the stream's head. LogConflict if another process committed first. Nothing fails once the line is
 * durable: if it cannot be read back, the state is computed from the events that were written.
 */
export const commitDriver = Effect.fn("TaskLog.commit")(
  function*<S extends TaskState, X extends TaggedEvent>(driver: Driver<S, X>, events: ReadonlyArray<TaskEvent | X>) {
    const head = yield* (yield* EventLog).append(driver.kind, driver.ref, driver.head, events)
    const at = new Date(yield* Clock.currentTimeMillis).toISOString()
    const written: Driver<S, X> = { ...driver, state: replay(driver, [{ seq: head.seq, at, events }]), head }
    const after = Effect.tapError(refreshDriver(driver), recovered("the state is computed from what was written"))
    return yield* Effect.orElseSucceed(after, () => written)
  }
)

/** Decides on a stream and commits; if another process commits first, reads and decides again. */
export const transactDriver = <S extends TaskState, X extends TaggedEvent, A, E, R>(
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
