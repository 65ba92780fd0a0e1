// Worker: one process of a fleet: it takes turns of runs, and it runs reviews, in as many places as it has.
// It holds nothing that is not in the store: what it was doing when it died is done by another.
import { type Context, Effect, Latch } from "effect"
import type { PersistedQueue } from "effect/persistence/PersistedQueue"
import type { TargetRef } from "../core/run/Refs.ts"
import { Accounts } from "../services/Accounts.ts"
import { Deliveries } from "../services/Deliveries.ts"
import { Environment, type Variables } from "../services/Environment.ts"
import { FleetTargets } from "../services/FleetTargets.ts"
import { note } from "../services/Note.ts"
import type { ReviewFiles } from "../services/ReviewFiles.ts"
import type { Reviewers } from "../services/Reviewers.ts"
import { Signals } from "../services/Signals.ts"
import { clearedBefore, execute, type Executing } from "./Executor.ts"
import { filled } from "./Places.ts"
import { turn, type Turning } from "./Turn.ts"

/** The queues of the fleet. */
export interface Queues {
  readonly reviews: PersistedQueue<{ readonly attempt: string }>
  readonly turns: PersistedQueue<TargetRef>
  readonly submitted: PersistedQueue<TargetRef>
}

/** What a worker is told. */
export interface Working extends Turning, Executing {
  readonly root: string
  readonly machine: string
  readonly queues: Queues
  /** The reviewers of this machine, and the variables that they get to know. */
  readonly local: Context.Context<Reviewers | ReviewFiles>
  readonly environment: Variables
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
// Milliseconds that an account is left alone for when its provider asks for less.
const coolDown = 60_000

/** Runs the review of an attempt, if it is still to be run. */
const reviewed = Effect.fnUntraced(function*(attempt: string, working: Working) {
  const deliveries = yield* Deliveries
  const delivery = yield* deliveries.take(attempt, working.machine)
  if (delivery === null) return
  const local = <A, E, R>(use: Effect.Effect<A, E, R>) =>
    use.pipe(Effect.provideContext(working.local), Effect.provideService(Environment, working.environment))
  const { isKept, rateLimited } = yield* local(execute(delivery, working)).pipe(
    // Whoever ends this worker has not ended the review: another takes it.
    Effect.onInterrupt(() => Effect.ignore(deliveries.returned(delivery)))
  )
  if (!isKept) yield* note("a review was given to another worker meanwhile", { attempt })
  if (rateLimited) yield* (yield* Accounts).cool(coolDown)
})

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
  const accounts = yield* Accounts
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
      (begun) => accounts.using(queues.reviews.take(({ attempt }) => Effect.andThen(begun, reviewed(attempt, working))))
    ),
    filled(
      turnsAtOnce,
      draining,
      (begun) => queues.turns.take((target) => Effect.andThen(begun, turn(target, working)))
    ),
    filled(1, draining, (begun) =>
      Effect.andThen(
        admitted(working),
        queues.submitted.take((target) => Effect.andThen(begun, targets.begin(target)))
      ))
  ], { concurrency: "unbounded", discard: true })
  yield* Effect.raceFirst(places, Effect.asVoid(ended))
})
