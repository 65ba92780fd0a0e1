// Queues.live: the queues of a fleet, in Effect's own tables: reviews to run, and runs to begin or to continue.
// An entry is named by its subject, so that it is done once however often it is offered.
import { Cause, Effect, Layer, Schema } from "effect"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import { SqlClient } from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import type { TargetRef } from "../../log/Refs.ts"
import { StoreFailed } from "../../run/RunStore.ts"
import type { DatabaseRefused } from "../../platform/SystemFault.ts"
import { refusals, sqlFault } from "./Database.live.ts"

const ToReview = Schema.Struct({ attempt: Schema.String })
const ToTurn = Schema.Struct({ root: Schema.String, repoId: Schema.String, targetKey: Schema.String })

// A failed delivery is tried without limit: its subject decides when it is over.
const maxAttempts = 1_000_000

/** A queue that survives the loss of its database: a taken entry is offered again after the lease. */
const lasting = <A>(queue: PersistedQueue.PersistedQueue<A>): PersistedQueue.PersistedQueue<A> => ({
  ...queue,
  take: (use) =>
    Effect.catchIf(
      refusals((noting) => queue.take((value, about) => noting(use(value, about)))),
      isSqlError,
      (cause) => Effect.fail(new PersistedQueue.PersistedQueueError({ message: "the queue lost its database", cause }))
    )
})

/** Attempts, by their ids, that wait for an executor. */
export const reviews = Effect.map(PersistedQueue.make({ name: "review", schema: ToReview, maxAttempts }), lasting)

/** Targets with news. */
export const turns = Effect.map(PersistedQueue.make({ name: "turn", schema: ToTurn, maxAttempts }), lasting)

/** Submitted targets that wait until few enough others are active. */
export const submitted = Effect.map(PersistedQueue.make({ name: "submit", schema: ToTurn, maxAttempts }), lasting)

const other: DatabaseRefused = { _tag: "DatabaseRefused", why: "other", state: null }

/** The database error behind a queue's failure. */
export const queueFault = (error: { readonly cause?: unknown }): DatabaseRefused => {
  const said = Cause.isCause(error.cause) ? Cause.squash(error.cause) : error.cause
  return isSqlError(said) ? sqlFault(said) : other
}

/** Offers an attempt to the executors. */
export const offerReview = Effect.fnUntraced(
  function*(attempt: string) {
    yield* (yield* reviews).offer({ attempt }, { id: attempt })
  },
  Effect.mapError(queueFault)
)

/** Offers a turn of a target because of `why`, which names the cause; after a delay in milliseconds. */
export const offerTurn = Effect.fnUntraced(
  function*({ repoId, root, targetKey }: TargetRef, why: string, delay = 0) {
    yield* (yield* turns).offer({ root, repoId, targetKey }, { id: why, delay })
  },
  Effect.mapError(queueFault)
)

/** Offers a target to begin because of `why`, which names the submission and its time. */
export const offerBegin = Effect.fnUntraced(
  function*({ repoId, root, targetKey }: TargetRef, why: string) {
    yield* (yield* submitted).offer({ root, repoId, targetKey }, { id: why })
  },
  Effect.mapError(queueFault)
)

const tableName = "ooda_queue"

/** Lets a role offer and take. */
export const letQueue = (role: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.all([
      sql`grant select, insert, update on ${sql(tableName)}, ${sql(`${tableName}_migrations`)} to ${sql(role)}`,
      sql`grant usage on sequence ${sql(`${tableName}_sequence_seq`)} to ${sql(role)}`
    ], { discard: true }))

/** A database error when the queues were opened, which Effect reports as a defect while it creates its tables. */
const unopened = (cause: Cause.Cause<unknown>): Effect.Effect<never, StoreFailed> => {
  const failure = Cause.squash(cause)
  const error = failure instanceof Error && !isSqlError(failure) ? failure.cause : failure
  return isSqlError(error)
    ? Effect.fail(new StoreFailed({ path: "the queues of the fleet", reason: sqlFault(error) }))
    : Effect.orDie(Effect.failCause(cause))
}

/** The queues. An entry whose worker is silent for the lease, in milliseconds, is offered to another. */
export const queues = (lease: number): Layer.Layer<PersistedQueue.PersistedQueueFactory, StoreFailed, SqlClient> =>
  PersistedQueue.layer.pipe(
    Layer.provide(PersistedQueue.layerStoreSql({ tableName, lockExpiration: lease, lockRefreshInterval: lease / 3 })),
    Layer.catchCause((cause) => Layer.effectContext(unopened(cause)))
  )
