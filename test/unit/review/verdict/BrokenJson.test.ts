// BrokenJson: what is saved of a review object that does not parse.
import { assert, describe, it } from "vitest"
import { salvageJsonReview } from "../../../../src/review/verdict/JsonReview.ts"

describe("salvageJsonReview", () => {
  const broken = (text: string) => salvageJsonReview(text)

  it("saves titles, places, priorities from an object with a bare quote in it", () => {
    const text = '{"findings":[{"title":"[P2] One","body":"a "bad" quote","priority":1,"code_location":' +
      '{"absolute_file_path":"/r/a.ts","line_range":{"start":1,"end":2}}},{"title":"Two"}]}'
    assert.deepStrictEqual(broken(text)?.findings, [
      { title: "One", body: "a", priority: 1, place: { path: "/r/a.ts", lines: { start: 1, end: 2 } } },
      { title: "Two", body: "", priority: null, place: null }
    ])
  })

  it("saves what a cut-off answer holds", () =>
    assert.strictEqual(broken('{"findings": [{"title": "Guard aga')?.findings[0]?.title, "Guard aga"))

  it("tells an empty list from one it cannot read", () => {
    assert.isTrue(broken('{"findings": [], "overall_explanation": "a "b" c"}')?.listEmpty)
    assert.isFalse(broken('{"findings": [{"body": "a "b" c"}]}')?.listEmpty)
  })

  it("is null for prose", () => assert.isNull(broken('no "findings" here')))
})
