// ReviewLevels: one batch per level, each a strict run of its own, until one could not be reviewed.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { isReviewed, reviewLevels } from "../../../src/ci/Review.ts"
import { make } from "../../../src/run/Invocation.ts"
import type { Script } from "../../../src/testing/World.ts"
import { Scripted, World } from "../../../src/testing.ts"
import { onMachine } from "../run/opened.ts"

const { settings } = make({ target: { _tag: "Uncommitted" }, strict: true, batchSize: 2, retries: 0 })

const reviewed = (script: Script) =>
  onMachine(Effect.gen(function*() {
    yield* Ref.set((yield* World).script, script)
    const results = yield* reviewLevels(settings, ["low", "medium", "high"], "/repo")
    return results.map(({ outcome, run }) => [outcome._tag, run?.manifest.current_level, run?.manifest.batches])
  }))

describe("the levels", () => {
  it("are reviewed once each, whatever is found", async () => {
    const script: Script = ({ level }) => level === "medium" ? Scripted.clean() : Scripted.issues()
    assert.deepStrictEqual(await reviewed(script), [
      ["HandoffAgent", "low", 1],
      ["DoneFixedPoint", "medium", 1],
      ["HandoffAgent", "high", 1]
    ])
  })

  it("end with the first that could not be reviewed", async () => {
    const results = await reviewed(({ level }) => level === "medium" ? Scripted.failure() : Scripted.clean())
    assert.deepStrictEqual(results.map(([tag]) => tag), ["DoneFixedPoint", "BinaryError"])
  })

  it("are reviewed when they are clean or have findings to address, and in no other case", () => {
    assert.isTrue(isReviewed({ _tag: "HandoffAgent", action: "AddressBatch", prompt: "" }))
    assert.isFalse(isReviewed({ _tag: "HandoffAgent", action: "Retrospective", prompt: "" }))
    assert.isFalse(isReviewed({ _tag: "Idle" }))
    assert.isFalse(isReviewed({ _tag: "DoneAborted" }))
  })
})
