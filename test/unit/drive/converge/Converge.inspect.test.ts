// Converge: an inspection says what would come next, and does nothing.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import type { ConvergeOptions } from "../../../../src/drive/converge/Drive.ts"
import { inspectConverge } from "../../../../src/drive/converge/Converge.ts"
import { Memory, ScriptedAgent, World } from "../../../../src/testing.ts"
import { header } from "../../../../src/run/Outcome.ts"
import { onMachine } from "../../run/opened.ts"
import { byTask, call, result, settings, world } from "./driven.ts"

const inspected = (set = settings(), options: ConvergeOptions = {}) =>
  Effect.map(inspectConverge(set, "/repo", options), ({ outcome }) => header(outcome))

it("before the first call reviews would run", async () => {
  assert.strictEqual(await onMachine(Effect.andThen(world(), inspected())), "WouldAdvance: RunReviews")
})

it("a waiting hand-off would be answered; a circle and a budget would end the call", async () => {
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

it("an obstacle would end the call", async () => {
  const base = { target: { _tag: "Base", branch: "main" } }
  const dirty = Memory.git({
    identity: (_, __, branch) => Effect.succeed({ ...Memory.identityOf("code-1", branch), headTree: "code-0" })
  })
  const set = settings({ commitFixes: "Fix" }, base)
  const committing = await onMachine(Effect.andThen(world(), inspected(set)), { git: dirty })
  assert.match(committing, /^BinaryError: --commit-fixes needs a clean working tree/)
  const unconsented = inspected(settings(), { repositoryTests: "aa" })
  assert.strictEqual(await onMachine(Effect.andThen(world(), unconsented)), "HandoffHuman: ConsentNeeded")
})

it("the time since a driver was killed is not counted", async () => {
  const outcome = await onMachine(Effect.gen(function*() {
    yield* world({ agents: () => ScriptedAgent.answers("late", { after: 60_000 }) })
    yield* Effect.timeoutOption(call(), 30_000)
    yield* Effect.sleep(3_600_000)
    return yield* inspected(settings({ maxTime: 600_000 }))
  }))
  assert.strictEqual(outcome, "WouldAdvance: AddressBatch")
})

it("a known fixed point is reported again", async () => {
  const outcome = await onMachine(Effect.gen(function*() {
    yield* world()
    yield* call()
    return yield* inspected()
  }))
  assert.strictEqual(outcome, "DoneFixedPoint")
})

describe("after a call that ended with a question", () => {
  const untested = { tests: [], noTest: true }
  const allow = ["unsandboxed", "rejected-result"]

  /** An inspection of a blocked agent's round, with the code as the agent left it, or with other code. */
  const blocked = <A, E, R>(seen: Effect.Effect<A, E, R>, code: string | null = null) =>
    Effect.gen(function*() {
      yield* world({ agents: byTask({ address: result("error", "", "code-2") }) })
      assert.strictEqual((yield* call(settings(untested))).header, "HandoffHuman: TaskBlocked")
      if (code !== null) yield* Ref.set((yield* World).code, code)
      return yield* seen
    })

  it("the end is the same while the code is, unless another try or the result is allowed", async () => {
    assert.strictEqual(await onMachine(blocked(inspected(settings(untested)))), "HandoffHuman: TaskBlocked")
    const again = inspected(settings(untested), { again: true })
    assert.strictEqual(await onMachine(blocked(again)), "WouldAdvance: AddressBatch")
    const allowed = inspected(settings({ ...untested, allow }))
    assert.strictEqual(await onMachine(blocked(allowed)), "WouldAdvance: AddressBatch")
  })

  it("a fix would be reviewed, and restored code would be addressed again", async () => {
    const seen = inspected(settings(untested))
    assert.strictEqual(await onMachine(blocked(seen, "code-3")), "WouldAdvance: RunReviews")
    assert.strictEqual(await onMachine(blocked(seen, "code-1")), "WouldAdvance: AddressBatch")
  })

  it("tests would run first after a fix, because the code changed", async () => {
    const { next, outcome } = await onMachine(Effect.gen(function*() {
      yield* world({ tests: (_, nth) => ({ exit: nth === 1 ? 0 : 1 }) })
      yield* call(settings({ fixAttempts: 0 }))
      yield* Ref.set((yield* World).code, "code-3")
      return yield* inspectConverge(settings(), "/repo")
    }))
    assert.deepStrictEqual([next, header(outcome)], [
      "runs npm test first, since the code changed",
      "WouldAdvance: AddressBatch"
    ])
  })
})
