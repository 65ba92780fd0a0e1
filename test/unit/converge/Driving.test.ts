// Driving: what a driver decides is committed on the head that it decided from, or decided again.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { commitDriver } from "../../../src/agents/Driver.ts"
import { on, over, record, roundOf, worktreeOf } from "../../../src/converge/Driving.ts"
import { roundStarted } from "../core/converge/streams.ts"
import { onMachine } from "../runs/opened.ts"
import { drivingRun } from "./drivings.ts"

describe("a driven run", () => {
  it("records what was decided, and knows its rounds by their numbers", async () => {
    const { round, worktree } = await onMachine(Effect.gen(function*() {
      const driving = yield* record(yield* drivingRun(), [roundStarted()])
      return { round: yield* roundOf(driving, 1), worktree: worktreeOf(driving) }
    }))
    assert.strictEqual(round.started.round, 1)
    assert.strictEqual(worktree, "/repo")
  })

  it("records nothing where another process was first, and reads what that has written", async () => {
    const { rounds, stopAsked } = await onMachine(Effect.gen(function*() {
      const driving = yield* drivingRun()
      yield* commitDriver(driving.driver, [{ _tag: "StopAsked" }])
      return (yield* record(driving, [roundStarted()])).driver.state
    }))
    assert.isTrue(stopAsked)
    assert.lengthOf(rounds, 0)
  })

  it("goes on, or its call is over", async () => {
    const [going, done] = await onMachine(
      Effect.map(drivingRun(), (driving) => [on(driving), over(driving, { _tag: "DoneAborted" })] as const)
    )
    assert.deepStrictEqual([going._tag, done._tag], ["On", "Over"])
  })
})
