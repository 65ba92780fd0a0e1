// Waking under virtual time: a step that sleeps 30 s at a time ends when its batch can be decided, not later.
// The one rule: a step's end is read off the same clock as the reviewers' ends, which only the test moves.
import { Clock, Effect, Exit, Option } from "effect"
import { assert, describe, it, vi } from "vitest"
import { Invocation, Ooda } from "../../../src/index.ts"
import { Memory, Scripted, System } from "../../../src/testing.ts"

// Virtual time costs real time too, on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const settings = { target: { _tag: "Uncommitted" }, ceiling: "low" } as const
// Virtual time moves by 100 ms at first, and by 150 ms after fifteen seconds of waiting.
const soon = 300

/** Steps one after the other, over three reviewers that end after 5, 10 and 15 s; what each came to, and when. */
const steps = async (...options: ReadonlyArray<Partial<Parameters<typeof Invocation.make>[0]>>) => {
  const machine = System.start(Memory.layer({ script: ({ slot }) => Scripted.clean(slot * 5000) }))
  try {
    const exit = await machine.run(Effect.gen(function*() {
      const begun = yield* Clock.currentTimeMillis
      return yield* Effect.forEach(options, (more) =>
        Effect.gen(function*() {
          const invocation = Invocation.make({ ...settings, ...more })
          const { outcome } = yield* Ooda.step(invocation, "/repo", { OODA_AWAIT_SECS: "30" })
          return { outcome: outcome._tag, at: (yield* Clock.currentTimeMillis) - begun }
        }))
    }))
    return Exit.getSuccess(exit).pipe(Option.getOrThrow)
  } finally {
    await machine.dispose()
  }
}

describe("with a poll interval of 30 s", () => {
  it("a step ends as soon as the last of its reviewers has", async () => {
    const [only] = await steps({})
    assert.strictEqual(only?.outcome, "DoneFixedPoint")
    assert.isAtLeast(only?.at ?? 0, 15_000)
    assert.isAtMost(only?.at ?? 0, 15_000 + soon)
  })

  it("so does a step that waits for the reviewers of an earlier one", async () => {
    const [first, second] = await steps({ stepTimeout: 7000 }, {})
    assert.strictEqual(first?.outcome, "Idle")
    assert.isAtMost(first?.at ?? 0, 7000 + soon)
    assert.strictEqual(second?.outcome, "DoneFixedPoint")
    assert.isAtMost(second?.at ?? 0, 15_000 + soon)
  })

  it("no iteration is spent on each reviewer that ends", async () => {
    // To start, to wait, to decide: three reviewers that end one by one need no more.
    const [only] = await steps({ maxIter: 3 })
    assert.strictEqual(only?.outcome, "DoneFixedPoint")
  })
})
