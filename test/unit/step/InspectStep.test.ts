// InspectStep: what the next step would do first, without a trace.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import * as Invocation from "../../../src/run/Invocation.ts"
import { RunStore } from "../../../src/run/RunStore.ts"
import { Scratchpad } from "../../../src/code/Scratchpad.ts"
import { inspectStep } from "../../../src/step/InspectStep.ts"
import { loopStep } from "../../../src/step/LoopStep.ts"
import { identityOf } from "../../../src/testing/memory/Code.ts"
import { Memory, Scripted, World } from "../../../src/testing.ts"
import { onMachine, tagsOf } from "../run/opened.ts"

const settings = (given: object = {}) =>
  Invocation.make({ target: { _tag: "Uncommitted" }, batchSize: 2, ceiling: "low", ...given }).settings

const stored = Effect.all([
  RunStore.use((store) => store.list("/state", null)),
  World.use((world) => Ref.get(world.documents))
])

/** Inspects after a step that waits one second, and after more time. */
const after = (script: Scripted.Scripted, waits: number, others: object = {}) =>
  onMachine(
    Effect.gen(function*() {
      const { run } = yield* loopStep(settings({ stepTimeout: 1000, ...others }), false, "/repo")
      yield* Effect.sleep(waits)
      const before = [yield* tagsOf(run), yield* stored] as const
      const result = yield* inspectStep(settings(others), "/repo")
      assert.deepStrictEqual([yield* tagsOf(run), yield* stored], before, "it has written something")
      return result.outcome
    }),
    { script: () => script }
  )

describe("inspecting", () => {
  it("a target without a run would run reviews, and creates nothing", async () => {
    const { left, outcome, run } = await onMachine(Effect.gen(function*() {
      return { ...(yield* inspectStep(settings(), "/repo")), left: yield* stored }
    }))
    assert.deepStrictEqual(outcome, { _tag: "WouldAdvance", action: "RunReviews" })
    assert.deepStrictEqual([run.head.seq, left], [0, [[], new Map()]])
  })

  it("a target without a store asks for its code outside the store, so that none is created", async () => {
    const pads: Array<unknown> = []
    const git = Memory.git({
      identity: (_, __, base) =>
        Effect.map(Scratchpad, (pad) => {
          pads.push(pad)
          return identityOf("code-1", base)
        })
    })
    const strict = settings({ strict: true })
    await onMachine(Effect.andThen(inspectStep(strict, "/repo"), loopStep(strict, false, "/repo")), { git })
    assert.isNull(pads[0])
    assert.deepInclude(pads.at(-1), { targetKey: "uncommitted" })
  })

  it("running reviewers would be waited for", async () =>
    assert.deepStrictEqual(await after(Scripted.clean(60_000), 0), { _tag: "WouldAdvance", action: "AwaitReviews" }))

  it("ended reviewers give the outcome of the next step, and nothing is recorded", async () => {
    assert.deepStrictEqual(await after(Scripted.clean(60_000), 120_000), { _tag: "DoneFixedPoint" })
    const handedOff = await after(Scripted.issues(60_000), 120_000)
    assert.deepInclude(handedOff, { _tag: "HandoffAgent", action: "AddressBatch" })
  })

  it("a reviewer past a limit reports its failure, and is not ended", async () => {
    const outcome = await after(Scripted.silence, 2_400_000, { idleTimeout: 1_800_000 })
    assert.deepInclude(outcome, { _tag: "BinaryError" })
    assert.include(outcome._tag === "BinaryError" ? outcome.message : "", "Idle")
  })

  it("with --strict a run that is not strict is ignored, since the next step opens another", async () => {
    const strict = settings({ strict: true })
    const outcomes = await onMachine(Effect.gen(function*() {
      const plain = (yield* loopStep(settings(), false, "/repo")).outcome
      return [plain, (yield* inspectStep(strict, "/repo")).outcome, (yield* inspectStep(settings(), "/repo")).outcome]
    }))
    const done = { _tag: "DoneFixedPoint" }
    assert.deepStrictEqual(outcomes, [done, { _tag: "WouldAdvance", action: "RunReviews" }, done])
  })

  it("a batch that just ended computes its identity once", async () => {
    let computed = 0
    const git = Memory.git({ identity: () => Effect.sync(() => (computed++, identityOf("code-1", null))) })
    const outcome = await onMachine(
      Effect.gen(function*() {
        yield* loopStep(settings({ stepTimeout: 1000 }), false, "/repo")
        yield* Effect.sleep(120_000)
        computed = 0
        return (yield* inspectStep(settings(), "/repo")).outcome
      }),
      { git, script: () => Scripted.clean(60_000) }
    )
    assert.deepStrictEqual([outcome._tag, computed], ["DoneFixedPoint", 1])
  })
})
