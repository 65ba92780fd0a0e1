// Columns: a table that nothing in its cells can break.
import { assert, describe, it } from "vitest"
import { columns } from "../../../src/text/Width.ts"

describe("columns", () => {
  it("are as wide as their widest cells, with nothing at the end of a line", () =>
    assert.strictEqual(
      columns([["A", "LONG", "Z"], ["aaa", "b", ""], ["a", "b", "zz"]]),
      [
        "A    LONG  Z",
        "aaa  b",
        "a    b     zz",
        ""
      ].join("\n")
    ))

  it("hold one line a row, with hidden characters written out", () =>
    assert.strictEqual(columns([["a\nb", "\u{e0041}"], ["c", "d"]]), "a\\nb  \\u{e0041}\nc     d\n"))

  it("of no rows are nothing", () => assert.strictEqual(columns([]), ""))
})
