// ConvergeDrive: a run while it is driven: what it records, and its rounds.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { record, roundOf } from "../../../../src/drive/Drive.ts"
import { roundStarted } from "./streams.ts"
import { onMachine } from "../../run/opened.ts"
import { drivingRun } from "./drivings.ts"

describe("a driven run", () => {
  it("records what was decided, and knows its rounds by their numbers", async () => {
    const { started } = await onMachine(Effect.gen(function*() {
      const driving = yield* record(yield* drivingRun(), [roundStarted()])
      return yield* roundOf(driving, 1)
    }))
    assert.strictEqual(started.round, 1)
  })
})
