// Rewrite: edits that give the plan that was expected, and those that do not.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { readPlan } from "../../../../../src/drive/plan/file/Document.ts"
import { type Change, inText, rewritten } from "../../../../../src/drive/plan/file/Edit.ts"

const read = (text: string) => Result.getOrThrow(readPlan(text))
const document = read("---\ntitle: a\ntasks: []\n---\n")
const { plan } = document
const titled = (text: string): Change => ({
  plan: { ...plan, title: "b" },
  edits: inText(document, [{ from: 7, to: 8, text }])
})
const unwritten = (change: Change) => {
  const result = rewritten(document, change, 0, "title")
  return Result.isFailure(result) ? result.failure.reason : null
}

describe("a rewritten document", () => {
  it("has the plan that was expected", () => {
    const result = Result.getOrThrow(rewritten(document, titled("b"), 0, "title"))
    assert.deepStrictEqual(result, read("---\ntitle: b\ntasks: []\n---\n"))
  })

  it.each(["c", "b\ngoal: c", "b\nother: c", "[", "b\n---\n"])(
    "is none where %j would be written",
    (text) => assert.deepStrictEqual(unwritten(titled(text)), { _tag: "NotWritable", what: "title" })
  )

  it("is none without the edits that it takes", () =>
    assert.deepStrictEqual(unwritten({ ...titled("b"), edits: [] }), { _tag: "NotWritable", what: "title" }))

  const times: ReadonlyArray<readonly [string, string]> = [
    ["updatedAt: 2020-01-01T00:00:00Z\ntasks: []\n", "updatedAt: 2030-01-02T03:04:05.678Z\ntasks: []\n"],
    ["updatedAt: '2020' # c\ntasks: []\n", "updatedAt: '2030-01-02T03:04:05.678Z' # c\ntasks: []\n"],
    ["updatedAt:\ntasks: []\n", "updatedAt: 2030-01-02T03:04:05.678Z\ntasks: []\n"],
    ['{"updatedAt":null,"tasks":[]}', '{"updatedAt":"2030-01-02T03:04:05.678Z","tasks":[]}'],
    ["tasks: []\n", "tasks: []\n"]
  ]
  it.each(times)("of %j says when it was written, if it said so before", (text, expected) => {
    const before = read(text)
    const change = { plan: before.plan, edits: [] }
    const result = rewritten(before, change, Date.UTC(2030, 0, 2, 3, 4, 5, 678), "nothing")
    assert.strictEqual(Result.getOrThrow(result).text, expected)
  })
})
