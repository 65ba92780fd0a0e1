// Turns: what is taken of an agent's work, and what is marked, committed, put back and written.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import type { PlanEvent } from "../../../src/core/implement/Event.ts"
import * as Turns from "../../../src/implement/Turns.ts"
import { planNow, type Working } from "../../../src/implement/Working.ts"
import { Commits } from "../../../src/services/Commits.ts"
import { MemorySnapshots, type Memory } from "../../../src/testing.ts"
import { tasks } from "../core/implement/histories.ts"
import { call, content, file, inWorld, settings, twoTasks, work } from "./plans.ts"
import { workingRun } from "./workings.ts"

const inPlay = [{ index: 0, title: "Add" }, { index: 1, title: "Sum" }]
const begun = (events: ReadonlyArray<PlanEvent> = [], driven: object = {}) =>
  Effect.flatMap(workingRun(events, {}, driven), (working) => Turns.startCycle(working, 1, inPlay))
const last = ({ driver: { state } }: Working) => state.cycles.at(-1)

describe("a cycle", () => {
  it("begins with the plan and the code as they are", async () => {
    const cycle = last(await inWorld({}, begun()))
    assert.deepInclude(cycle?.started, { cycle: 1, tasks: inPlay })
    assert.strictEqual(cycle?.started.plan.bytes, twoTasks.length)
  })

  it("is accepted with the code as it is, and closed", async () => {
    const cycle = last(
      await inWorld(
        {},
        Effect.gen(function*() {
          const accepted = yield* Turns.accept(yield* begun(), 1, "Acceptable")
          return yield* Turns.close(accepted, 1, "Limit")
        })
      )
    )
    assert.strictEqual(cycle?.accepted?.because, "Acceptable")
    assert.strictEqual(cycle?.closed?.because, "Limit")
  })
})

describe("the plan", () => {
  it("says what is done, and that it is done where nothing is left", async () => {
    const [one, both] = await Promise.all([[0], [0, 1]].map((indexes) =>
      inWorld(
        {},
        Effect.flatMap(begun(), (working) => Turns.mark(working, 1, indexes)).pipe(Effect.flatMap(planNow))
      )
    ))
    assert.deepStrictEqual(one?.plan.tasks.map(({ done }) => done), [true, false])
    assert.isNull(one?.plan.status)
    assert.strictEqual(both?.plan.status, "done")
  })

  it("is left alone where it says something else of the tasks by now", async () => {
    const { closed, marked } = last(
      await inWorld(
        {},
        Effect.flatMap(workingRun(), (working) => Turns.startCycle(working, 1, tasks)).pipe(
          Effect.flatMap((working) => Turns.mark(working, 1, [0]))
        )
      )
    ) ?? assert.fail("no cycle")
    assert.deepStrictEqual([closed?.because, marked], ["PlanChanged", null])
  })

  it("gets the last review where no fix is left", async () => {
    const text = await inWorld(
      {},
      Effect.gen(function*() {
        const working = yield* begun()
        yield* Turns.unresolved(working, 1)
        return (yield* planNow(working)).document.text
      })
    )
    assert.strictEqual(text, twoTasks)
  })
})

describe("an agent's work", () => {
  it("is put back to where the cycle began", async () => {
    const tests = (_: string, nth: number) => ({ exit: nth === 1 ? 0 : 1 })
    const { names } = await inWorld({ tests }, call(settings({}, { fixAttempts: 0, undoOnRed: true })))
    assert.include(names, "WorktreeRestored")
  })

  it("ends the call where it changed protected files, the plan's own among them", async () => {
    const seen: Array<string> = []
    const changed: NonNullable<Memory.Options["snapshots"]> = MemorySnapshots.layer({
      changed: (_, __, patterns) => patterns.includes("/plan.md") ? ["plan.md"] : []
    })
    const { header, prompt } = await inWorld({}, call(), { snapshots: changed })
    seen.push(prompt)
    assert.strictEqual(header, "HandoffHuman: TaskBlocked")
    assert.include(seen.join(""), "plan.md")
  })

  it("is committed with its marks, or the call ends where git refuses", async () => {
    const branch = { step: { target: { _tag: "Base", branch: "main" }, strict: true, ceiling: "low" } }
    const committing = settings({}, { ...branch, commitFixes: "Do {count}" })
    const messages: Array<string> = []
    const commits = (commit: string | null) =>
      Layer.succeed(Commits, {
        commitAll: (_, message) =>
          Effect.sync(() => {
            messages.push(message)
            return { commit, output: "hook: no" }
          })
      })
    const done = await inWorld({}, call(committing), { commits: commits("c") })
    assert.strictEqual(done.header, "DoneAccepted")
    assert.include(messages[0], "Do 2")
    assert.include(messages[0], "Sum: fixed")
    const refused = await inWorld({}, call(committing), { commits: commits(null) })
    assert.strictEqual(refused.header, "HandoffHuman: TestsFailedTriage")
    assert.include(refused.prompt, "hook: no")
  })

  it("is taken where it names tasks that are in play", async () => {
    const agents = { ...content, implement: work("DONE: 7\nDONE: 0", "code-2") }
    const { events } = await inWorld({ agents }, call(settings({ wanted: { _tag: "AtMost", count: 1 } })))
    const [first] = events.flatMap((event) => event._tag === "WorkTaken" ? [event] : [])
    assert.deepStrictEqual(first?.tasks, [0])
    assert.strictEqual(first?.problems.length, 1)
    assert.isNotEmpty(file)
  })
})
