// MarkStep: which run a mark is applied to, what becomes of one that it replaces, and what the settings demand.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import * as Invocation from "../../../src/run/Invocation.ts"
import type { Mark } from "../../../src/run/Mark.ts"
import * as Reviewing from "../../../src/review/End.ts"
import { HeadMoved } from "../../../src/step/OpenRun.ts"
import { BadEnvironment, Environment } from "../../../src/platform/Environment.ts"
import { loopStep } from "../../../src/step/LoopStep.ts"
import { markStep } from "../../../src/step/MarkStep.ts"
import { Scripted } from "../../../src/testing.ts"
import { living, onMachine, tagsOf } from "../run/opened.ts"

const settings = (given: object = {}) =>
  Invocation.make({ target: { _tag: "Uncommitted" }, batchSize: 2, ...given }).settings
const advances: Mark = { _tag: "AdvanceLevel" }
const mark = (given: object = {}, ending = Effect.succeed(Reviewing)) =>
  markStep(settings(given), { _tag: "SideEffect", mark: advances }, ending, "/repo")

describe("a mark", () => {
  it("begins a run where there is none, and needs nothing that ends reviewers", async () => {
    const { line, outcome, tags } = await onMachine(Effect.gen(function*() {
      const result = yield* mark({}, Effect.die("asked for"))
      return { ...result, tags: yield* tagsOf(result.run) }
    }))
    assert.deepStrictEqual([line, outcome], ["advanced level: low -> medium", { _tag: "Idle" }])
    assert.deepStrictEqual(tags, [["RunCreated"], ["BatchOpened"]])
  })

  it("goes on with the run of its floor", async () => {
    const [first, second] = await onMachine(Effect.all([mark(), mark()]))
    assert.strictEqual(second.run.ref.runId, first.run.ref.runId)
    assert.strictEqual(second.line, "advanced level: medium -> high")
  })

  it("with another floor replaces the run, whose reviewers are ended and recorded", async () => {
    const { left, replaced, same } = await onMachine(
      Effect.gen(function*() {
        const before = yield* loopStep(settings({ stepTimeout: 100 }), false, "/repo")
        const after = yield* mark({ floor: "medium" })
        const same = before.run.ref.runId === after.run.ref.runId
        return { left: yield* living, replaced: yield* tagsOf(before.run), same }
      }),
      { script: () => Scripted.silence }
    )
    assert.deepStrictEqual([left, same, replaced.at(-1)], [[], false, ["ReviewStopped", "ReviewStopped"]])
  })

  it("is held to the head that it expects", async () => {
    const error = await onMachine(
      Effect.gen(function*() {
        const { run } = yield* mark()
        yield* mark({ expectHead: run.head })
        return yield* Effect.flip(mark({ expectHead: run.head }))
      }),
      {}
    )
    assert.instanceOf(error, HeadMoved)
  })

  it("passes nothing over that is wrong with the environment", async () => {
    const error = await onMachine(
      Effect.flip(Effect.provideService(mark(), Environment, { OODA_AWAIT_SECS: "soon" }))
    )
    assert.instanceOf(error, BadEnvironment)
  })
})
