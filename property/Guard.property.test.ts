// Laws of the guard: where it says yes the schema says yes and changes nothing; every event it is made for it knows.
// The one rule: altered values are made from true ones, one alteration each, so that they come close to being events.
import * as fc from "fast-check"
import { Result, Schema } from "effect"
import { assert, describe, it } from "vitest"
import { Event } from "../src/core/run/Event.ts"
import { guard } from "../src/core/log/Guard.ts"
import { event } from "../src/testing/arbitraries/Event.ts"

const isEvent = guard(Event)
const decode = Schema.decodeUnknownResult(Event)

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** Every place in a value, as the object it is a field of and the field's name. */
const places = (value: unknown): ReadonlyArray<readonly [Record<string, unknown>, string]> =>
  isObject(value) ? Object.keys(value).flatMap((key) => [[value, key] as const, ...places(value[key])]) : []

const other = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.constantFrom("low", "Clean", "sha256", "Known", "Uncommitted", "Mark", 0, 1, -1, 1.5, null, "", "main", "a..b")
)

const alterations = ["replaced", "grafted", "removed", "added", "__proto__"] as const

/** An event with one place altered; "grafted" takes the field of that name out of another event, where it has one. */
const altered = fc.tuple(event, event, fc.nat(), other, fc.constantFrom(...alterations)).map(
  ([one, another, pick, value, how]) => {
    const copy: unknown = JSON.parse(JSON.stringify(one))
    const all = places(copy)
    const [object, key] = all[pick % Math.max(1, all.length)] ?? [{}, ""]
    const [donor] = places(JSON.parse(JSON.stringify(another))).find(([, name]) => name === key) ?? []
    switch (how) {
      case "replaced":
        object[key] = value
        break
      case "grafted":
        if (donor !== undefined) object[key] = donor[key]
        break
      case "removed":
        delete object[key]
        break
      case "added":
        object[`${key}2`] = value
        break
      case "__proto__":
        Object.defineProperty(object, "__proto__", { value, enumerable: true })
    }
    return copy
  }
)

describe("the guard of events", () => {
  it("knows every event", () =>
    fc.assert(fc.property(event, (one) => {
      const raw: unknown = JSON.parse(JSON.stringify(one))
      assert.isTrue(isEvent(raw))
      assert.deepStrictEqual(raw, Result.getOrThrow(decode(raw)))
    }), { numRuns: 500 }))

  it("says yes only to what the schema takes as it is", () => {
    let [yes, no] = [0, 0]
    fc.assert(
      fc.property(fc.oneof(altered, fc.jsonValue()), (raw) => {
        if (!isEvent(raw)) return void no++
        yes++
        const decoded = decode(raw)
        if (Result.isFailure(decoded)) return assert.fail(`the schema refuses ${JSON.stringify(raw)}`)
        assert.deepStrictEqual(decoded.success, raw)
      }),
      { numRuns: 5000 }
    )
    assert.isAbove(yes, 100)
    assert.isAbove(no, 100)
  })
})

describe("a guard", () => {
  type Values = ReadonlyArray<unknown>
  const cases: ReadonlyArray<readonly [string, (value: unknown) => boolean, Values, Values]> = [
    ["of a struct", guard(Schema.Struct({ a: Schema.String, b: Schema.optionalKey(Schema.Null) })), [
      { a: "" },
      { a: "x", b: null }
    ], [{}, { a: 1 }, { a: "", b: 1 }, { a: "", c: 1 }, [], null, "a", { b: null }]],
    ["of literals", guard(Schema.Literals(["a", 1])), ["a", 1], ["b", "1", null, undefined]],
    ["of a union", guard(Schema.Union([Schema.String, Schema.Array(Schema.Number)])), ["", [], [1]], [1, [""], {}]],
    ["with checks", guard(Schema.Int.check(Schema.isGreaterThan(0))), [1, 7], [0, -1, 1.5, Number.NaN, "1"]],
    ["of a boolean", guard(Schema.Boolean), [true, false], [0, "true", null]],
    ["of what would be changed", guard(Schema.Struct({ a: Schema.NumberFromString })), [], [{ a: "1" }, { a: 1 }]],
    ["of what it does not know", guard(Schema.Record(Schema.String, Schema.String)), [], [{}, { a: "" }]],
    ["of a tuple", guard(Schema.Tuple([Schema.String])), [], [[""]]],
    ["of anything", guard(Schema.Unknown), [], [1, null]]
  ]
  it.each(cases)("%s", (_, accepts, yes, no) => {
    for (const value of yes) assert.isTrue(accepts(value), JSON.stringify(value))
    for (const value of no) assert.isFalse(accepts(value), JSON.stringify(value))
  })
})
