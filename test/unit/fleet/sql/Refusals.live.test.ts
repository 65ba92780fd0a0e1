import { Cause, Effect, Exit } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { assert, describe, it } from "vitest"
import { refusals } from "../../../../src/fleet/sql/Database.live.ts"

const refused = new SqlError({ reason: new ConnectionError({ cause: new Error("gone") }) })
const dying = Cause.makeDieReason(refused)

const reasonsOf = async <E>(...reasons: ReadonlyArray<Cause.Reason<E>>) => {
  const exit = await Effect.runPromiseExit(refusals(() => Effect.failCause(Cause.fromReasons(reasons))))
  return Exit.isFailure(exit) ? exit.cause.reasons : []
}

describe("refusals", () => {
  it("takes what the database refused for a failure", async () => {
    assert.strictEqual(await Effect.runPromise(Effect.flip(refusals(() => Effect.die(refused)))), refused)
    assert.strictEqual(await Effect.runPromise(Effect.flip(refusals(() => Effect.fail(refused)))), refused)
    assert.strictEqual(await Effect.runPromise(refusals(() => Effect.succeed(1))), 1)
  })

  it("says what failed first, where the rollback is refused as well", async () => {
    const first = Cause.makeFailReason("first")
    assert.deepStrictEqual(await reasonsOf(first, dying), [first])
  })

  it("takes for a failure what Effect takes for a defect because it failed before a rollback was refused", async () => {
    const failed = Effect.fail("first")
    const asked = refusals((noting) => Effect.ensuring(noting(failed), Effect.die(refused)))
    assert.strictEqual(await Effect.runPromise(Effect.flip(asked)), refused)
    const bug = await Effect.runPromiseExit(refusals(() => Effect.ensuring(failed, Effect.die(refused))))
    assert.isTrue(Exit.isFailure(bug) && Cause.hasDies(bug.cause))
  })

  it("leaves other defects and interruptions as they are", async () => {
    const bug = Cause.makeDieReason(new Error("a bug"))
    assert.deepStrictEqual(await reasonsOf(bug, dying), [bug])
    const interrupted = Cause.makeInterruptReason(1)
    assert.deepStrictEqual(await reasonsOf(interrupted, dying), [interrupted])
  })
})
