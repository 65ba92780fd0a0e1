// Driving: a run while it is driven: its rounds, its worktree, and its turns.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { on, over, roundOf, worktreeOf } from "../../../../src/drive/converge/Driver.ts"
import { record } from "../../../../src/drive/Work.ts"
import { roundStarted } from "./streams.ts"
import { onMachine } from "../../run/opened.ts"
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

  it("goes on, or its call is over", async () => {
    const [going, done] = await onMachine(
      Effect.map(drivingRun(), (driving) => [on(driving), over(driving, { _tag: "DoneAborted" })] as const)
    )
    assert.deepStrictEqual([going._tag, done._tag], ["On", "Over"])
  })
})
