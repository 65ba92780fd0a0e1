// Fields: values as they came, and what takes the place of those that are not as expected.
import { assert, it } from "vitest"
import * as Fields from "../../../src/text/Json.ts"

const values = [{}, [], null, "a", 1, 1.5, Number.NaN, Infinity, undefined]

it("has no list and no null for an object", () => {
  assert.deepStrictEqual(values.filter(Fields.isFields), [{}])
  assert.deepStrictEqual(Fields.objectsOf([{ a: 1 }, [], null, 3]), [{ a: 1 }])
  assert.deepStrictEqual(Fields.objectsOf({ a: 1 }), [])
  assert.deepStrictEqual(Fields.listOf("ab"), [])
})

it("reads texts", () => {
  assert.deepStrictEqual(["a", 1, null].map(Fields.textOf), ["a", "", ""])
  assert.deepStrictEqual(["a", 1, null].map(Fields.textOrNull), ["a", null, null])
})

it("reads numbers that can be counted with", () => {
  assert.deepStrictEqual([1, 1.5, 2 ** 60, Number.NaN, "1"].map(Fields.wholeOrNull), [1, null, null, null, null])
  assert.deepStrictEqual([1.5, Infinity, Number.NaN, "1"].map(Fields.numberOrNull), [1.5, null, null, null])
})
