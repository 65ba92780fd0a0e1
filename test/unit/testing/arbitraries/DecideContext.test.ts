// DecideContext: the contexts that a decision is made in.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { decideContext } from "../../../../src/testing/arbitraries/Invocation.ts"
import { drawn } from "./drawn.ts"

describe("a context", () => {
  const contexts = drawn(decideContext())

  it("has an identity or none that was computed, and a limit of batches or none", () => {
    for (const field of ["identity", "maxBatches"] as const) {
      assert.sameMembers([...new Set(contexts.map((one) => one[field] === null))], [true, false])
    }
  })

  it("began within the lines of a short history, before or after", () => {
    assert.isTrue(contexts.some(({ openedAt }) => openedAt === 0) && contexts.some(({ openedAt }) => openedAt > 10))
    assert.isTrue(contexts.every(({ openedAt }) => openedAt <= 20))
  })

  it("takes overrides", () => {
    for (const one of drawn(decideContext({ ceiling: fc.constant("medium"), retries: fc.constant(0) }), 20)) {
      assert.deepInclude(one, { ceiling: "medium", retries: 0 })
    }
  })
})
