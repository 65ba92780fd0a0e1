// Locks.live: named locks that one machine holds at a time, kept by the server for one connection and freed with it.
// That connection never waits for a lock, because no other lock could be freed meanwhile.
import * as PgClient from "@effect/sql-pg/PgClient"
import { Clock, Context, Deferred, Duration, Effect, Layer, Random, Schedule, Scope, Semaphore } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { LockFailed } from "../../log/FileLock.live.ts"
import { note, recovered } from "../../platform/Note.ts"
import { nonce } from "../../run/RunNames.live.ts"
import { StoreFailed } from "../../run/RunStore.ts"
import { Accounts } from "../Deliveries.ts"
import { sqlFault, storeFailure } from "./Database.live.ts"

const patienceMillis = 10_000
const pauses = Schedule.forever.pipe(Schedule.modifyDelay(() => Random.nextBetween(10, 50)))

/**
 * Runs an effect while it alone holds the lock of this name. Tried without blocking for at most 10 seconds, or
 * `patience` in milliseconds, interruptible meanwhile. A lost connection loses the lock, which the holder notices only
 * at the end: what must not happen twice is decided by a commit, as everywhere.
 */
export type Locked = <A, E, R>(
  name: string,
  use: Effect.Effect<A, E, R>,
  patience?: number
) => Effect.Effect<A, E | LockFailed, R>

/**
 * Runs an effect while it alone holds the first of these locks that is free. A lock that is lost with the connection is
 * taken again before others may take it. If another holder has it nevertheless, the effect is interrupted: LockFailed.
 */
type Kept = <A, E, R>(
  names: ReadonlyArray<string>,
  use: Effect.Effect<A, E, R>
) => Effect.Effect<A, E | LockFailed, R>

interface LockSession {
  readonly locked: Locked
  readonly kept: Kept
}

// Milliseconds between two checks whether a connection with kept locks is still the same.
const lookEvery = 1000
// Milliseconds for which no worker takes a new kept lock on a new connection: the server may have lost all locks, and
// their holders come first.
const settling = 2000

/**
 * A connection only for locks. It stays open: the server frees its locks with it. With a `lease` in milliseconds it is
 * checked so often that the server may close a connection that is silent for longer.
 */
export const lockSession = Effect.fn("Locks.open")(function*(lease?: number) {
  const { config: { ssl, url } } = yield* PgClient.PgClient
  const applicationName = "ooda-codex-review locks"
  const config = { url, ssl, applicationName, maxConnections: 1, idleTimeout: Duration.infinity }
  const session = yield* Effect.mapError(
    Layer.build(PgClient.layer(config)),
    (error) => new StoreFailed({ path: "the database", reason: sqlFault(error) })
  )
  const sql = Context.get(session, PgClient.PgClient)
  // The server gives one connection the same lock twice; the fibers of this process share one connection.
  const own = new Set<string>()

  const asked = <A>(path: string, statement: Effect.Effect<A, SqlError>) =>
    Effect.mapError(statement, (error) => new LockFailed({ path, reason: sqlFault(error) }))

  const ask = (name: string, patience: number) =>
    asked(
      name,
      sql<{ readonly held: boolean }>`select pg_try_advisory_lock(hashtextextended(${name}, 0)) as held`
    ).pipe(
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

  // The holders to be informed when their lock is lost.
  const keepers = new Map<string, Deferred.Deferred<void>>()
  // A setting with this value identifies the connection. A new connection does not have it.
  const mark = yield* nonce
  const isMarked = sql`coalesce(current_setting('ooda.session', true), '') = ${mark}`
  let settled = 0

  /**
   * Takes the kept locks again on a new connection and marks it, in one statement: so both happen on one connection.
   */
  const noticed = Effect.fnUntraced(function*() {
    settled = (yield* Clock.currentTimeMillis) + settling
    const names = [...keepers.keys()]
    const [row] = yield* asked(
      "the locks",
      sql<{ readonly lost: string }>`
        select set_config('ooda.session', ${mark}, false), (
          select coalesce(string_agg(name, ${"\n"}), '')
          from unnest(string_to_array(${names.join("\n")}, ${"\n"})) as kept (name)
          where not pg_try_advisory_lock(hashtextextended(name, 0))
        ) as lost`
    )
    for (const name of row?.lost.split("\n") ?? []) {
      const gone = keepers.get(name)
      if (gone !== undefined) yield* Deferred.succeed(gone, undefined)
    }
  })

  // The server gives one connection the same lock twice, so only one fiber at a time may take any.
  const looking = yield* Semaphore.make(1)
  const takeFree = (names: ReadonlyArray<string>) =>
    looking.withPermits(1)(Effect.gen(function*() {
      const all = names.join()
      const free = names.filter((name) => !own.has(name))
      // Even a try at the lock could stop its holder from taking it again.
      const mayTake = (yield* Clock.currentTimeMillis) >= settled
      const [row] = yield* asked(
        all,
        sql<{ readonly name: string | null; readonly known: boolean }>`
          select ${isMarked} as known, (
            select name from unnest(string_to_array(${free.join("\n")}, ${"\n"})) as free (name)
            where case when ${mayTake} and ${isMarked}
              then pg_try_advisory_lock(hashtextextended(name, 0)) else false end
            limit 1
          ) as name`
      )
      if (row?.known !== true) yield* noticed()
      if (row === undefined || row.name === null) return yield* Effect.fail(heldElsewhere(all, 0))
      own.add(row.name)
      return row.name
    }))

  const kept: Kept = (names, use) =>
    Effect.scopedWith((scope) =>
      Effect.gen(function*() {
        const name = yield* Scope.provide(Effect.acquireRelease(takeFree(names), giveBack), scope)
        const gone = yield* Deferred.make<void>()
        const keeper = Effect.acquireRelease(
          Effect.sync(() => keepers.set(name, gone)),
          () => Effect.sync(() => keepers.delete(name))
        )
        yield* Scope.provide(keeper, scope)
        return yield* Effect.raceFirst(use, Effect.andThen(Deferred.await(gone), Effect.fail(heldElsewhere(name, 0))))
      })
    )

  let lookedAt = 0
  /** Shows that this connection is alive, and notices when it is a new one. */
  const lookedAfter = (millis: number) =>
    looking.withPermits(1)(Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      if (keepers.size === 0 && now - lookedAt < millis / 3) return
      lookedAt = now
      const [row] = yield* asked(
        "the locks",
        sql<{ readonly known: boolean }>`
          select ${isMarked} as known, set_config('idle_session_timeout', ${`${millis}`}, false)`
      )
      if (row?.known !== true) yield* noticed()
    }))
  if (lease !== undefined) {
    yield* lookedAfter(lease).pipe(
      Effect.catch(recovered("it is looked after again")),
      Effect.repeat(Schedule.spaced(Math.min(lookEvery, lease / 3))),
      Effect.forkScoped
    )
  }
  return { locked, kept } satisfies LockSession
})

const heldElsewhere = (path: string, patience: number): LockFailed =>
  new LockFailed({ path, reason: { _tag: "LockHeld", seconds: patience / 1000 } })

// Places of an account, each a lock. When a worker dies the server frees its places, and its reviewers die too.

// Milliseconds between two checks whether a place has become free.
const accountLookEvery = 1000

const path = "the accounts of the fleet"
const asked = storeFailure(path)

/** The layer for workers whose reviewers use this machine's own login, without a limit. */
export const unlimited: Layer.Layer<Accounts> = Layer.succeed(
  Accounts,
  Accounts.of({
    using: Effect.withSpan("Accounts.using"),
    cools: Effect.withSpan(Effect.succeed(false), "Accounts.cools"),
    cool: Effect.fn("Accounts.cool")(() => Effect.void)
  })
)

/** Creates an account, or changes how many may use it at once. */
export const setAccount = Effect.fn("Accounts.set")(function*(name: string, cap: number) {
  const sql = yield* SqlClient
  yield* asked(sql`
    insert into ooda_account (name, cap) values (${name}, ${cap}) on conflict (name) do update set cap = excluded.cap`)
})

/** The layer for an account. `kept` is a monitored lock session. */
export const layer = (
  name: string,
  { kept }: LockSession
): Layer.Layer<Accounts, StoreFailed, SqlClient> =>
  Layer.effect(
    Accounts,
    Effect.gen(function*() {
      const sql = yield* SqlClient
      const places = Effect.gen(function*() {
        const [row] = yield* asked(sql<{ readonly cap: number; readonly cools: boolean }>`
          select cap, cool_until > now() as cools from ooda_account where name = ${name}`)
        return row ?? (yield* new StoreFailed({ path, reason: { _tag: "AccountUnknown", name } }))
      })
      yield* places

      /** Runs an effect in the first free place; null if none is free. */
      const inPlace = Effect.fnUntraced(function*<A, E, R>(cap: number, use: Effect.Effect<A, E, R>) {
        let begun = false
        const noted = Effect.suspend(() => {
          begun = true
          return Effect.map(use, (done) => ({ done }))
        })
        const places = Array.from({ length: cap }, (_, place) => `account ${name} place ${place + 1}`)
        const ran = yield* Effect.result(kept(places, noted))
        if (ran._tag === "Success") return ran.success
        return begun || !(ran.failure instanceof LockFailed) ? yield* Effect.fail(ran.failure) : null
      })

      return Accounts.of({
        using: Effect.fn("Accounts.using")(function*<A, E, R>(use: Effect.Effect<A, E, R>) {
          while (true) {
            const { cap, cools } = yield* places
            const ran = cools ? null : yield* inPlace(cap, use).pipe(
              Effect.catchIf(
                (error) => error instanceof LockFailed,
                ({ reason }) => Effect.fail(new StoreFailed({ path, reason }))
              )
            )
            if (ran !== null) return ran.done
            yield* Effect.sleep(accountLookEvery)
          }
        }),
        cools: Effect.map(places, ({ cools }) => cools).pipe(Effect.withSpan("Accounts.cools")),
        cool: Effect.fn("Accounts.cool")((millis) =>
          Effect.asVoid(asked(sql`
            update ooda_account set cool_until = greatest(cool_until, now() + ${millis} * interval '1 millisecond')
            where name = ${name}`))
        )
      })
    })
  )
