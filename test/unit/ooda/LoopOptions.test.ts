// LoopOptions: each setting reaches the part of the loop that goes by it, and the limits that no setting changes.
import { assert, describe, it } from "vitest"
import * as Invocation from "../../../src/core/loop/Invocation.ts"
import { defaultIterations, loopOptions } from "../../../src/ooda/LoopOptions.ts"

const options = (given: object = {}) =>
  loopOptions(Invocation.make({ target: { _tag: "Uncommitted" }, ...given }).settings, "/repo", 250)

describe("the options of a loop", () => {
  it("are the settings", () => {
    const given = {
      ceiling: "high", maxBatches: 4, stepTimeout: 9000, retries: 5, idleTimeout: 7000, batchSize: 6,
      codexBin: "./codex", strictTarget: true, jobs: 2, reviewTimeout: 8000
    } as const
    const { limits, starting, ...rest } = options(given)
    assert.deepInclude(rest, { ceiling: "high", maxBatches: 4, stepTimeout: 9000, pollInterval: 250 })
    assert.deepInclude(limits, { retries: 5, idleTimeout: 7000 })
    assert.deepInclude(starting, {
      batchSize: 6, codexBin: "./codex", cwd: "/repo", strictTarget: true, retries: 5, jobs: 2, reviewTimeout: 8000
    })
  })

  it("cap the iterations where nothing is given, and know whether a cap was given", () => {
    assert.deepStrictEqual(options().maxIter, { value: defaultIterations, explicit: false })
    assert.deepStrictEqual(options({ maxIter: defaultIterations }).maxIter, { value: defaultIterations, explicit: true })
  })

  it("hold a transcript to one size, whether a step or the wrapper ends its reviewer", () => {
    const { limits, starting } = options()
    assert.strictEqual(limits.maxTranscript, 1024 ** 3)
    assert.strictEqual(starting.maxTranscript, limits.maxTranscript)
    assert.strictEqual(limits.networkTimeout, 300_000)
  })
})
