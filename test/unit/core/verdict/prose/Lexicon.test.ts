// Lexicon: the lists of words, as the rules count on them.
import { assert, describe, it } from "vitest"
import * as Lexicon from "../../../../../src/core/verdict/prose/Lexicon.ts"
import { sentencesOf } from "./clauses.ts"

const lists = Object.entries(Lexicon)
const common = (a: ReadonlySet<string>, b: ReadonlySet<string>) => [...a].filter((word) => b.has(word))

describe("a list of words", () => {
  it.each(lists)("%s holds words as clauses hold them", (_, list) => {
    assert.isAbove(list.size, 0)
    for (const word of list) assert.deepStrictEqual(sentencesOf(word).flatMap(({ words }) => words), [word])
  })
})

describe("the lists", () => {
  const { brings, defects, faults, finds, harms, mendNouns, mends, mishaps, neutralHeads, plainFaults, soft } = Lexicon

  it("name a defect either by being there or by where it happens", () =>
    assert.deepStrictEqual(common(defects, mishaps), []))

  it("call a verb harmful either always or in some reviews", () => assert.deepStrictEqual(common(harms, soft), []))

  it("never take a defect for what may follow its name", () => assert.deepStrictEqual(common(defects, neutralHeads), []))

  it("call a fault plain only where it is a fault", () =>
    assert.deepStrictEqual(common(plainFaults, faults), [...plainFaults]))

  it("call a verb that mends a noun only where it mends", () =>
    assert.deepStrictEqual(common(mendNouns, mends), [...mendNouns]))

  it("tell looking from mending where both follow a negation", () => {
    assert.include([...finds], "found")
    assert.notInclude([...mends], "found")
    assert.notInclude([...brings], "found")
  })
})
