// NewNames: a run's name tells when it began and in which process; no two of the others are alike.
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { assert, it } from "vitest"
import { newAttemptId, newRunId, nonce } from "../../../src/run/RunNames.live.ts"
import { runIdPattern } from "../../../src/log/Refs.ts"

it("a run is named by the present nanosecond and this process", async () => {
  const now = TestClock.setTime(Date.UTC(2030, 0, 2, 3, 4, 5, 678))
  const id = await Effect.runPromise(Effect.provide(Effect.andThen(now, newRunId), TestClock.layer()))
  assert.match(id, runIdPattern)
  assert.strictEqual(id, `20300102T030405Z-678000000-p${process.pid}`)
})

it.each([["a nonce", nonce, /^[0-9a-f]{32}$/], ["an attempt", newAttemptId, /^[0-9a-f-]{36}$/]])(
  "%s is its own",
  async (_, name, form) => {
    const [one, other] = await Effect.runPromise(Effect.all([name, name]))
    assert.match(one, form)
    assert.notStrictEqual(one, other)
  }
)
