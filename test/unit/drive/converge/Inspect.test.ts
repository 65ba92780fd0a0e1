// Inspect: what would come next is told, and nothing is done.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { inspectConverge } from "../../../../src/drive/converge/Inspect.ts"
import { Memory, ScriptedAgent } from "../../../../src/testing.ts"
import { header } from "../../../../src/run/Outcome.ts"
import { onMachine } from "../../run/opened.ts"
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

it("what stands against a call would end it", async () => {
  const base = { target: { _tag: "Base", branch: "main" } }
  const dirty = Memory.git({
    identity: (_, __, branch) => Effect.succeed({ ...Memory.identityOf("code-1", branch), headTree: "code-0" })
  })
  const set = settings({ commitFixes: "Fix" }, base)
  const committing = await onMachine(Effect.andThen(world(), inspected(set)), { git: dirty })
  assert.match(committing, /^BinaryError: --commit-fixes needs a clean working tree/)
  const unconsented = Effect.map(
    inspectConverge(settings(), "/repo", { repositoryTests: "aa" }),
    ({ outcome }) => header(outcome)
  )
  assert.strictEqual(await onMachine(Effect.andThen(world(), unconsented)), "HandoffHuman: ConsentNeeded")
})

it("the time since a driver was killed is not used up", async () => {
  const told = await onMachine(Effect.gen(function*() {
    yield* world({ agents: () => ScriptedAgent.answers("late", { after: 60_000 }) })
    yield* Effect.timeoutOption(call(), 30_000)
    yield* Effect.sleep(3_600_000)
    return yield* inspected(settings({ maxTime: 600_000 }))
  }))
  assert.strictEqual(told, "WouldAdvance: AddressBatch")
})

it("the fixed point is told again", async () => {
  const told = await onMachine(Effect.gen(function*() {
    yield* world()
    yield* call()
    return yield* inspected()
  }))
  assert.strictEqual(told, "DoneFixedPoint")
})
