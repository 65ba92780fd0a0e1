// Implement: an inspection says what the next call would do first, and does nothing.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { type ImplementOptions, inspectPlan } from "../../../../src/drive/plan/Implement.ts"
import { locatePlan } from "../../../../src/drive/plan/OpenPlan.ts"
import { planHeader } from "../../../../src/drive/plan/Outcome.ts"
import { RunStore } from "../../../../src/run/RunStore.ts"
import { Scratchpad } from "../../../../src/code/Scratchpad.ts"
import { Memory, Scripted, ScriptedAgent, World } from "../../../../src/testing.ts"
import { result } from "../converge/driven.ts"
import { call, content, file, inWorld, review, settings } from "./plans.ts"

const inspected = (set = settings(), options: ImplementOptions = {}) =>
  Effect.map(inspectPlan(set, file, "/repo", options), ({ next, outcome, run }) => ({
    header: planHeader(outcome),
    next,
    run: run?.runId ?? null
  }))

const header = (set = settings(), options: ImplementOptions = {}) =>
  Effect.map(inspected(set, options), (one) => one.header)

const runsOfPlan = Effect.gen(function*() {
  const { target } = yield* locatePlan(file, null, "/repo")
  return yield* (yield* RunStore).runs(target)
})

describe("before the first call", () => {
  it("the tests would run, or a cycle would begin without tests; no run is begun", async () => {
    const [tested, untested, runs] = await inWorld(
      {},
      Effect.gen(function*() {
        return [yield* inspected(), yield* inspected(settings({}, { tests: [], noTest: true })), yield* runsOfPlan]
      })
    )
    assert.deepStrictEqual(tested, {
      header: "WouldAdvance: Test",
      next: "runs npm test",
      run: null
    })
    assert.deepStrictEqual(untested, {
      header: "WouldAdvance: StartRound",
      next: "round 1 begins with 0 Add, 1 Sum",
      run: null
    })
    assert.deepStrictEqual(runs, [])
  })

  it("an obstacle would end the call", async () => {
    const unknown = settings({ wanted: { _tag: "Named", names: ["Divide"] } })
    const named = await inWorld({}, Effect.flip(inspected(unknown)))
    assert.include(named.message, "the plan has no task named Divide")
    const [unconsented, consented] = await inWorld(
      {},
      Effect.gen(function*() {
        return [
          yield* inspected(settings(), { repositoryTests: "aa" }),
          yield* header(settings({}, { allow: ["repository-tests"] }), { repositoryTests: "aa" })
        ] as const
      })
    )
    assert.strictEqual(unconsented.header, "HandoffHuman: ConsentNeeded")
    assert.strictEqual(consented, "WouldAdvance: Test")
  })

  it("ten titles are listed, and others counted", async () => {
    const plan = (count: number) =>
      `tasks:\n${Array.from({ length: count }, (_, i) => `  - {title: T${i}, description: d}\n`).join("")}`
    const untested = inspected(settings({}, { tests: [], noTest: true }))
    const seen = async (count: number) => (await inWorld({ plan: plan(count) }, untested)).next
    const ten = Array.from({ length: 10 }, (_, i) => `${i} T${i}`).join(", ")
    assert.strictEqual(await seen(10), `round 1 begins with ${ten}`)
    assert.strictEqual(await seen(12), `round 1 begins with ${ten} and 2 more`)
  })

  it("an unreadable plan gives the same error as the call", async () => {
    const error = await inWorld({ plan: "---\ntasks: 3\n---\n" }, Effect.flip(inspected()))
    assert.match(error.message, /line 2, column 8/)
  })
})

describe("a run", () => {
  it("of a killed driver continues where it was interrupted", async () => {
    const seen = await inWorld(
      { agents: { ...content, "review-0": () => ({ ...review("ACCEPTABLE")(), after: 60_000 }) } },
      Effect.gen(function*() {
        yield* Effect.timeoutOption(call(), 30_000)
        return { ...(yield* inspected()), runs: yield* runsOfPlan }
      })
    )
    assert.strictEqual(seen.header, "WouldAdvance: Review")
    assert.strictEqual(seen.next, "round 1: an agent reviews")
    assert.deepStrictEqual([seen.run], seen.runs.map(({ runId }) => runId))
  })

  it("does not count the time since its driver was killed", async () => {
    const seen = await inWorld(
      { tests: () => ({ exit: 0, millis: 60_000 }) },
      Effect.gen(function*() {
        yield* Effect.timeoutOption(call(), 30_000)
        yield* Effect.sleep(3_600_000)
        return yield* header(settings({}, { maxTime: 600_000 }))
      })
    )
    assert.strictEqual(seen, "WouldAdvance: Test")
  })

  it("that failed begins a new round if another try is asked for, unless a budget is used up", async () => {
    const tests = (_: string, nth: number) => ({ exit: nth === 1 ? 0 : 1, output: "expected 3" })
    const seen = await inWorld(
      { tests, agents: { ...content, implement: (...all) => ({ ...content.implement(...all), after: 60_000 }) } },
      Effect.gen(function*() {
        yield* call(settings({}, { fixAttempts: 0 }))
        const over = yield* inspected(settings({}, { maxTime: 1 }), { again: true })
        return {
          same: yield* inspected(),
          next: yield* inspected(settings(), { again: true }),
          over,
          fresh: yield* inspected(settings(), { fresh: true })
        }
      })
    )
    assert.strictEqual(seen.same.header, "HandoffHuman: TestsFailedTriage")
    assert.strictEqual(seen.next.next, "round 2 begins with 0 Add, 1 Sum")
    assert.strictEqual(seen.over.header, "StuckCapReached: AddressBatch:max-time")
    assert.strictEqual(seen.over.run, seen.next.run)
    assert.deepStrictEqual(seen.fresh, {
      header: "WouldAdvance: Test",
      next: "runs npm test",
      run: null
    })
  })

  it("of a finished plan would end at once, or converge its code", async () => {
    const seen = await inWorld(
      {},
      Effect.gen(function*() {
        yield* call()
        const ladder = settings({ then: "converge" })
        const before = { done: yield* inspected(), ladder: yield* header(ladder) }
        yield* call(ladder)
        return { ...before, proven: yield* header(ladder) }
      })
    )
    assert.deepStrictEqual(seen, {
      done: { header: "DoneAccepted", next: "the call ends at once", run: null },
      ladder: "WouldAdvance: RunReviews",
      proven: "DoneFixedPoint"
    })
  })
})

it("a ladder that asked the user asks again, unless another try is asked for", async () => {
  const ladder = settings({ then: "converge" }, { tests: [], noTest: true })
  const [same, again] = await inWorld(
    { agents: { ...content, address: result("error") } },
    Effect.gen(function*() {
      yield* World.use(({ script }) => Ref.set(script, () => Scripted.issues()))
      assert.strictEqual((yield* call(ladder)).header, "HandoffHuman: TaskBlocked")
      return [yield* inspected(ladder), yield* inspected(ladder, { again: true })] as const
    })
  )
  assert.strictEqual(same.header, "HandoffHuman: TaskBlocked")
  assert.strictEqual(again.header, "WouldAdvance: AddressBatch")
})

it("copies of code would be in the run's store, and nowhere before there is one", async () => {
  const places: Array<boolean> = []
  const git = Memory.git({
    identity: (_, __, branch) =>
      Effect.map(Scratchpad, (place) => {
        places.push(place !== null)
        return Memory.identityOf("code-1", branch)
      })
  })
  const late = { agents: { ...content, implement: () => ScriptedAgent.answers("late", { after: 60_000 }) } }
  const looking = Effect.gen(function*() {
    yield* inspected()
    const before = places.splice(0)
    yield* Effect.timeoutOption(call(), 30_000)
    places.length = 0
    yield* inspected()
    return { before, after: places }
  })
  const { after, before } = await inWorld(late, looking, { git })
  assert.deepStrictEqual([new Set(before), new Set(after)], [new Set([false]), new Set([true])])
})

it("nothing is started or written", async () => {
  const calls = await inWorld(
    {},
    Effect.gen(function*() {
      yield* call()
      const calls = yield* Ref.make<ReadonlyArray<string>>([])
      const { witness } = yield* World
      yield* Ref.set(witness, (name) => Ref.update(calls, (all) => [...all, name]))
      yield* inspected()
      yield* inspected(settings({ then: "converge" }))
      const inspecting = yield* Ref.get(calls)
      yield* call()
      return { inspecting, calling: (yield* Ref.get(calls))[0] }
    })
  )
  assert.deepStrictEqual(calls, { inspecting: [], calling: "RunStore.create" })
})
