// AccountsSql: the places of an account, each a lock of the database that a worker holds while its reviewer runs.
// The server gives a place back when its worker dies, and the same death kills its reviewer.
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Accounts } from "../../services/Accounts.ts"
import { StoreFailed } from "../../services/RunStore.ts"
import { LockFailed } from "../log/Lock.ts"
import type { LockSession } from "./LockSession.ts"
import { sqlFault } from "./SqlFaults.ts"

// Milliseconds between two looks whether a place has become free.
const lookEvery = 1000

const path = "the accounts of the fleet"
const asked = Effect.mapError((error: SqlError) => new StoreFailed({ path, reason: sqlFault(error) }))

/** The layer for workers whose reviewers use what this machine is logged in with, as many as there are. */
export const unlimited: Layer.Layer<Accounts> = Layer.succeed(
  Accounts,
  Accounts.of({
    using: Effect.withSpan("Accounts.using"),
    cools: Effect.withSpan(Effect.succeed(false), "Accounts.cools"),
    cool: Effect.fn("Accounts.cool")(() => Effect.void)
  })
)

/** Makes an account, or changes how many may use it at once. */
export const setAccount = Effect.fn("Accounts.set")(function*(name: string, cap: number) {
  const sql = yield* SqlClient
  yield* asked(sql`
    insert into ooda_account (name, cap) values (${name}, ${cap}) on conflict (name) do update set cap = excluded.cap`)
})

/** The layer for an account. `kept` is that of a session that is looked after. */
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

      /** Runs an effect in the first place that is free; null where none is. */
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
            yield* Effect.sleep(lookEvery)
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
