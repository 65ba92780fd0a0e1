// Arbitraries: the arbitraries of the kit under their names, as an embedder uses them.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { initial } from "../../../src/run/Manifest.ts"
import { arbitraries, moves } from "../../../src/testing/Arbitraries.ts"
import { created } from "../run/events.ts"
import { drawn } from "./arbitraries/drawn.ts"

const isArbitrary = (value: unknown): value is fc.Arbitrary<unknown> => value instanceof fc.Arbitrary
const { levelFrom, ...others } = arbitraries

describe("arbitraries", () => {
  it.each(Object.entries(others))("draw from %s, or from each case of it", (_, one: unknown) => {
    const made = typeof one === "function" ?
      [one()] :
      isArbitrary(one) ?
      [one] :
      Object.values(Object(one)).map((f) => typeof f === "function" ? f() : f)
    assert.isAbove(made.length, 0)
    for (const arbitrary of made) {
      if (!isArbitrary(arbitrary)) return assert.fail("no arbitrary")
      assert.lengthOf(drawn(arbitrary, 3), 3)
    }
  })

  it("draw levels from a floor on", () => assert.sameMembers([...new Set(drawn(levelFrom("xhigh")))], ["xhigh"]))
})

describe("moves", () => {
  it("are played to the lines that each of them comes to", () => {
    const run = created()
    for (const move of drawn(arbitraries.move)) {
      const [, line] = moves.play(run, [move]).commits
      assert.deepStrictEqual(line?.events ?? [], moves.eventsOf(initial(run), move))
    }
  })
})
