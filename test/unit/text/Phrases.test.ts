// Phrases: counts, sizes, times and names in words, and the name that a misspelt one meant.
import { assert, describe, it } from "vitest"
import { batchName, counted, exactly, nearest, shortCount, size, slotName, span } from "../../../src/text/Phrases.ts"

describe("counted", () => {
  it("has the noun of its number", () =>
    assert.deepStrictEqual([counted(0, "run"), counted(1, "run"), counted(2, "run"), counted(2, "batch", "batches")], [
      "0 runs",
      "1 run",
      "2 runs",
      "2 batches"
    ]))
})

describe("a size", () => {
  it("has the unit of its number", () =>
    assert.deepStrictEqual([0, 1, 1e6, 38_140_000, 1.26e9].map(size), ["0 kB", "1 kB", "1.0 MB", "38.1 MB", "1.3 GB"]))

  it("that would be rounded up to the next unit has that unit", () => {
    assert.deepStrictEqual([999_000, 999_001, 999_999].map(size), ["999 kB", "1.0 MB", "1.0 MB"])
    assert.deepStrictEqual([999_949_999, 999_950_000, 999_999_999].map(size), ["999.9 MB", "1.0 GB", "1.0 GB"])
  })
})

describe("an exact span of time", () => {
  it("is written in the form of an option, with every part", () =>
    assert.deepStrictEqual([1, 500, 2000, 1550, 90_000, 90_500, 5_400_000, 90_000_001].map(exactly), [
      "1ms",
      "500ms",
      "2s",
      "1s550ms",
      "1m30s",
      "1m30s500ms",
      "1h30m",
      "25h1ms"
    ]))
})

describe("a span of time", () => {
  const cases: ReadonlyArray<readonly [number, string]> = [
    [-5, "0s"],
    [0, "0s"],
    [999, "0s"],
    [59_999, "59s"],
    [60_000, "1m00s"],
    [3_599_999, "59m59s"],
    [3_600_000, "1h00m"],
    [86_399_000, "23h59m"],
    [90_000_000, "1d01h"]
  ]
  it.each(cases)("of %d ms is %s", (ms, text) => assert.strictEqual(span(ms), text))
})

describe("a large number", () => {
  const cases: ReadonlyArray<readonly [number, string]> = [
    [0, "0"],
    [999, "999"],
    [1000, "1k"],
    [1250, "1.3k"],
    [9949, "9.9k"],
    [9950, "10k"],
    [34_000, "34k"],
    [999_499, "999k"],
    [999_500, "1M"],
    [1_234_567, "1.2M"],
    [999_500_000, "1G"]
  ]
  it.each(cases)("of %d is %s", (count, text) => assert.strictEqual(shortCount(count), text))
})

describe("names", () => {
  it("of batches and slots say level and numbers", () => {
    assert.strictEqual(batchName({ level: "low", batch: 3 }), "low batch 3")
    assert.strictEqual(slotName({ level: "xhigh", batch: 1, slot: 2 }), "xhigh batch 1 slot 2")
  })
})

describe("the name that was meant", () => {
  it("is a name that at most two letters make of the word", () => {
    const names = ["audit", "runs", "replay"]
    assert.strictEqual(nearest("audti", names), "audit")
    assert.strictEqual(nearest("reply", names), "replay")
    assert.strictEqual(nearest("implementing", ["implement"]), null)
    assert.strictEqual(nearest("", names), null)
  })

  it("is the nearest of several, and of none that differs in half of its letters", () => {
    assert.strictEqual(nearest("--gates", ["--notes", "--gate"]), "--gate")
    assert.strictEqual(nearest("ab", ["cd", "abcd"]), null)
  })
})
