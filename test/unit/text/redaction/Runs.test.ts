// Runs: what is found goes with the rest of its run, where a bound ended it.
import { assert, describe, it } from "vitest"
import { isNameAt, mostRepeated, replaceRuns } from "../../../../src/text/redaction/Patterns.ts"

const pattern = new RegExp(`x[a-z]{2,${mostRepeated}}`, "g")

describe("a run", () => {
  it("is replaced where it is found", () =>
    assert.strictEqual(replaceRuns("1 xab 2 xcd 3", pattern, (found) => found.toUpperCase()), "1 XAB 2 XCD 3"))

  it("goes as a whole, however long it is", () => {
    assert.strictEqual(replaceRuns(`1 x${"ab".repeat(5000)}.c-D 2`, pattern, () => "!"), "1 ! 2")
    assert.strictEqual(replaceRuns("xab.c", pattern, () => "!"), "!.c")
  })

  it("is none where nothing is found", () => assert.strictEqual(replaceRuns("1 2", pattern, () => "!"), "1 2"))

  it("is made of letters, digits, underscores and hyphens", () =>
    assert.deepStrictEqual([..."aZ09_-. é"].map((one) => isNameAt(one, 0)), [
      ...Array.from({ length: 6 }, () => true),
      ...[false, false, false]
    ]))
})
