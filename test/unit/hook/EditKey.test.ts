// EditKey: one name for one edit, however its input is ordered, and another for every other edit.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { editKey } from "../../../src/hook/Edit.ts"

const edit = { file_path: "/a.ts", old_string: "x", new_string: "y" }

describe("editKey", () => {
  it("is a digest that does not depend on the order of keys", () => {
    const key = editKey("Edit", edit)
    assert.match(key, /^[0-9a-f]{64}$/)
    assert.strictEqual(editKey("Edit", { new_string: "y", old_string: "x", file_path: "/a.ts" }), key)
  })

  it("tells apart whatever differs", () => {
    const others = [
      ["Write", edit],
      ["Edit", { ...edit, replace_all: true }],
      ["Edit", { ...edit, new_string: "z" }],
      ["Edit", { ...edit, file_path: "/b.ts" }],
      ["Edit", [edit]],
      ["Edit", null]
    ] as const
    const keys = [editKey("Edit", edit), ...others.map(([tool, input]) => editKey(tool, input))]
    assert.strictEqual(new Set(keys).size, keys.length)
    assert.notStrictEqual(editKey("Edi", "t"), editKey("Edit", ""))
  })

  it("is made of any input", () =>
    fc.assert(fc.property(fc.string(), fc.jsonValue(), (tool, input) => {
      assert.match(editKey(tool, input), /^[0-9a-f]{64}$/)
    })))
})
