// Fields: an arbitrary made of one arbitrary a field, any of which the caller may replace.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { anyOf, fieldsOf } from "../../../../src/testing/arbitraries/Values.ts"
import { drawn, least } from "./drawn.ts"

interface Point {
  readonly x: number
  readonly y: number
}
const point = fieldsOf<Point>({ x: fc.nat(9), y: fc.nat(9) })

describe("fieldsOf", () => {
  it("draws every field, as a plain object", () => {
    for (const one of drawn(point())) {
      assert.sameMembers(Object.keys(one), ["x", "y"])
      assert.strictEqual(Object.getPrototypeOf(one), Object.prototype)
    }
  })

  it("draws a field that is replaced from its replacement, and leaves the others", () => {
    const points = drawn(point({ x: fc.constant(42) }))
    assert.isTrue(points.every(({ x }) => x === 42))
    assert.isAbove(new Set(points.map(({ y }) => y)).size, 5)
  })

  it("shrinks field by field", () => {
    const { counterexample } = fc.check(fc.property(point(), ({ x }) => x < 5), { seed: 7 })
    assert.deepStrictEqual(counterexample, [{ x: 5, y: 0 }])
  })

  it("lets two values share a field", () => {
    const shared = fc.nat(9).chain((x) => fc.tuple(point({ x: fc.constant(x) }), point({ x: fc.constant(x) })))
    for (const [a, b] of drawn(shared)) assert.strictEqual(a.x, b.x)
  })
})

describe("anyOf", () => {
  it("draws from each case, and shrinks from any of them to the least of the first", () => {
    const some = anyOf<number | string>(fc.integer({ min: 3, max: 9 }), { weight: 5, arbitrary: fc.constant("x") })
    assert.sameMembers([...new Set(drawn(some).map((one) => typeof one))], ["number", "string"])
    assert.strictEqual(least(some), 3)
  })
})
