// Backoff: waits double, spread by a tenth, and end at the cap.
import { assert, it } from "vitest"
import { agentBackoff, backoffMillis } from "../../../src/agent/Recovery.ts"

it.each([[1, 0, 180], [1, 0.5, 200], [2, 0.5, 400], [3, 0, 720], [10, 0.5, 102400], [0, 0.5, 200], [
  40,
  0,
  180 * 2 ** 39
]])(
  "attempt %i with %d waits %i ms",
  (attempt, random, millis) => assert.strictEqual(backoffMillis(attempt, random), millis)
)

it("stays below a tenth more than its middle, and below the cap", () => {
  assert.isBelow(backoffMillis(1, 0.9999), 220)
  assert.strictEqual(backoffMillis(30, 0.5, agentBackoff), 120_000)
  assert.strictEqual(backoffMillis(1, 0.5, agentBackoff), 5_000)
})

it("is finite for any attempt", () => {
  for (const attempt of [47, 1100, 1e9, Infinity]) {
    assert.strictEqual(backoffMillis(attempt, 0), Number.MAX_SAFE_INTEGER)
    assert.strictEqual(backoffMillis(attempt, 0, agentBackoff), 120_000)
  }
  for (const attempt of [-1, -Infinity, Number.NaN]) assert.strictEqual(backoffMillis(attempt, 0.5), 200)
})
