// Fact: digests, texts, identities and outcomes, drawn from so few values that equal and different ones are common.
import * as fc from "fast-check"
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { Digest, LevelOutcome, LongText } from "../../../../src/run/Event.ts"
import { Identity, sameInput } from "../../../../src/run/Identity.ts"
import { Usage } from "../../../../src/run/Usage.ts"
import {
  basedIdentity,
  digest,
  identity,
  known,
  levelOutcome,
  levelOutcomes,
  longText,
  unknown,
  usage,
  wholeIdentity
} from "../../../../src/testing/arbitraries/Fact.ts"
import { drawn, least, tagsOf } from "./drawn.ts"

const admitted = <A>(schema: Schema.Codec<A, unknown>, arbitrary: fc.Arbitrary<A>): void => {
  for (const one of drawn(arbitrary)) assert.isTrue(Schema.is(schema)(one), JSON.stringify(one))
}

describe("the facts that events carry", () => {
  it("are admitted by the domain", () => {
    admitted(Digest, digest())
    admitted(LongText, longText)
    admitted(Identity, identity)
    admitted(LevelOutcome, levelOutcome)
    admitted(Usage, usage)
  })

  it("are whole texts, and texts with a file that holds all of them", () =>
    assert.sameMembers([...new Set(drawn(longText).map((one) => "rest" in one))], [true, false]))

  it("are every outcome of a level", () => assert.sameMembers(tagsOf(drawn(levelOutcome)), Object.keys(levelOutcomes)))
})

describe("identities", () => {
  it.each([["known", known()], ["whole", wholeIdentity()], ["based", basedIdentity()]])(
    "that are %s are often the same and often another",
    (_, arbitrary) => {
      const found = drawn(fc.tuple<[Identity, Identity]>(arbitrary, arbitrary)).map(([a, b]) => sameInput(a, b))
      for (const sameness of ["Same", "Different"]) {
        assert.isAbove(found.filter((one) => one === sameness).length, 5, sameness)
      }
    }
  )

  it("hold a merge base with a base branch alone", () => {
    assert.isTrue(drawn(wholeIdentity()).every((one) => one.mergeBase === undefined && one.base === null))
    assert.isTrue(drawn(basedIdentity()).every((one) => one.mergeBase !== undefined))
    assert.isTrue(drawn(basedIdentity({ mergeBase: fc.constant(null) }), 20).every((one) => one.mergeBase === null))
  })

  it("may be unknown, and shrink towards a known one", () => {
    assert.sameMembers(tagsOf(drawn(identity)), ["Known", "Unknown"])
    assert.deepInclude(least(identity), { _tag: "Known", head: null, tree: null, base: null })
    assert.isTrue(drawn(unknown()).every(({ why }) => typeof why === "string"))
  })
})
