// Inspect: what would come next is told, and nothing is done.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { inspectConverge } from "../../../src/converge/Inspect.ts"
import { header } from "../../../src/core/loop/Outcome.ts"
import { onMachine } from "../runs/opened.ts"
import { byTask, call, result, settings, world } from "./driven.ts"

const inspected = (set = settings()) => Effect.map(inspectConverge(set, "/repo"), ({ outcome }) => header(outcome))

it("before the first call reviews would run", async () => {
  assert.strictEqual(await onMachine(Effect.andThen(world(), inspected())), "WouldAdvance: RunReviews")
})

it("a hand-off that waits would be taken up; a circle and a budget would end the call", async () => {
  let nth = 0
  const agents = byTask({ address: (...all) => result("pass", "", nth++ % 2 === 0 ? "code-2" : "code-1")(...all) })
  const [waiting, circle, time] = await onMachine(Effect.gen(function*() {
    yield* world({ agents, flawed: ["code-1", "code-2"] })
    yield* call(settings({ maxTokens: 1, tests: ["npm test"] }, {}))
    const waiting = yield* inspected()
    yield* call()
    return [waiting, yield* inspected(), yield* inspected(settings({ maxTime: 1 }))] as const
  }))
  assert.include(["WouldAdvance: AddressBatch", "StuckRepeated: AddressBatch:code-1"], waiting)
  assert.strictEqual(circle, "StuckRepeated: AddressBatch:code-1")
  assert.match(time, /^StuckRepeated|StuckCapReached: RunReviews:max-time$/)
})

it("the fixed point is told again", async () => {
  const told = await onMachine(Effect.gen(function*() {
    yield* world()
    yield* call()
    return yield* inspected()
  }))
  assert.strictEqual(told, "DoneFixedPoint")
})
