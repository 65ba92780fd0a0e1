// Work: what a driver decides is committed on the head that it decided from, or decided again.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { commitDriver } from "../../../src/agent/TaskLog.ts"
import { record } from "../../../src/drive/Drive.ts"
import { drivingRun } from "./converge/drivings.ts"
import { roundStarted } from "./converge/streams.ts"
import { onMachine } from "../run/opened.ts"

describe("a driven run", () => {
  it("records nothing where another process was first, and reads what that has written", async () => {
    const { rounds, stopAsked } = await onMachine(Effect.gen(function*() {
      const driving = yield* drivingRun()
      yield* commitDriver(driving.driver, [{ _tag: "StopAsked" }])
      return (yield* record(driving, [roundStarted()])).driver.state
    }))
    assert.isTrue(stopAsked)
    assert.lengthOf(rounds, 0)
  })
})
