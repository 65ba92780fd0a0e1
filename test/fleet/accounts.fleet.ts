// accounts: an account never has more holders than its cap, and no new ones while its provider asks for less.
import { Effect, Layer, Redacted } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import { stored } from "../../src/fleetLayers.ts"
import { Accounts } from "../../src/fleet/Deliveries.ts"
import { databaseOf, makeStore, querying } from "./databases.ts"

const { installed, url } = databaseOf("accounts")
const role = "accounts_writer"

describe.runIf(installed)("the places of an account", () => {
  beforeAll(() => makeStore(url(), role))

  it("are never more than its cap over all workers, and free again when a worker has died", async () => {
    await querying(url(), (sql) => sql`insert into ooda_account (name, cap) values ('team', 2) on conflict do nothing`)
    const worker = Layer.orDie(stored(Redacted.make(url(role)), { lease: 3000, account: "team" }))
    let [inside, most, done] = [0, 0, 0]
    const use = Effect.gen(function*() {
      most = Math.max(most, ++inside)
      yield* Effect.sleep(30)
      inside--
      done++
    })
    const one = Effect.provide(
      Effect.all(Array.from({ length: 4 }, () => Accounts.use((them) => them.using(use))), {
        concurrency: "unbounded"
      }),
      worker
    )
    const dying = Effect.timeoutOption(
      Effect.provide(Accounts.use((them) => them.using(Effect.never)), worker),
      200
    )
    await Effect.runPromise(Effect.all([one, one, one, dying], { concurrency: "unbounded" }))
    assert.deepEqual([done, inside], [12, 0])
    assert.isAtMost(most, 2)
  })

  it("stay with their holders while the server loses its connections, and no one else gets them meanwhile", async () => {
    await querying(url(), (sql) => sql`insert into ooda_account (name, cap) values ('kept', 1) on conflict do nothing`)
    const worker = Layer.orDie(stored(Redacted.make(url(role)), { lease: 3000, account: "kept" }))
    const said: Array<string> = []
    const say = (what: string) => Effect.sync(() => void said.push(what))
    const lost = Effect.promise(() =>
      querying(url(), (sql) =>
        sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`)
    )
    const holds = Effect.provide(
      Accounts.use((them) =>
        them.using(Effect.gen(function*() {
          yield* say("taken")
          yield* Effect.sleep(1000)
          yield* lost
          yield* Effect.sleep(5000)
          yield* say("done")
        }))
      ),
      worker
    )
    const waits = Effect.provide(
      Effect.andThen(Effect.sleep(500), Accounts.use((them) => them.using(say("next")))),
      worker
    )
    // A look while the database has no connection for it fails, as it does in a worker, which then asks again.
    await Effect.runPromise(
      Effect.all([holds, Effect.retry(waits, { times: 5 })], { concurrency: "unbounded", discard: true })
    )
    assert.deepStrictEqual(said, ["taken", "done", "next"])
  })

  it("are free but not given while its provider asks for less", async () => {
    await querying(url(), (sql) => sql`insert into ooda_account (name, cap) values ('cool', 2) on conflict do nothing`)
    const worker = Layer.orDie(stored(Redacted.make(url(role)), { lease: 3000, account: "cool" }))
    const asked = Accounts.use((them) =>
      Effect.gen(function*() {
        // A new connection gives no place for two seconds anyway.
        yield* them.using(Effect.void)
        yield* them.cool(1200)
        // A shorter pause does not end a longer one.
        yield* them.cool(0)
        const from = Date.now()
        yield* them.using(Effect.void)
        return Date.now() - from
      })
    )
    assert.isAtLeast(await Effect.runPromise(Effect.provide(asked, worker)), 1000)
  })
})
