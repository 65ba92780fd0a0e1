// Worker: one process of a fleet: it takes turns of runs, and it runs reviews, in as many places as it has.
// It holds nothing that is not in the store: what it was doing when it died is done by another.
import { Effect, Latch, Schedule } from "effect"
import type { PersistedQueue } from "effect/persistence/PersistedQueue"
import type { TargetRef } from "../core/run/Refs.ts"
import { FleetTargets } from "../services/FleetTargets.ts"
import { note, recovered } from "../services/Note.ts"
import { Signals } from "../services/Signals.ts"
import { clearedBefore } from "./Executor.ts"
import { filled } from "./Places.ts"
import { type Reviewing, reviewTaking } from "./ReviewTaking.ts"
import { turn, type Turning } from "./Turn.ts"

/** The queues of the fleet. */
export interface Queues {
  readonly reviews: PersistedQueue<{ readonly attempt: string }>
  readonly turns: PersistedQueue<TargetRef>
  readonly submitted: PersistedQueue<TargetRef>
}

/** What a worker is told. */
export interface Working extends Turning, Reviewing {
  readonly root: string
  readonly queues: Queues
  /** How many reviews it runs at once, and how many runs of the whole fleet are under way at once. */
  readonly capacity: number
  readonly active: number
}

// A turn is short and mostly waits for the database.
const turnsAtOnce = 3
// Milliseconds between two looks whether another run may begin.
const admitEvery = 1000
// Milliseconds after which another signal is a second one.
const apart = 1000
// Milliseconds between two looks for runs that somebody marked without being able to wake them.
const wakeMovedEvery = 60_000

/** Waits until fewer targets than allowed are under way. */
const admitted = Effect.fnUntraced(function*({ active, root }: Working) {
  const targets = yield* FleetTargets
  while ((yield* targets.active(root)) >= active) yield* Effect.sleep(admitEvery)
})

/**
 * Works until a signal asks it to end, and then ends with what it is doing. Another signal, a second later or more,
 * ends it at once: its reviews are given back.
 */
export const work = Effect.fn("Worker.work")(function*(working: Working) {
  const { capacity, queues } = working
  const left = yield* Effect.provideContext(clearedBefore, working.local)
  if (left > 0) yield* note("ended what an earlier worker had left", { reviews: left })
  const draining = yield* Latch.make()
  const targets = yield* FleetTargets
  const signals = yield* Signals
  const ended = signals.asked.pipe(
    Effect.andThen(draining.open),
    // A terminal and npx pass on one and the same signal.
    Effect.andThen(Effect.sleep(apart)),
    Effect.andThen(signals.asked)
  )
  const places = Effect.all([
    filled(
      capacity,
      draining,
      yield* reviewTaking(queues.reviews, working)
    ),
    filled(
      turnsAtOnce,
      draining,
      (begun) => queues.turns.take((target, { attempts }) => Effect.andThen(begun, turn(target, working, attempts)))
    ),
    filled(1, draining, (begun) =>
      Effect.andThen(
        admitted(working),
        queues.submitted.take((target) => Effect.andThen(begun, targets.begin(target)))
      ))
  ], { concurrency: "unbounded", discard: true })
  yield* targets.wakeMoved(working.root).pipe(
    Effect.catch(recovered("the next look wakes them")),
    Effect.repeat(Schedule.spaced(wakeMovedEvery)),
    Effect.forkChild
  )
  yield* Effect.raceFirst(places, Effect.asVoid(ended))
})
