// ReviewTaking: takes reviews out of the queue, each in a place of the worker's account.
// A review that this worker cannot run goes back to the queue at once.
import { type Context, Effect } from "effect"
import type { PersistedQueue } from "effect/persistence/PersistedQueue"
import { Accounts, Deliveries, type Delivery, type DeliveryEnd } from "./Deliveries.ts"
import { Environment, type Variables } from "../platform/Environment.ts"
import { note } from "../platform/Note.ts"
import type { ReviewFiles } from "../review/ReviewFiles.ts"
import type { Reviewers } from "../review/Reviewers.ts"
import { TreeFailed } from "./WorkingTrees.ts"
import { execute, type ExecuteOptions, isStoreAway } from "./Executor.ts"
import { isHeld } from "./PinnedCode.ts"

/** What a worker needs to take reviews: its name, the reviewers of its machine, and their variables. */
export interface ReviewTakingOptions extends ExecuteOptions {
  readonly machine: string
  readonly local: Context.Context<Reviewers | ReviewFiles>
  readonly environment: Variables
}

// Milliseconds that a limited account is left alone, and between two looks whether it is limited.
const coolDown = 60_000
const lookEvery = 1000
// The queue waits 1, 2, 4 s and so on up to five minutes between two tries: about an hour in all.
const mostTries = 20
// Milliseconds. Otherwise a worker without codex or disk would take all reviews from those that can run them.
const pauses = { first: 1000, most: 60_000 }

const pauseAfter = (failures: number): number =>
  failures === 0 ? 0 : Math.min(pauses.most, pauses.first * 2 ** (failures - 1))

const lost: DeliveryEnd = { state: { _tag: "Lost" }, emptySession: false, usage: null, files: [] }

/** Takes one review at a time, and runs it. `begun` runs as soon as there is one. */
export const reviewTaking = Effect.fnUntraced(function*(
  queue: Pick<PersistedQueue<{ readonly attempt: string }>, "take">,
  reviewing: ReviewTakingOptions
) {
  const accounts = yield* Accounts
  const deliveries = yield* Deliveries
  // How many reviews this worker could not run since it last began one.
  let failures = 0

  const failed = Effect.fnUntraced(
    function*<E extends { readonly _tag: string; readonly message: string }>(
      delivery: Delivery,
      tries: number,
      error: E,
      before: number
    ) {
      // If the database is away, the review cannot be returned. After the lease it is offered again.
      if (isStoreAway(error)) return yield* Effect.fail(error)
      const waits = error instanceof TreeFailed && isHeld(error)
      // A review that began and could not be handed in counts too: it has cost a whole review.
      if (!waits) failures = Math.max(failures, before) + 1
      if (waits || tries < mostTries) {
        yield* Effect.ignore(deliveries.returned(delivery))
        return yield* Effect.fail(error)
      }
      yield* note("a review that no worker could run is lost", { attempt: delivery.attempt.id, error: error.message })
      return { isKept: yield* deliveries.ended(delivery, lost), rateLimited: false }
    }
  )

  const reviewed = Effect.fnUntraced(function*(attempt: string, tries: number) {
    const delivery = yield* deliveries.take(attempt, reviewing.machine)
    if (delivery === null) return
    const before = failures
    const begun = Effect.sync(() => void (failures = 0))
    const { isKept, rateLimited } = yield* execute(delivery, reviewing, begun).pipe(
      Effect.provideContext(reviewing.local),
      Effect.provideService(Environment, reviewing.environment),
      Effect.catch((error) => failed(delivery, tries, error, before)),
      // Ending this worker does not end the review: another worker takes it.
      Effect.onInterrupt(() => Effect.ignore(deliveries.returned(delivery)))
    )
    if (!isKept) yield* note("a review was given to another worker meanwhile", { attempt })
    if (rateLimited) yield* accounts.cool(coolDown)
  })

  // The place was taken before there was a review to run.
  const uncooled = Effect.gen(function*() {
    while (yield* accounts.cools) yield* Effect.sleep(lookEvery)
  })

  return (begun: Effect.Effect<void>) =>
    Effect.suspend(() => Effect.sleep(pauseAfter(failures))).pipe(
      Effect.andThen(accounts.using(
        queue.take(({ attempt }, { attempts }) =>
          Effect.all([uncooled, begun, reviewed(attempt, attempts)], { discard: true })
        )
      ))
    )
})
