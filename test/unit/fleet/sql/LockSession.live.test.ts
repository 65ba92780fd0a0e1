// LockSession: without a database nothing is locked and nothing is done. test/fleet takes locks for real.
import { Effect, Redacted } from "effect"
import { assert, it } from "vitest"
import { lockSession } from "../../../../src/fleet/sql/Locks.live.ts"

it("a database that is not there gives no lock, and is named to nobody", async () => {
  let done = false
  const use = Effect.sync(() => done = true)
  const url = Redacted.make("postgres://annabel:s3cret@localhost/x?host=/nowhere")
  const error = await Effect.runPromise(
    Effect.flip(Effect.scoped(Effect.flatMap(lockSession(url), ({ locked }) => locked("target", use))))
  )
  assert.strictEqual(
    error.message,
    "target: the database cannot be reached [check that it runs, and the address of the store]"
  )
  assert.notMatch(JSON.stringify(error), /annabel|s3cret|nowhere/)
  assert.isFalse(done)
})
