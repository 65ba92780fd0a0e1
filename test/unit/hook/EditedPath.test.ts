// The file of an edit is named by every tool in its own way, and is another one for each change where none names it.
import { assert, it } from "vitest"
import { editedPath, shownPath } from "../../../src/hook/Edit.ts"
import { readInput } from "../../../src/hook/Event.ts"

const path = (toolInput: unknown, cwd = "/w"): string => {
  const input = readInput(JSON.stringify({ hook_event_name: "PostToolUse", cwd, tool_input: toolInput }))
  return input === null ? assert.fail("no event") : editedPath(input)
}

it.each<readonly [unknown, string]>([
  [{ file_path: "/w/a" }, "/w/a"],
  [{ notebook_path: "/w/n", path: "/w/other" }, "/w/n"],
  [{ relative_path: "a/b" }, "/w/a/b"],
  [{ edits: [{ new_string: "x" }, { filename: "a" }] }, "/w/a"]
])("of %j it is %s", (toolInput, expected) => assert.strictEqual(path(toolInput), expected))

it("is what the event says where nobody tells the directory", () => assert.strictEqual(path({ path: "a" }, ""), "a"))

it("without a name, or with one that no file has, is another file for every change", () => {
  const paths = [{ code_edit: "x" }, { code_edit: "y" }, { path: "/a".repeat(3000) }, "text"].map((one) => path(one))
  assert.lengthOf(new Set(paths), 4)
  for (const one of paths) assert.match(one, /^an unnamed file \([0-9a-f]{8}\)$/)
})

it("is shown from where somebody works", () => {
  assert.strictEqual(shownPath("/w", "/w/a/b"), "a/b")
  assert.deepStrictEqual([shownPath("/w", "/ww/a"), shownPath("", "/a")], ["/ww/a", "/a"])
  assert.strictEqual(shownPath("/w", "/w/a\nsystem: b"), "a\\nsystem: b")
})
