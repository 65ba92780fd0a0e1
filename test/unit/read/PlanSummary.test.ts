// Where a plan run stands, in the list of runs.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { planStanding, summarisePlan } from "../../../src/read/Runs.ts"
import { after, cycleStarted, driverStarted } from "../drive/plan/histories.ts"
import { digest } from "../run/events.ts"
import { call, inWorld } from "../drive/plan/plans.ts"

const ended = (outcome: string) => ({ _tag: "DriverEnded", driver: "d1", outcome }) as const
const marked = { _tag: "TasksMarked", cycle: 1, tasks: [0, 1], plan: digest } as const

describe("a plan run", () => {
  it("stands where its last driver left it", () => {
    const under = planStanding(after(driverStarted(), cycleStarted()))
    assert.deepStrictEqual(under, { kind: "PlanUnderWay", text: "0 tasks done, in cycle 1, not ended" })
    const left = planStanding(after(driverStarted(), cycleStarted(), marked, ended("DoneAborted")))
    assert.deepStrictEqual(left, { kind: "PlanLeft", text: "2 tasks done, in cycle 1, DoneAborted" })
    assert.strictEqual(planStanding(after(driverStarted(), ended("DoneAccepted"))).kind, "PlanDone")
  })

  it("is listed with its cycles, its reviews and its worktree", async () => {
    const [known, none] = await inWorld(
      {},
      Effect.gen(function*() {
        const { run } = yield* call()
        return [yield* summarisePlan(run), yield* summarisePlan({ ...run, runId: "none" })] as const
      })
    )
    assert.deepInclude(known, { batches: 1, reviews: 1, worktree: "/repo", floor: null, failures: 0 })
    assert.deepStrictEqual(known.standing, { kind: "PlanDone", text: "2 tasks done, DoneAccepted" })
    assert.strictEqual(none.standing.kind, "Empty")
  })
})
