// Stalls: the same action twice with nothing gained is a stall; waiting for reviewers never is.
// Waits neither count as repetition nor hide one.
import { Effect, Exit, type Layer, Option } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { type Git, Invocation, Ooda } from "../src/index.ts"
import { Memory, Scripted, System, type World } from "../src/testing.ts"

const minute = 60_000

describe("stall detection", () => {
  const uncommitted = { _tag: "Uncommitted" } as const
  const outcomeOf = async (git: Layer.Layer<Git, never, World>, after: number, env: Record<string, string>) => {
    const real = System.start(Memory.layer({ git, script: () => Scripted.clean(after) }))
    try {
      const exit = await real.run(Ooda.step(Invocation.make({ target: uncommitted }), "/repo", env))
      const { outcome, run } = Exit.getSuccess(exit).pipe(Option.getOrThrow)
      return { outcome, batches: run?.manifest.batches }
    } finally {
      await real.dispose()
    }
  }
  const milliseconds = fc.integer({ min: 0, max: 5_000 })
  const polls = fc.constantFrom("0", "0.1", "1", "30").map((seconds) => ({ OODA_AWAIT_SECS: seconds }))

  it("ignores waits: reviewers may take as long as they like", () =>
    fc.assert(
      fc.asyncProperty(milliseconds, polls, async (after, env) => {
        const { batches, outcome } = await outcomeOf(Memory.git(), after, env)
        assert.deepInclude(outcome, { _tag: "HandoffAgent", action: "Retrospective" })
        assert.strictEqual(batches, 1)
      }),
      { numRuns: 3, examples: [[5_000, { OODA_AWAIT_SECS: "0" }]] }
    ), 3 * minute)

  it("sees through waits: code that keeps changing is reported after the second try", () =>
    fc.assert(
      fc.asyncProperty(milliseconds, polls, async (after, env) => {
        let edits = 0
        const restless = Memory.git({
          identity: () => Effect.sync(() => Memory.identityOf(`code-${edits++}`, null))
        })
        const { batches, outcome } = await outcomeOf(restless, after, env)
        assert.deepInclude(outcome, { _tag: "StuckRepeated", action: "RunReviews", key: "low/target-changed" })
        assert.strictEqual(batches, 2)
      }),
      { numRuns: 3, examples: [[0, { OODA_AWAIT_SECS: "0" }]] }
    ), 3 * minute)
})
