// Acting: one turn at a time: what is decided from what has been committed, and what it does.
import { Effect, Fiber } from "effect"
import { assert, it } from "vitest"
import { on } from "../../../../src/drive/Drive.ts"
import { drive } from "../../../../src/drive/Kernel.ts"
import { policy } from "../../../../src/drive/plan/Round.ts"
import type { SignalName } from "../../../../src/platform/Process.ts"
import { Memory } from "../../../../src/testing.ts"
import { inWorld } from "./plans.ts"
import { workingRun } from "./workings.ts"

const turns = (count: number, driven: object = {}) =>
  Effect.gen(function*() {
    const signals: Fiber.Fiber<SignalName> = yield* Effect.forkChild(Effect.never)
    let working = yield* workingRun([], {}, driven)
    const tags: Array<string> = []
    for (let i = 0; i < count; i++) {
      const seen = yield* policy.look(working)
      tags.push(seen.decision._tag)
      const turn = yield* policy.act(seen.drive, seen.decision, signals)
      if (turn._tag === "Over") return { tags, header: turn.outcome?._tag }
      working = turn.drive
    }
    return { tags, header: null }
  })

it("each turn is decided from what the turns before have committed", async () => {
  const { tags } = await inWorld({}, turns(9))
  assert.deepStrictEqual(tags, ["Test", "StartRound", "Ask", "Answer", "Ask", "Answer", "Test", "Review", "Accept"])
})

it("what needs a person's consent ends the call", async () => {
  const agent = Memory.agents({ confined: false })
  const ended = Effect.gen(function*() {
    const signals: Fiber.Fiber<SignalName> = yield* Effect.forkChild(Effect.never)
    return yield* drive(policy, on(yield* workingRun([], {}, { allow: [] })), signals)
  })
  const { outcome } = await inWorld({}, ended, { agent })
  assert.deepInclude(outcome, { _tag: "HandoffHuman", action: "ConsentNeeded" })
})
