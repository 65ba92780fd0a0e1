// Finding: a finding as a slot wrote it: its priority, its place inside the root, its name, and the agreement.
// A file outside the repository never becomes a path.
import { assert, describe, it } from "vitest"
import {
  agreement,
  findingOf,
  fingerprint,
  fnv1a64,
  insideRoot,
  linesFrom,
  parsePlace,
  type RawFinding,
  renderPlace,
  severityOf,
  splitTag,
  titleWords
} from "../../../../src/review/findings/Finding.ts"

const written = (title: string, path: string | null, start = 1): RawFinding => ({
  title,
  body: "Some words.",
  priority: null,
  place: path === null ? null : { path, lines: { start, end: start + 2 } }
})

describe("splitTag", () => {
  it.each([
    ["[P1] Guard against null", 1, "Guard against null"],
    ["[p0]: Guard", 0, "Guard"],
    ["**[P2]** Guard", 2, "Guard"],
    ["P3: Guard", 3, "Guard"],
    ["Guard [P1] later", null, "Guard [P1] later"],
    ["[P4] Guard", null, "[P4] Guard"],
    ["P12 handling", null, "P12 handling"],
    ["", null, ""]
  ])("%j has priority %j", (text, priority, title) => assert.deepStrictEqual(splitTag(text), { title, priority }))
})

describe("severityOf", () => {
  it("follows the priority, and is a warning without one", () =>
    assert.deepStrictEqual(([0, 1, 2, 3, null] as const).map((priority) => severityOf({ priority })), [
      "error",
      "error",
      "warning",
      "note",
      "warning"
    ]))
})

describe("agreement", () => {
  it("counts the finished reviewers that saw it", () => {
    const finding = { ...findingOf(written("Guard", "a.ts"), 2, "/r"), detectedBy: [1, 2, 5] }
    assert.deepStrictEqual(agreement(finding, [1, 2, 3, 3]), { found: 2, of: 3 })
  })
})

describe("findingOf", () => {
  it("drops a place outside the root, with its lines", () => {
    const finding = findingOf(written("Guard", "/elsewhere/a.ts"), 1, "/r")
    assert.isNull(finding.path)
    assert.isNull(finding.lines)
    assert.deepStrictEqual(finding.detectedBy, [1])
  })
})

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

  it("is the inverse of renderPlace", () => {
    for (const text of ["/r/a b.ts:1-2", "a.ts:7-7", "src/a.ts"]) {
      const place = parsePlace(text)
      assert.strictEqual(place === null ? null : renderPlace(place), text)
    }
  })
})

describe("linesFrom", () => {
  it("refuses invalid line numbers", () => {
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
  ])("%j is not inside /repo", (path) => assert.isNull(insideRoot("/repo", path)))
})

describe("the name of a finding", () => {
  const written = (title: string, path: string, start: number): RawFinding => ({
    title,
    body: "Some words.",
    priority: null,
    place: { path, lines: { start, end: start + 2 } }
  })

  describe("fingerprint", () => {
    const of = (title: string, path: string | null = "a.ts") => fingerprint({ title, body: "", path })

    it("ignores tags, case, punctuation, order and small words", () => {
      assert.strictEqual(of("[P1] Guard against the null user!"), of("guard: user null (against)"))
    })

    it("ignores the forms of words and characters", () => {
      assert.strictEqual(of("Handles closing sockets"), of("Handled: close socket"))
      assert.strictEqual(of("ｈａｎｄｌｅ the ﬁle"), of("Handle the file"))
    })

    it("ignores lines and bodies", () => {
      const one = findingOf(written("Guard", "/r/a.ts", 10), 1, "/r")
      const two = findingOf({ ...written("Guard", "a.ts", 900), body: "Said otherwise." }, 2, "/r")
      assert.strictEqual(one.fingerprint, two.fingerprint)
    })

    it("changes with the path and with the words", () => {
      assert.notStrictEqual(of("Guard against null"), of("Guard against null", "b.ts"))
      assert.notStrictEqual(of("Guard against null"), of("Avoid the quadratic loop"))
      assert.notStrictEqual(of("Guard against null"), of("Guard against null", null))
    })

    it("distinguishes findings without a title by their bodies", () => {
      const untitled = (body: string) => fingerprint({ title: "!!", body, path: "a.ts" })
      assert.notStrictEqual(untitled("leaks memory"), untitled("skips rows"))
    })

    it("distinguishes titles of small words", () => assert.notDeepEqual(titleWords("to be"), titleWords("is it")))
    it("is FNV-1a over UTF-16 code units", () => {
      assert.strictEqual(fnv1a64(""), "cbf29ce484222325")
      assert.match(fnv1a64("日本"), /^[0-9a-f]{16}$/)
      assert.notStrictEqual(fnv1a64("日"), fnv1a64(String.fromCharCode("日".charCodeAt(0) & 0xff)))
    })
  })
})
