// Place: places as reviewers write them, and inside the root.
// What lies outside the repository never becomes a path.
import { assert, describe, it } from "vitest"
import { insideRoot, linesFrom, parsePlace, renderPlace } from "../../../../src/review/findings/Finding.ts"

describe("parsePlace", () => {
  it.each([
    ["/repo/a.ts:10-12", "/repo/a.ts", { start: 10, end: 12 }],
    ["a.ts:7", "a.ts", { start: 7, end: 7 }],
    ["a.ts:7:3", "a.ts", { start: 7, end: 7 }],
    ["src/a.ts#L4-L9", "src/a.ts", { start: 4, end: 9 }],
    ["a.ts:12-10", "a.ts", { start: 10, end: 12 }],
    ["`scripts/x.sh:46`", "scripts/x.sh", { start: 46, end: 46 }],
    ["C:\\My Projects\\x\\a b.ts:42-42", "C:\\My Projects\\x\\a b.ts", { start: 42, end: 42 }],
    ["/home/a b/it's [id]/page.tsx:1-2", "/home/a b/it's [id]/page.tsx", { start: 1, end: 2 }],
    ["[id]/page.tsx:3-3", "[id]/page.tsx", { start: 3, end: 3 }],
    ["src/a.ts", "src/a.ts", null],
    ["a.ts:0-0", "a.ts", null],
    ["a.ts:9999999999-9999999999", "a.ts", null]
  ])("reads %j", (text, path, lines) => assert.deepStrictEqual(parsePlace(text), { path, lines }))

  it.each(["", "   ", "just some words", ":12", "x".repeat(5000)])(
    "finds no place in %j",
    (text) => assert.isNull(parsePlace(text))
  )

  it("is undone by renderPlace", () => {
    for (const text of ["/r/a b.ts:1-2", "a.ts:7-7", "src/a.ts"]) {
      const place = parsePlace(text)
      assert.strictEqual(place === null ? null : renderPlace(place), text)
    }
  })
})

describe("linesFrom", () => {
  it("refuses what cannot be line numbers", () => {
    assert.isNull(linesFrom(0, 3))
    assert.isNull(linesFrom(1.5, 3))
    assert.isNull(linesFrom(Number.NaN, 3))
    assert.isNull(linesFrom(1, 2 ** 53))
  })
})

describe("insideRoot", () => {
  it.each([
    ["/repo", "/repo/src/a.ts", "src/a.ts"],
    ["/repo/", "/repo//src/./a.ts", "src/a.ts"],
    ["/repo", "src/a.ts", "src/a.ts"],
    ["/repo", "./src/../b.ts", "b.ts"],
    ["/repo", "src\\win\\a.ts", "src/win/a.ts"],
    ["/repo", "docs/\u0645\u06cc\u200c\u062e.md", "docs/\u0645\u06cc\u200c\u062e.md"],
    ["C:\\Work\\r", "c:\\work\\r\\src\\a.ts", "src/a.ts"],
    ["/", "/a.ts", "a.ts"]
  ])("from %j, %j is %j", (root, path, inner) => assert.strictEqual(insideRoot(root, path), inner))

  it.each([
    "../../etc/passwd",
    "/etc/passwd",
    "/repo/../etc/passwd",
    "/repository/a.ts",
    "/repo",
    ".",
    "",
    "~/.ssh/id_rsa",
    "file:///repo/a.ts",
    "C:\\repo\\a.ts",
    "..\\..\\a.ts",
    "a\u0000b.ts",
    "a\nb.ts",
    "a\u202eb.ts",
    "a\u200bb.ts",
    "a\u{e0041}.ts",
    "a\ud800.ts"
  ])("%j is no place in /repo", (path) => assert.isNull(insideRoot("/repo", path)))
})
