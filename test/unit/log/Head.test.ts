// Positions in a log: before any line, and equal ones.
import { assert, describe, it } from "vitest"
import { beginning, sameHead } from "../../../src/log/StreamKind.ts"

describe("a head", () => {
  it("before any line follows no line", () => assert.deepStrictEqual(beginning, { seq: 0, hash: "" }))

  it("is the same only where number and hash are", () => {
    const head = { seq: 2, hash: "ab" }
    assert.isTrue(sameHead(head, { ...head }))
    assert.isFalse(sameHead(head, { ...head, seq: 3 }))
    assert.isFalse(sameHead(head, { ...head, hash: "ba" }))
    assert.isFalse(sameHead(head, beginning))
  })
})
