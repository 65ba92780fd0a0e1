// Tally: what the sentences of a review add up to; what stands behind a "but" is set against what stood before it.
import { assert, describe, it } from "vitest"
import { type Tally, tally } from "../../../../../src/core/verdict/prose/Tally.ts"
import { sentencesOf } from "./clauses.ts"

/** What holds of the text, by name. */
const holds = (text: string): ReadonlyArray<string> =>
  Object.entries(tally(sentencesOf(text)) satisfies Tally).flatMap(([name, held]) => held ? [name] : [])

describe("a tally", () => {
  it("of nothing holds nothing", () => assert.deepStrictEqual(holds(""), []))

  it.each([
    ["No issues found.", ["denies"]],
    ["I found no other issues.", ["others"]],
    ["The patch fixes the leak.", ["recalls", "assesses"]],
    ["The loop crashes on empty input.", ["strong", "unaccounted"]],
    ["The row may be read twice.", ["weak", "unaccounted"]],
    ["The order is preserved.", ["assesses"]],
    ["The patch adds a flag.", []],
    ["The default port is 8080.", ["unaccounted"]],
    ["Fine.", []]
  ])("%s holds %j", (text, expected) => assert.sameMembers([...holds(text)], expected))

  it("adds up over sentences", () =>
    assert.sameMembers([...holds("No issues found. The loop crashes on empty input.")], ["denies", "strong", "unaccounted"]))
})

describe("contrast", () => {
  it("sets what follows a denial against it", () => {
    assert.include(holds("No issues found, but the lock stays with the reader."), "contrasted")
    assert.notInclude(holds("No issues found, and the lock stays with the reader."), "contrasted")
    assert.notInclude(holds("The tests fail here, but no issues were found."), "contrasted")
  })

  it("qualifies an assessment", () => {
    assert.include(holds("The order is preserved, but the lock stays with the reader."), "qualified")
    assert.include(holds("The order is preserved except for deleted rows."), "qualified")
    assert.notInclude(holds("The output is unchanged apart from the rename."), "qualified")
  })

  it("turns against the sentences before", () => {
    assert.include(holds("The job, however, runs with write access."), "contrasted")
    assert.include(holds("That said, it doubles the load."), "contrasted")
    assert.include(holds("No issues found; the worker, on the other hand, waits for the lock."), "contrasted")
  })

  it("is none with what was there before, or with checks that were not run", () => {
    assert.notInclude(holds("No issues found, although the pre-existing warning stays."), "contrasted")
    assert.notInclude(holds("No issues found, although the tests could not be run."), "contrasted")
  })
})

describe("exceptions and consequences", () => {
  it("a denial with an exception asserts what is excepted", () => {
    assert.include(holds("No issues found apart from the missing await."), "strong")
    assert.include(holds("I found no other problem than the missing await."), "strong")
    assert.include(holds("The only problem is the missing await."), "strong")
    assert.notInclude(holds("The only thing that changed is the name."), "strong")
  })

  it("what follows from an assessment may turn it", () => {
    assert.include(holds("The old timeout is preserved, so uploads are cut."), "unaccounted")
    assert.notInclude(holds("The column is optional, so existing rows remain valid."), "unaccounted")
    assert.include(holds("It is equivalent to the old code and still leaks the handle."), "unaccounted")
  })

  it("a condition in front makes a sentence doubtful", () =>
    assert.include(holds("If the cache is cold, rows come twice."), "weak"))

  it("a denial is carried into a `where`", () => {
    assert.notInclude(holds("I found no case where it crashes."), "strong")
    assert.include(holds("This is a case where it crashes."), "strong")
  })
})
