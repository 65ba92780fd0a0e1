// Step: each action of an invocation calls its own step, with the environment of the caller.
import { Cause, Effect, Exit } from "effect"
import { assert, describe, it } from "vitest"
import { Environment } from "../../../src/platform/Environment.ts"
import { type Action, make } from "../../../src/run/Invocation.ts"
import type { Level } from "../../../src/run/Level.ts"
import { RunStore } from "../../../src/run/RunStore.ts"
import { BadEnvironment, outcomeOf, step } from "../../../src/step/Step.ts"
import { onMachine } from "../run/opened.ts"

const invocation = (action: Action, ceiling: Level = "low") =>
  make({ target: { _tag: "Uncommitted" }, ceiling }, action)

const loop: Action = { _tag: "Loop", fresh: false }

describe("an invocation", () => {
  it.each<readonly [Action, string, string | null]>([
    [loop, "DoneFixedPoint", null],
    [{ _tag: "Inspect" }, "WouldAdvance", null],
    [{ _tag: "SideEffect", mark: { _tag: "AdvanceLevel" } }, "Idle", "advanced level: low -> medium"]
  ])("%j ends in %s", async (action, outcome, line) => {
    const result = await onMachine(step(invocation(action, line === null ? "low" : "xhigh"), "/repo", {}))
    assert.deepStrictEqual([result.outcome._tag, result.line], [outcome, line])
  })

  it.each([{ jobs: 0 }, { jobs: 100_000 }, { batchSize: 0 }, { reviewTimeout: Number.NaN }])(
    "with %j is refused, like by `make`",
    async (wrong) => {
      const made = invocation(loop)
      const refused = await onMachine(
        Effect.exit(step({ ...made, settings: { ...made.settings, ...wrong } }, "/repo", {}))
      )
      const defect = Exit.isFailure(refused) ? Cause.squash(refused.cause) : null
      assert.instanceOf(defect, RangeError)
      assert.match(defect.message, new RegExp(`^${Object.keys(wrong).join()}: Expected a whole number`))
    }
  )

  it("reads the given environment, and not that of the process", async () => {
    const bad = { OODA_AWAIT_SECS: "never" }
    for (const action of [loop, { _tag: "Inspect" }, { _tag: "SideEffect", mark: { _tag: "DropLevel" } }] as const) {
      const { error, runs } = await onMachine(Effect.gen(function*() {
        const error = yield* Effect.flip(step(invocation(action), "/repo", bad))
        return { error, runs: yield* RunStore.use((store) => store.list("/state", null)) }
      }))
      assert.instanceOf(error, BadEnvironment)
      assert.deepStrictEqual([outcomeOf(error)._tag, runs], ["BinaryError", []])
      await onMachine(Effect.provideService(step(invocation(action), "/repo", {}), Environment, bad))
    }
  })
})
