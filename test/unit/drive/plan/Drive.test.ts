// Drive: the present file of a plan run.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { markDone } from "../../../../src/drive/plan/file/Edit.ts"
import { roundOf } from "../../../../src/drive/Drive.ts"
import { markedBy, planNow, unread, writePlan } from "../../../../src/drive/plan/Drive.ts"
import { PlanFiles } from "../../../../src/drive/plan/PlanFiles.ts"
import { closed, cycleStarted } from "./histories.ts"
import { digest } from "../../run/events.ts"
import { file, inWorld, twoTasks } from "./plans.ts"
import { workingRun } from "./workings.ts"

describe("a plan in work", () => {
  it("is read and written, and its text is kept with the run", async () => {
    const [before, after, kept, clash] = await inWorld(
      {},
      Effect.gen(function*() {
        const working = yield* workingRun()
        const { bytes, document, plan } = yield* planNow(working)
        const marked = yield* Effect.fromResult(markDone(document, [0], 0))
        const kept = yield* writePlan(working, 1, bytes, marked)
        const clash = yield* Effect.flip(writePlan(working, 1, bytes, marked))
        return [plan, (yield* planNow(working)).plan, kept, clash] as const
      })
    )
    assert.deepStrictEqual([before, after].map(({ tasks }) => tasks.map(({ done }) => done)), [
      [false, false],
      [true, false]
    ])
    assert.strictEqual(kept.algorithm, "sha256")
    assert.include(clash.message, "[call again]")
  })

  it("is parsed once while its file does not change, and again after every change, even one back", async () => {
    const [first, again, changed, broken, back] = await inWorld(
      {},
      Effect.gen(function*() {
        const working = { file, lastRead: yield* unread }
        const files = yield* PlanFiles
        const { bytes, document } = yield* planNow(working)
        const again = (yield* planNow(working)).document
        const other = new TextEncoder().encode(twoTasks.replace("title: Add", "title: Cut"))
        yield* files.replace(file, bytes, other)
        const changed = (yield* planNow(working)).plan
        yield* files.replace(file, other, bytes.slice(0, 9))
        const broken = yield* Effect.flip(planNow(working))
        yield* files.replace(file, bytes.slice(0, 9), bytes)
        return [document, again, changed, broken, (yield* planNow(working)).plan] as const
      })
    )
    assert.strictEqual(again, first)
    assert.deepStrictEqual([changed.tasks[0]?.title, back], ["Cut", first.plan])
    assert.include(broken.message, "the front matter has no end")
  })

  it("has its cycles, and the number of tasks that this call marked", async () => {
    const marked = { _tag: "TasksMarked", cycle: 1, tasks: [0, 1], plan: digest } as const
    const [cycle, own, others] = await inWorld(
      {},
      Effect.gen(function*() {
        const working = yield* workingRun([cycleStarted(1), marked, closed("Marked"), cycleStarted(2)])
        return [yield* roundOf(working, 2), markedBy(working), markedBy({ ...working, id: "d2" })] as const
      })
    )
    assert.strictEqual(cycle.started.cycle, 2)
    assert.deepStrictEqual([own, others], [2, 0])
  })
})
