// Recover: laws of recovery: whatever happens, an agent ends, and the same history gives the same decision.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { AgentFailure } from "../src/agent/AgentEnding.ts"
import { type RecoveryOptions, type PastAttempt, recover, recoveryLimits } from "../src/agent/Recovery.ts"
import { AttemptCause, AttemptFailure } from "../src/agent/Event.ts"
import { failures } from "../test/support/agents.ts"

const until = fc.option(fc.constantFrom("9:36 AM", "Jan 7th, 2030 3:05 PM", "whenever"))
const failure: fc.Arbitrary<AgentFailure> = fc.oneof(
  fc.constantFrom<AgentFailure>(...Object.values(failures)),
  until.map((text) => ({ ...failures.Quota, until: text })),
  fc.option(fc.double({ min: 0, noNaN: true })).map((after) => ({ ...failures.RateLimited, after }))
)
const thread = fc.option(fc.constantFrom("t", "u"))
const given: fc.Arbitrary<RecoveryOptions> = fc.record({
  waitQuota: fc.constantFrom(0, 3_600_000, Number.MAX_SAFE_INTEGER),
  canCompact: fc.boolean(),
  now: fc.nat().map((n) => Date.UTC(2030, 0, 1) + n),
  zone: fc.constantFrom(-12, 0, 5.5, 14).map((hours) => hours * 3_600_000)
})
const step = fc.record({ failure, thread, given, id: fc.string() })
const anyPast = fc.array(
  fc.record<PastAttempt>({
    failure: fc.constantFrom(...AttemptFailure.literals),
    next: fc.constantFrom(...AttemptCause.literals)
  }),
  { maxLength: 8 }
)

describe("recovery", () => {
  it("always ends, within the limits of the table", () => {
    fc.assert(fc.property(fc.infiniteStream(step), (steps) => {
      const past: Array<PastAttempt> = []
      for (const { failure, given, id, thread } of steps) {
        const next = recover(past, { kind: "codex", id, failure, thread }, given)
        if (next._tag === "Stop") {
          assert.isNotEmpty(next.remedy)
          break
        }
        assert.isTrue(Number.isSafeInteger(next.wait) && next.wait >= 0)
        past.push({ failure: failure._tag, next: next.next })
        assert.isBelow(past.length, recoveryLimits.attempts)
      }
      assert.isAtMost(past.filter(({ failure }) => failure === "Empty").length, 1)
      assert.isAtMost(past.filter(({ next }) => next === "Compacted").length, 1)
    }))
  })

  it("is total, and the same for the same history", () => {
    fc.assert(fc.property(anyPast, step, (past, { failure, given, id, thread }) => {
      const attempt = { kind: "codex", id, failure, thread } as const
      const first = recover(past, attempt, given)
      assert.deepStrictEqual(recover([...past], { ...attempt }, { ...given }), first)
      if (first._tag === "Again" && first.next === "Continued") assert.isNotNull(thread)
      assert.strictEqual(
        first._tag === "Again" && first.next === "Compacted",
        first._tag === "Again" &&
          failure._tag === "ContextWindow"
      )
    }))
  })
})
