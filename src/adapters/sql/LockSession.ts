// LockSession: locks by name that one machine holds at a time, kept by the server for one connection and freed with it.
// The one rule: that connection waits for nobody, or a lock that is waited for would keep another from being freed.
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Deferred, Duration, Effect, Layer, Random, type Redacted, Schedule, Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { note, recovered } from "../../services/Note.ts"
import { StoreFailed } from "../../services/RunStore.ts"
import { LockFailed } from "../log/Lock.ts"
import { sqlFault } from "./SqlFaults.ts"

const patienceMillis = 10_000
const pauses = Schedule.forever.pipe(Schedule.modifyDelay(() => Random.nextBetween(10, 50)))

/**
 * Runs an effect while nobody else holds the lock of this name. Tried without blocking for at most 10 seconds, or
 * `patience` in milliseconds, interruptible meanwhile. Whoever loses the connection loses the lock and is not told
 * before the end: what must not be done twice is decided by a commit, as everywhere.
 */
export type Locked = <A, E, R>(
  name: string,
  use: Effect.Effect<A, E, R>,
  patience?: number
) => Effect.Effect<A, E | LockFailed, R>

/**
 * Runs an effect while nobody else holds the lock of this name, if it is free now. Where the lock is lost with the
 * connection and somebody else has it by the time that there is another one, the effect is interrupted: LockFailed.
 */
export type Kept = <A, E, R>(name: string, use: Effect.Effect<A, E, R>) => Effect.Effect<A, E | LockFailed, R>

/** The locks of one connection. */
export interface LockSession {
  readonly locked: Locked
  readonly kept: Kept
}

/**
 * A connection for locks alone to the database at a URL. It stays open: the server gives its locks back with it. Where
 * `lease` milliseconds are given, it is looked after so often that the server may close one that is silent for longer.
 */
export const lockSession = Effect.fn("LockSession.open")(function*(url: Redacted.Redacted, lease?: number) {
  const config = { url, applicationName: "ooda-codex-review locks", maxConnections: 1, idleTimeout: Duration.infinity }
  const session = yield* Effect.mapError(
    Layer.build(PgClient.layer(config)),
    (error) => new StoreFailed({ path: "the database", reason: sqlFault(error) })
  )
  const sql = Context.get(session, PgClient.PgClient)
  // The server gives a connection the same lock twice; the fibers of this process share one.
  const own = new Set<string>()

  const ask = (name: string, patience: number) =>
    sql<{ readonly held: boolean }>`select pg_try_advisory_lock(hashtextextended(${name}, 0)) as held`.pipe(
      Effect.mapError((error) => new LockFailed({ path: name, reason: sqlFault(error) })),
      Effect.flatMap(([row]) => row?.held === true ? Effect.void : Effect.fail(heldElsewhere(name, patience)))
    )

  const take = (name: string, patience: number) =>
    Effect.suspend(() => {
      if (own.has(name)) return Effect.fail(heldElsewhere(name, patience))
      own.add(name)
      return Effect.onError(ask(name, patience), () => Effect.sync(() => own.delete(name)))
    })

  const giveBack = (name: string) =>
    sql<{ readonly given: boolean }>`select pg_advisory_unlock(hashtextextended(${name}, 0)) as given`.pipe(
      Effect.flatMap(([row]) => row?.given === true ? Effect.void : note("the lock was lost before", { name })),
      Effect.catch((_: SqlError) => recovered("the server frees the lock")("the connection is gone")),
      Effect.ensuring(Effect.sync(() => own.delete(name)))
    )

  const lock = (name: string, patience: number) => Effect.acquireRelease(take(name, patience), () => giveBack(name))

  const patiently = (name: string, patience: number) =>
    lock(name, patience).pipe(
      Effect.retry({ while: ({ reason }) => reason._tag === "LockHeld", schedule: pauses }),
      Effect.timeoutOrElse({ duration: patience, orElse: () => lock(name, patience) })
    )

  const locked: Locked = (name, use, patience = patienceMillis) =>
    Effect.scopedWith((scope) => patiently(name, patience).pipe(Scope.provide(scope), Effect.andThen(use)))

  // Those that want to know when their lock is somebody else's.
  const keepers = new Map<string, Deferred.Deferred<void>>()
  const kept: Kept = (name, use) =>
    Effect.scopedWith((scope) =>
      Effect.gen(function*() {
        yield* Scope.provide(lock(name, 0), scope)
        const gone = yield* Deferred.make<void>()
        const keeper = Effect.acquireRelease(
          Effect.sync(() => keepers.set(name, gone)),
          () => Effect.sync(() => keepers.delete(name))
        )
        yield* Scope.provide(keeper, scope)
        return yield* Effect.raceFirst(use, Effect.andThen(Deferred.await(gone), Effect.fail(heldElsewhere(name, 0))))
      })
    )

  let backend = 0
  /** Says that this connection lives, and takes the locks of one that does not any more. */
  const lookedAfter = Effect.fnUntraced(function*(millis: number) {
    const [row] = yield* sql<{ readonly pid: number }>`
      select pg_backend_pid() as pid, set_config('idle_session_timeout', ${`${millis}`}, false)`
    if (row === undefined || row.pid === backend) return
    const isFirst = backend === 0
    backend = row.pid
    if (isFirst) return
    for (const [name, gone] of keepers) {
      yield* Effect.catch(ask(name, 0), () => Deferred.succeed(gone, undefined))
    }
  })
  if (lease !== undefined) {
    yield* lookedAfter(lease).pipe(
      Effect.catch(recovered("it is looked after again")),
      Effect.repeat(Schedule.spaced(lease / 3)),
      Effect.forkScoped
    )
  }
  return { locked, kept } satisfies LockSession
})

const heldElsewhere = (path: string, patience: number): LockFailed =>
  new LockFailed({ path, reason: { _tag: "LockHeld", seconds: patience / 1000 } })
