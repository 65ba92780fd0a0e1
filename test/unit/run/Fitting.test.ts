// Fitting: what is kept never takes more room than there is, and nothing is left out that would have had room.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { takeFitting } from "../../../src/run/LongText.ts"

const bytes = (values: ReadonlyArray<unknown>) => Buffer.byteLength(JSON.stringify(values)) - 1

describe("fitting values", () => {
  it("are the first ones, counted in bytes as they are written", () => {
    assert.deepStrictEqual(takeFitting(["ab", "cd"], 10), ["ab", "cd"])
    assert.deepStrictEqual(takeFitting(["ab", "cd"], 9), ["ab"])
    assert.deepStrictEqual(takeFitting(["漢", "b"], 9), ["漢"])
    assert.deepStrictEqual(takeFitting(["\u0001", "b"], 8), [])
    assert.deepStrictEqual(takeFitting([], 0), [])
  })

  it("fill the room and no more", () => {
    fc.assert(fc.property(fc.array(fc.string({ unit: "binary" })), fc.nat(400), (values, most) => {
      const kept = takeFitting(values, most)
      assert.deepStrictEqual(kept, values.slice(0, kept.length))
      assert.isTrue(kept.length === 0 || bytes(kept) <= most)
      assert.isTrue(kept.length === values.length || bytes(values.slice(0, kept.length + 1)) > most)
    }))
  })
})
