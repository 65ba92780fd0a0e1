// JsonFindings: the raw object codex prints when it cannot parse the model's answer.
// The one rule: whatever is wrong with it, a list that is not empty is never read as empty.
import { assert, describe, it } from "vitest"
import { correctnessOf, parseJsonReview, structuredFrom } from "../../../../src/core/verdict/JsonFindings.ts"

const finding = {
  title: "[P1] Guard",
  body: "May be null.",
  code_location: { absolute_file_path: "/r/a.ts", line_range: { start: 3, end: 4 } }
}
const review = { findings: [finding], overall_correctness: "patch is incorrect", overall_explanation: "One problem." }
const json = JSON.stringify(review)

describe("parseJsonReview", () => {
  it("reads the object alone", () =>
    assert.deepStrictEqual(parseJsonReview(json), {
      review: {
        findings: [{
          title: "Guard",
          body: "May be null.",
          priority: 1,
          place: { path: "/r/a.ts", lines: { start: 3, end: 4 } }
        }],
        correctness: "incorrect",
        explanation: "One problem."
      },
      around: ""
    }))

  it("reads it inside a fence and prose", () => {
    const parsed = parseJsonReview(
      `Here it is {roughly}:\n\`\`\`json\n${JSON.stringify(review, null, 2)}\n\`\`\`\nDone.`
    )
    assert.lengthOf(parsed?.review.findings ?? [], 1)
    assert.strictEqual(parsed?.around, "Here it is {roughly}:\n\n\n\n\nDone.")
  })

  it("joins several objects, and finds a wrapped one", () => {
    assert.lengthOf(parseJsonReview(`${json}\n${json}`)?.review.findings ?? [], 2)
    assert.lengthOf(parseJsonReview(JSON.stringify({ review }))?.review.findings ?? [], 1)
  })

  it("goes by the worst verdict of several objects", () => {
    const correct = JSON.stringify({ findings: [], overall_correctness: "patch is correct" })
    const incorrect = JSON.stringify({ findings: [], overall_correctness: "patch is incorrect" })
    assert.strictEqual(parseJsonReview(`${correct}\n${incorrect}`)?.review.correctness, "incorrect")
    assert.strictEqual(parseJsonReview(`${incorrect}\n${correct}`)?.review.correctness, "incorrect")
  })

  it.each(["issues", "blockers"])("reads findings that stand in a list named %s", (name) =>
    assert.deepStrictEqual(
      structuredFrom({ findings: [], [name]: [finding] })?.findings.map(({ title }) => title),
      ["Guard"]
    ))

  it.each(["verdict", "decision", "recommendation", "overall_verdict"])("hears a verdict in the field %s", (name) => {
    const of = (said: string) => structuredFrom({ findings: [], overall_correctness: "patch is correct", [name]: said })
    assert.strictEqual(of("reject")?.correctness, "incorrect")
    assert.strictEqual(of("correct")?.correctness, "correct")
  })

  it("prefers the number to the tag, and ignores priorities off the scale", () => {
    const of = (priority: unknown) => structuredFrom({ findings: [{ ...finding, priority }] })?.findings[0]?.priority
    assert.strictEqual(of(3), 3)
    assert.strictEqual(of(7), 1)
    assert.strictEqual(of(null), 1)
    assert.strictEqual(of("2"), 1)
  })

  it("does without places, scores, titles", () => {
    const of = (item: unknown) => structuredFrom({ findings: [item] })?.findings[0]
    assert.deepInclude(of({ title: "A" }), { title: "A", body: "", place: null })
    assert.deepInclude(of({ body: "First.\nSecond." }), { title: "First." })
    assert.deepInclude(of("A loose string"), { title: "A loose string" })
    assert.isDefined(of(null))
    assert.deepInclude(of({ title: "A", file: "src/a.ts", line: 9 }), {
      place: { path: "src/a.ts", lines: { start: 9, end: 9 } }
    })
  })

  it("is null without a findings list", () => {
    assert.isNull(parseJsonReview('{"a":1}'))
    assert.isNull(parseJsonReview("plain prose { with braces }"))
    assert.isNull(structuredFrom({ findings: "none" }))
    assert.isNull(structuredFrom(null))
  })

  it("reads null as an empty list", () => assert.deepStrictEqual(structuredFrom({ findings: null })?.findings, []))
})

describe("overall_correctness", () => {
  it.each([
    ["patch is correct", "correct"],
    ["Patch is correct.", "correct"],
    ["The changes are correct", "correct"],
    ["patch_is_correct", "correct"],
    ["patch is incorrect", "incorrect"],
    ["not entirely correct", "incorrect"],
    ["The patch isn't correct", "incorrect"],
    ["only partly correct", "incorrect"],
    ["wrong", "incorrect"],
    ["mostly correct", "incorrect"],
    ["correct, except for one thing", "incorrect"],
    ["lgtm", "incorrect"],
    ["reject", "incorrect"],
    [true, "incorrect"],
    ["", "unknown"],
    [null, "unknown"],
    [undefined, "unknown"]
  ])("%j is %s", (value, expected) => assert.strictEqual(correctnessOf(value), expected))
})
