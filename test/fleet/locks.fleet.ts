// locks: two machines, or two fibers of one, never hold a lock at once; a lock of the dead is free at once.
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { assert, describe, it } from "vitest"
import { database } from "../../src/fleet/sql/Database.live.ts"
import { type Locked, lockSession } from "../../src/fleet/sql/Locks.live.ts"
import { outcome } from "../unit/log/temporaryLog.ts"
import { databaseOf, querying } from "./databases.ts"

const { installed, url } = databaseOf("locks")

describe.runIf(installed)("a lock in a database", () => {
  /** Two machines, each with its own connection for locks. */
  const onTwo = <A, E>(use: (one: Locked, other: Locked) => Effect.Effect<A, E>): Promise<A> => {
    const session = Effect.map(lockSession(), ({ locked }) => locked)
    return Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(Effect.all([session, session]), ([one, other]) => use(one, other))
      ).pipe(Effect.provide(database(Redacted.make(url()))))
    )
  }
  const held = { _tag: "LockFailed", reason: { _tag: "LockHeld", seconds: 0.1 } }

  it("is held by one at a time, whichever machine or fiber it is", () =>
    onTwo((one, other) =>
      Effect.gen(function*() {
        let [inside, most, times] = [0, 0, 0]
        const use = Effect.gen(function*() {
          most = Math.max(most, ++inside)
          yield* Effect.sleep(5)
          inside--
          times++
        })
        const all = Array.from({ length: 24 }, (_, i) => (i % 2 === 0 ? one : other)("target", use))
        yield* Effect.all(all, { concurrency: "unbounded" })
        assert.deepStrictEqual([most, times, inside], [1, 24, 0])
      })
    ))

  it("is refused to who has no more patience, and given to the next once its holder has ended or failed", () =>
    onTwo((one, other) =>
      one(
        "target",
        Effect.promise(async () => {
          assert.deepStrictEqual(await outcome(other("target", Effect.void, 100)), held)
          assert.deepStrictEqual(await outcome(one("target", Effect.void, 100)), held)
        })
      ).pipe(
        Effect.andThen(Effect.flip(one("target", Effect.fail("failed")))),
        Effect.andThen(other("target", Effect.void, 100))
      )
    ))

  it("blocks no other lock while it is waited for", () =>
    onTwo((one, other) =>
      one(
        "first",
        Effect.gen(function*() {
          const waiting = yield* Effect.forkChild(other("first", Effect.succeed("given")))
          yield* other("second", Effect.void, 500)
          return waiting
        })
      ).pipe(Effect.flatMap(Fiber.join), Effect.map((said) => assert.strictEqual(said, "given")))
    ))

  it("of a machine that has died is free, and its holder, should it live, ends as usual", () =>
    onTwo((one, other) =>
      Effect.gen(function*() {
        const [taken, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const use = Effect.andThen(Deferred.succeed(taken, undefined), Effect.as(Deferred.await(go), "done"))
        const holder = yield* Effect.forkChild(one("target", use))
        yield* Deferred.await(taken)
        const rows = yield* Effect.promise(() =>
          querying(url(), (sql) =>
            sql<
              { ended: boolean }
            >`select pg_terminate_backend(pid) as ended from pg_locks join pg_database d on d.oid = pg_locks.database
              where locktype = 'advisory' and d.datname = current_database()`)
        )
        assert.deepEqual(rows.map(({ ended }) => ended), [true])
        yield* other("target", Effect.void, 2_000)
        yield* Deferred.succeed(go, undefined)
        assert.strictEqual(yield* Fiber.join(holder), "done")
        yield* one("target", Effect.void, 2_000)
      })
    ))
})
