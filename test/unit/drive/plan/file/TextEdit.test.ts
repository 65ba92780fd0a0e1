// TextEdit: edits of files with line ends of any kind.
import { assert, describe, it } from "vitest"
import { edited, type TextEdit } from "../../../../../src/drive/plan/file/Edit.ts"

describe("an edited text", () => {
  const insert = (at: number, text: string): TextEdit => ({ from: at, to: at, text })
  const texts: ReadonlyArray<readonly [string, ReadonlyArray<TextEdit>, string]> = [
    ["a", [], "a"],
    ["a\nb\n", [insert(2, "x\n")], "a\nx\nb\n"],
    ["a\r\nb\r\n", [insert(2, "x\n")], "a\r\nx\r\nb\r\n"],
    ["a\r\nb\r\n", [insert(1, "\nx")], "a\r\nx\r\nb\r\n"],
    ["a\r\nb\nc\r\n", [insert(4, "x\n"), insert(6, "y")], "a\r\nb\nx\r\nc\r\ny"],
    ["a\rb\r", [insert(2, "x\n")], "a\rx\rb\r"],
    ["a", [insert(1, "\n")], "a\n"],
    ["\ufeffa\r\nb", [{ from: 2, to: 3, text: "c" }], "\ufeffa\r\nc"],
    ["\ufeffa", [insert(0, "b")], "\ufeffba"],
    ["a\r\nb\r\nc", [{ from: 4, to: 5, text: "z" }, { from: 0, to: 2, text: "" }], "b\r\nz"]
  ]
  it.each(texts)("%j", (text, edits, expected) => assert.strictEqual(edited(text, edits), expected))
})
