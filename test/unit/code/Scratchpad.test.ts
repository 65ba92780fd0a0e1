// Scratchpad: an invocation with a place for copies: cleared first, and known to all that it does.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { Scratchpad, withScratchpad } from "../../../src/code/Scratchpad.ts"
import { RunStore, StoreFailed } from "../../../src/run/RunStore.ts"

const target = { root: "/state", repoId: "repo-noremote", targetKey: "uncommitted" }

describe("an invocation", () => {
  const run = (clear: Effect.Effect<void, StoreFailed>, calls: Array<string>) =>
    Effect.runPromise(
      withScratchpad(
        target,
        Effect.gen(function*() {
          calls.push("begun")
          return yield* Scratchpad
        })
      ).pipe(Effect.provide(
        Layer.mock(RunStore)({
          targetPlace: () => "",
          runPlaces: () => assert.fail("asked"),
          batchPlaces: () => assert.fail("asked"),
          clearScratches: () => clear
        })
      ))
    )

  it("has its target's store as the place, once that is cleared", async () => {
    const calls: Array<string> = []
    assert.deepStrictEqual(await run(Effect.sync(() => void calls.push("cleared")), calls), target)
    assert.deepStrictEqual(calls, ["cleared", "begun"])
  })

  it("continues where what is left cannot be removed", async () => {
    const calls: Array<string> = []
    await run(Effect.fail(new StoreFailed({ path: "/state", reason: { _tag: "NoLockProgram" } })), calls)
    assert.deepStrictEqual(calls, ["begun"])
  })
})
