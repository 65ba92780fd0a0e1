// Names: names of files as bytes, and their places in a list.
import { assert, describe, it } from "vitest"
import { isWithin, nameBytes, placesIn, shownName } from "../../../src/code/Names.ts"

it("a name keeps its bytes, and is shown as people read it", () => {
  assert.deepStrictEqual([...nameBytes("caf\xc3\xa9\xff")], [0x63, 0x61, 0x66, 0xc3, 0xa9, 0xff])
  assert.strictEqual(shownName("caf\xc3\xa9\n\xff"), "café\\n\ufffd")
})

it("a path is within a directory of that whole name", () =>
  assert.deepStrictEqual(["a", "a/b", "ab", "b/a"].map((path) => isWithin(path, "a")), [true, true, false, false]))

describe("the place of a name in a list", () => {
  const names = ["a", "b", "c", "d"]

  it("is the same in whatever order the names are asked for", () => {
    for (const asked of [names, names.toReversed(), ["c", "d", "a", "c", "b"], ["a", "x", "b", "d", "a"]]) {
      const place = placesIn(names)
      assert.deepStrictEqual(asked.map(place), asked.map((name) => name === "x" ? undefined : names.indexOf(name)))
    }
  })
})
