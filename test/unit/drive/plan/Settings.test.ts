// Settings: the defaults of a plan run, its bounds, and the settings of its decisions.
import { Schema } from "effect"
import { assert, it } from "vitest"
import { decideSettings, ImplementSettings, make } from "../../../../src/drive/plan/Settings.ts"

const decode = Schema.decodeUnknownSync(ImplementSettings)
const driven = { step: { target: { _tag: "Uncommitted" }, strict: true }, tests: ["npm test"] } as const

it("a plan run has five fixes a cycle, works on every task, and ends there", () => {
  const { rounds, then, wanted } = decode({ driven })
  assert.deepStrictEqual({ rounds, then, wanted }, { rounds: 5, then: null, wanted: { _tag: "All" } })
})

it("a plan run refuses values out of bounds", () => {
  for (const wrong of [{ rounds: 21 }, { rounds: -1 }, { wanted: { _tag: "AtMost", count: 0 } }, { then: "stop" }]) {
    assert.throws(() => decode({ driven, ...wrong }))
  }
})

it("programs make them by name, and get an error that says what is wrong", () => {
  assert.deepStrictEqual(make({ driven, rounds: 2 }), decode({ driven, rounds: 2 }))
  assert.throws(() => make({ driven: { ...driven, tests: [] } }), RangeError, /name the project's tests/)
  assert.throws(() => make({ driven, rounds: 21 }), RangeError, /^rounds: .*20/)
  assert.throws(() => make({ driven, ...{ round: 2 } }), RangeError, /^round: /)
})

it("its rounds are limited per cycle, not per run", () => {
  const settings = decideSettings(decode({ driven: { ...driven, maxTokens: 5 }, rounds: 2 }))
  assert.deepInclude(settings, { maxRounds: null, maxTokens: 5, rounds: 2, tests: ["npm test"] })
})
