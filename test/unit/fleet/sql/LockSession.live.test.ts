// LockSession: without a database nothing is locked and nothing is done. test/fleet takes locks for real.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { lockSession } from "../../../../src/fleet/sql/Locks.live.ts"
import { isUnreached, nowhere } from "./nowhere.ts"

it("a database that is not there gives no lock, and is named to nobody", async () => {
  let done = false
  const use = Effect.sync(() => done = true)
  const error = await Effect.runPromise(
    Effect.flatMap(lockSession(), ({ locked }) => locked("target", use)).pipe(
      Effect.scoped,
      Effect.provide(nowhere),
      Effect.flip
    )
  )
  isUnreached("target", error)
  assert.isFalse(done)
})
