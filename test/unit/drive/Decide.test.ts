// Decide: tests outside of rounds, and what a user allowed.
import { assert, describe, it } from "vitest"
import { allowed, outside, testing } from "../../../src/drive/Decide.ts"
import { after, driverStarted, settings, tested, worked } from "./converge/streams.ts"

describe("what a user allows", () => {
  it("is valid in the call that says so, and for the rest of the run", () => {
    assert.isFalse(allowed(after(), [], "red-baseline"))
    assert.isTrue(allowed(after(), ["red-baseline"], "red-baseline"))
    const given = after({ _tag: "ConsentGiven", consent: "red-baseline" })
    assert.isTrue(allowed(given, [], "red-baseline"))
    assert.isFalse(allowed(given, [], "rejected-result"))
  })
})

describe("tests outside of rounds", () => {
  const red = after(driverStarted(), tested(1, 0, 1), tested(2, 0, 1))
  const next = { _tag: "Test", round: 0, command: "npm test", running: null } as const

  it("are the runs of the present driver since the last agent", () => {
    assert.deepStrictEqual(outside(after(driverStarted()), settings(), "d1"), next)
    assert.isNull(outside(after(driverStarted(), tested(1, 0, 0)), settings(), "d1"))
    const before = after(driverStarted(), tested(1, 0, 0), worked(1, "round-1/address"))
    assert.deepStrictEqual(outside(before, settings(), "d1"), next)
    assert.deepStrictEqual(outside(red, settings(), "d1"), {
      _tag: "End",
      end: { _tag: "RedBaseline", command: "npm test", test: 2 }
    })
    assert.deepStrictEqual(outside(red, settings(), "d2"), next)
    assert.deepStrictEqual(outside(after(driverStarted(), tested(1, 1, 0)), settings(), "d1"), next)
  })

  it("may fail if the user allows it", () => {
    assert.isNull(outside(red, settings({ allow: ["red-baseline"] }), "d1"))
    assert.isNull(testing(red, { tests: [], allow: [] }, red.tests))
  })
})
