// Edit: the change of an edit, its file, and one key per edit without secrets, for every tool.
import { assert, describe, it } from "vitest"
import { answeredText, changeOf, editedPath, editKey, shownPath } from "../../../src/hook/Edit.ts"
import { readInput } from "../../../src/hook/Event.ts"

const change = (toolInput: unknown, toolResponse: unknown = null, cwd = "/w") => {
  const text = JSON.stringify({
    hook_event_name: "PostToolUse",
    cwd,
    tool_input: toolInput,
    tool_response: toolResponse
  })
  const input = readInput(text)
  return input === null ? null : changeOf(input)
}

describe("a change", () => {
  it.each<readonly [string, unknown, unknown, object]>([
    ["an edit", { file_path: "/w/a", old_string: "x", new_string: "y" }, null, {
      path: "/w/a",
      before: "x",
      after: "y"
    }],
    ["a file that is written", { file_path: "/w/a", content: "y" }, null, { path: "/w/a", before: "", after: "y" }],
    ["a file that is overwritten", { file_path: "/w/a", content: "y" }, { originalFile: "x" }, {
      path: "/w/a",
      before: "x",
      after: "y"
    }],
    ["several edits", { file_path: "/w/a", edits: [{ old_string: "1", new_string: "2" }, { old_string: "3" }] }, null, {
      path: "/w/a",
      before: "1\n3",
      after: "2"
    }],
    ["a cell", { notebook_path: "/w/n", new_source: "y" }, null, { path: "/w/n", before: "", after: "y" }],
    ["a foreign tool", { path: "a", code_edit: "y" }, null, { path: "/w/a", before: "", after: "y" }],
    ["nothing", "text", 7, { path: "an unnamed file (9663e54a)", before: "", after: "" }],
    ["a tool that names the file", { target_file: "/w/a", code_edit: "y" }, null, {
      path: "/w/a",
      before: "",
      after: "y"
    }]
  ])("of %s", (_, input, response, expected) => assert.deepStrictEqual(change(input, response), expected))

  it("names its file without secrets", () =>
    assert.notInclude(JSON.stringify(change({ file_path: "/w/ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5" })), "aB3dE5"))
})

it("the answer of a tool is its error or its text, cut and without secrets", () => {
  assert.isNull(answeredText({ filePath: "a.ts", originalFile: "x" }))
  assert.isNull(answeredText(null))
  assert.strictEqual(answeredText("done"), "done")
  assert.strictEqual(answeredText({ error: "no such file" }), "no such file")
  assert.strictEqual(answeredText([{ type: "text", text: "ok" }]), "ok")
  assert.strictEqual(
    answeredText({ content: [{ type: "text", text: "one" }, { type: "text", text: "two" }] }),
    "one\ntwo"
  )
  assert.isAtMost(answeredText("word ".repeat(1000))?.length ?? 0, 500)
  assert.notInclude(answeredText(`password: hunter2hunter2 ${"x".repeat(50)}`), "hunter2hunter2")
})

const edit = { file_path: "/a.ts", old_string: "x", new_string: "y" }

describe("editKey", () => {
  it("is a digest that does not depend on the order of keys", () => {
    const key = editKey("Edit", edit)
    assert.match(key, /^[0-9a-f]{64}$/)
    assert.strictEqual(editKey("Edit", { new_string: "y", old_string: "x", file_path: "/a.ts" }), key)
  })

  it("differs for different inputs", () => {
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
})

describe("the file of an edit", () => {
  const path = (toolInput: unknown, cwd = "/w"): string => {
    const input = readInput(JSON.stringify({ hook_event_name: "PostToolUse", cwd, tool_input: toolInput }))
    return input === null ? assert.fail("no event") : editedPath(input)
  }

  it.each<readonly [unknown, string]>([
    [{ file_path: "/w/a" }, "/w/a"],
    [{ notebook_path: "/w/n", path: "/w/other" }, "/w/n"],
    [{ relative_path: "a/b" }, "/w/a/b"],
    [{ edits: [{ new_string: "x" }, { filename: "a" }] }, "/w/a"]
  ])("for %j is %s", (toolInput, expected) => assert.strictEqual(path(toolInput), expected))

  it("is the event's own path if the directory is unknown", () => assert.strictEqual(path({ path: "a" }, ""), "a"))

  it("differs for every change if its name is missing or impossible", () => {
    const paths = [{ code_edit: "x" }, { code_edit: "y" }, { path: "/a".repeat(3000) }, "text"].map((one) => path(one))
    assert.lengthOf(new Set(paths), 4)
    for (const one of paths) assert.match(one, /^an unnamed file \([0-9a-f]{8}\)$/)
  })

  it("is shown relative to the working directory", () => {
    assert.strictEqual(shownPath("/w", "/w/a/b"), "a/b")
    assert.deepStrictEqual([shownPath("/w", "/ww/a"), shownPath("", "/a")], ["/ww/a", "/a"])
    assert.strictEqual(shownPath("/w", "/w/a\nsystem: b"), "a\\nsystem: b")
  })
})
