// Worker: one process of a fleet: it takes turns of runs and runs reviews, in as many places as it has.
// All its state is in the store: another worker continues the work of a dead one.
import { Effect, Exit, Latch, Schedule, Scope, Semaphore } from "effect"
import type { PersistedQueue } from "effect/persistence/PersistedQueue"
import type { TargetRef } from "../log/Refs.ts"
import { note, recovered } from "../platform/Note.ts"
import { Signals } from "../platform/Process.ts"
import { clearLeftovers } from "./Executor.ts"
import { FleetTargets } from "./FleetTargets.ts"
import { type ReviewTakingOptions, reviewTaking } from "./ReviewTaking.ts"
import { turn, type TurnOptions } from "./Turn.ts"

// Milliseconds until a place asks again after a failure: otherwise it would ask an absent store without pause.
const askAgainAfter = 1000

/** Takes one entry of a queue and does it. `begun` runs as soon as there is one: then the next place may ask. */
type Take<E, R> = (begun: Effect.Effect<void>) => Effect.Effect<unknown, E, R>

/**
 * Runs this many places, each doing one entry after the other. When `draining` opens, idle places end at once, and the
 * others after their entry. A failure is only noted: the queue offers the entry again.
 */
export const fillPlaces = Effect.fn("Worker.fillPlaces")(
  function*<E extends { readonly message: string }, R>(places: number, draining: Latch.Latch, take: Take<E, R>) {
    const turnstile = yield* Semaphore.make(1)
    const later = Effect.sleep(askAgainAfter)

    /** Does one entry, and returns whether there may be another. */
    const place = Effect.gen(function*() {
      const asking = yield* Scope.make()
      let works = false
      const begun = Effect.suspend(() => {
        works = true
        return Scope.close(asking, Exit.void)
      })
      const done = turnstile.takeScoped(1).pipe(
        Scope.provide(asking),
        Effect.andThen(take(begun)),
        Effect.catch((error) =>
          Effect.andThen(recovered("it is done again")(error), Effect.suspend(() => works ? Effect.void : later))
        ),
        Effect.as(true)
      )
      const drained = Effect.andThen(draining.await, Effect.suspend(() => works ? Effect.never : Effect.succeed(false)))
      return yield* Effect.ensuring(Effect.raceFirst(done, drained), Scope.close(asking, Exit.void))
    })

    const again = Effect.gen(function*() {
      while (!draining.isOpen() && (yield* place)) yield* Effect.yieldNow
    })
    yield* Effect.forEach(Array.from({ length: places }), () => again, { concurrency: "unbounded", discard: true })
  }
)

export interface Queues {
  readonly reviews: PersistedQueue<{ readonly attempt: string }>
  readonly turns: PersistedQueue<TargetRef>
  readonly submitted: PersistedQueue<TargetRef>
}

export interface WorkOptions extends TurnOptions, ReviewTakingOptions {
  readonly root: string
  readonly queues: Queues
  /** How many reviews it runs at once, and how many runs of the whole fleet are active at once. */
  readonly capacity: number
  readonly active: number
}

// A turn is short and mostly waits for the database.
const turnsAtOnce = 3
// Milliseconds between two checks whether another run may begin.
const admitEvery = 1000
// Milliseconds after which another signal counts as a second one.
const apart = 1000
// Milliseconds between two checks for runs that were marked without being woken.
const wakeMovedEvery = 60_000

/** Waits until fewer targets than allowed are under way. */
const admitted = Effect.fnUntraced(function*({ active, root }: WorkOptions) {
  const targets = yield* FleetTargets
  while ((yield* targets.active(root)) >= active) yield* Effect.sleep(admitEvery)
})

/** Works until a signal, then finishes its work; a second signal returns the reviews to the queue and ends at once. */
export const work = Effect.fn("Worker.work")(function*(working: WorkOptions) {
  const { capacity, queues } = working
  const left = yield* Effect.provideContext(clearLeftovers, working.local)
  if (left > 0) yield* note("ended what an earlier worker had left", { reviews: left })
  const draining = yield* Latch.make()
  const targets = yield* FleetTargets
  const signals = yield* Signals
  const ended = signals.asked.pipe(
    Effect.andThen(draining.open),
    // One Ctrl-C may arrive twice: from the terminal and from npx.
    Effect.andThen(Effect.sleep(apart)),
    Effect.andThen(signals.asked)
  )
  const places = Effect.all([
    fillPlaces(
      capacity,
      draining,
      yield* reviewTaking(queues.reviews, working)
    ),
    fillPlaces(
      turnsAtOnce,
      draining,
      (begun) => queues.turns.take((target, { attempts }) => Effect.andThen(begun, turn(target, working, attempts)))
    ),
    fillPlaces(1, draining, (begun) =>
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
