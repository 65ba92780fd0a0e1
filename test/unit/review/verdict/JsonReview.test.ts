// JsonReview: the raw object that codex prints when it cannot parse the model's answer, complete, broken or in prose.
// A list that is not empty is never read as empty, whatever else is wrong.
import { assert, describe, it } from "vitest"
import {
  correctnessOf,
  jsonObjects,
  parseJsonReview,
  salvageJsonReview,
  structuredFrom
} from "../../../../src/review/verdict/JsonReview.ts"

const finding = {
  title: "[P1] Guard",
  body: "May be null.",
  code_location: { absolute_file_path: "/r/a.ts", line_range: { start: 3, end: 4 } }
}
const review = { findings: [finding], overall_correctness: "patch is incorrect", overall_explanation: "One problem." }
const json = JSON.stringify(review)

describe("parseJsonReview", () => {
  it("reads a bare object", () =>
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
      around: "",
      ambiguous: false
    }))

  it("reads an object inside a fence and prose", () => {
    const parsed = parseJsonReview(
      `Here it is {roughly}:\n\`\`\`json\n${JSON.stringify(review, null, 2)}\n\`\`\`\nDone.`
    )
    assert.lengthOf(parsed?.review.findings ?? [], 1)
    assert.strictEqual(parsed?.around, "Here it is {roughly}:\n\n\n\n\nDone.")
  })

  it("joins several objects, and finds a nested one", () => {
    assert.lengthOf(parseJsonReview(`${json}\n${json}`)?.review.findings ?? [], 2)
    assert.lengthOf(parseJsonReview(JSON.stringify({ review }))?.review.findings ?? [], 1)
  })

  it("uses the worst verdict of several objects", () => {
    const correct = JSON.stringify({ findings: [], overall_correctness: "patch is correct" })
    const incorrect = JSON.stringify({ findings: [], overall_correctness: "patch is incorrect" })
    assert.strictEqual(parseJsonReview(`${correct}\n${incorrect}`)?.review.correctness, "incorrect")
    assert.strictEqual(parseJsonReview(`${incorrect}\n${correct}`)?.review.correctness, "incorrect")
  })

  const beside = (fields: object) =>
    structuredFrom({ findings: [], overall_correctness: "patch is correct", ...fields })

  it.each(["issues", "blockers", "critical_issues", "Findings", "anything"])(
    "reads findings in a list named %s, at any depth",
    (name) => {
      for (const fields of [{ [name]: [finding] }, { details: { inner: { [name]: [finding] } } }]) {
        assert.deepStrictEqual(beside(fields)?.findings.map(({ title }) => title), ["Guard"])
      }
    }
  )

  it("finds nothing in an empty list, or in a list of names", () =>
    assert.deepStrictEqual(beside({ issues: [], files_reviewed: ["a.ts"] }), beside({})))

  it.each(["verdict", "decision", "recommendation", "overall_verdict"])("reads the verdict in the field %s", (name) => {
    for (const said of ["reject", "mostly correct", false]) {
      assert.strictEqual(beside({ [name]: said })?.correctness, "incorrect")
    }
    for (const said of ["correct", "pass", "APPROVED", true]) {
      assert.strictEqual(beside({ [name]: said })?.correctness, "correct")
    }
  })

  it.each([
    { status: "fail" },
    { result: "FAILED" },
    { passed: false },
    { success: false },
    { has_issues: true },
    {
      issue_count: 2
    },
    { summary: { status: "changes requested" } },
    { issues: "Data loss on start" }
  ])("%j means incorrect", (fields) => assert.strictEqual(beside(fields)?.correctness, "incorrect"))

  it.each([
    { status: "completed" },
    { result: "ok" },
    { has_issues: false },
    { issues: "none" },
    { error: null },
    {
      comment: "Well done"
    },
    { incorrect: false, needs_fixes: false, truncated: false },
    { severity_counts: { P0: 0, critical: 0 } }
  ])(
    "%j means correct",
    (fields) => assert.deepInclude(beside(fields), { findings: [], correctness: "correct" })
  )

  it.each([
    { findings: { title: "[P1] Guard", body: "b" } },
    { findings: { P1: ["The lock leaks"] } },
    { findings: [], blocking: { reason: "The lock leaks" } },
    { findings: [], items: [["The lock leaks"]] },
    { findings: [], must_fix: ["The lock leaks"] },
    { findings: [], status: "changes_required" },
    { findings: [], status: "not_approved" },
    { findings: [], success: 0 },
    { findings: [], lgtm: false },
    { findings: [], incorrect: true },
    { findings: [], is_unsafe: true },
    { findings: [], notApproved: true },
    { findings: [], needs_fixes: true },
    { findings: [], failed_checks: ["authentication"] },
    { findings: [], summary: { critical: 1, high: 0 } },
    { findings: [], counts: { P1: 2 } },
    { findings: [], truncated: true }
  ])("%j is not clean", (fields) => {
    const review = parseJsonReview(JSON.stringify({ overall_correctness: "patch is correct", ...fields }))?.review
    assert.isTrue(review !== undefined && (review.findings.length > 0 || review.correctness === "incorrect"))
  })

  it("accepts objects that are nested too deep, but does not trust them", () => {
    const deep = `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`
    const parsed = parseJsonReview(`{"findings":[],"overall_correctness":"patch is correct","x":${deep}}`)
    assert.strictEqual(parsed?.review.correctness, "incorrect")
  })

  it("finds a finding next to a review", () => {
    const clean = JSON.stringify({ findings: [], overall_correctness: "patch is correct" })
    for (const beside of [JSON.stringify(finding), JSON.stringify([finding])]) {
      assert.lengthOf(parseJsonReview(`${clean}\n${beside}`)?.review.findings ?? [], 1)
    }
  })

  it("uses the graver of the tag and the priority, and ignores invalid priorities", () => {
    const of = (priority: unknown) => structuredFrom({ findings: [{ ...finding, priority }] })?.findings[0]?.priority
    assert.strictEqual(of(0), 0)
    assert.strictEqual(of("P0"), 0)
    for (const priority of [3, 7, null, "2"]) assert.strictEqual(of(priority), 1)
    assert.strictEqual(structuredFrom({ findings: [{ title: "x", priority: 3 }] })?.findings[0]?.priority, 3)
  })

  it.each([
    `{"findings":[${JSON.stringify(finding)}],"findings":[],"overall_correctness":"patch is correct"}`,
    `{"findings":[],"overall_correctness":"patch is incorrect","overall_correctness":"patch is correct"}`,
    `{"findings":[],"\\u0066indings":[],"overall_correctness":"patch is correct"}`,
    `{"findings":[],"a":{"b":1,"b":2}}`
  ])("%s has a duplicate key, so it is ambiguous", (text) => assert.isTrue(parseJsonReview(text)?.ambiguous))

  it("does not need places, scores or titles", () => {
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
    [" Patch is correct\n", "correct"],
    ["correct", "correct"],
    ["true", "correct"],
    [true, "correct"],
    [false, "incorrect"],
    ["Patch is correct.", "incorrect"],
    ["\u274c correct", "incorrect"],
    ["0% correct", "incorrect"],
    ["!correct", "incorrect"],
    ["patch is incorrect", "incorrect"],
    ["not entirely correct", "incorrect"],
    ["The patch isn't correct", "incorrect"],
    ["only partly correct", "incorrect"],
    ["wrong", "incorrect"],
    ["mostly correct", "incorrect"],
    ["correct, except for one thing", "incorrect"],
    ["lgtm", "incorrect"],
    ["reject", "incorrect"],
    ["", "unknown"],
    [null, "unknown"],
    [undefined, "unknown"]
  ])("%j is %s", (value, expected) => assert.strictEqual(correctnessOf(value), expected))
})

describe("jsonObjects", () => {
  it("is not confused by braces in strings or in prose", () =>
    assert.deepStrictEqual(jsonObjects('if {x} then { "a": "}{\\"" } end').objects, [{ a: '}{"' }]))
  it("gives up on unbalanced braces without losing the text", () =>
    assert.strictEqual(jsonObjects('{"a": {"b":').around, '{"a": {"b":'))

  it("finds every outermost object, with the text around them", () =>
    assert.deepStrictEqual(jsonObjects('a {"x": {"y": 1}} b {"z": 2} c'), {
      objects: [{ x: { y: 1 } }, { z: 2 }],
      around: "a \n b \n c",
      ambiguous: false
    }))

  it("skips a few braces that open nothing, and ignores what follows more of them", () => {
    const behind = (braces: number) => jsonObjects(`${'{"" '.repeat(braces)}{"a": 1}`).objects
    assert.deepStrictEqual(behind(11), [{ a: 1 }])
    assert.deepStrictEqual(behind(12), [])
  })

  it("ignores lists", () => assert.deepStrictEqual(jsonObjects("[1]").objects, []))
})

describe("salvageJsonReview", () => {
  const broken = (text: string) => salvageJsonReview(text)

  it("reads titles, places and priorities from an object with a bare quote in it", () => {
    const text = '{"findings":[{"title":"[P2] One","body":"a "bad" quote","priority":1,"code_location":' +
      '{"absolute_file_path":"/r/a.ts","line_range":{"start":1,"end":2}}},{"title":"Two"}]}'
    assert.deepStrictEqual(broken(text)?.findings, [
      { title: "One", body: "a", priority: 1, place: { path: "/r/a.ts", lines: { start: 1, end: 2 } } },
      { title: "Two", body: "", priority: null, place: null }
    ])
  })

  it("reads the start of an answer that was cut", () =>
    assert.strictEqual(broken('{"findings": [{"title": "Guard aga')?.findings[0]?.title, "Guard aga"))

  it("distinguishes an empty list from one that it cannot read", () => {
    assert.isTrue(broken('{"findings": [], "overall_explanation": "a "b" c"}')?.listEmpty)
    assert.isFalse(broken('{"findings": [{"body": "a "b" c"}]}')?.listEmpty)
  })

  it("is null for prose", () => assert.isNull(broken('no "findings" here')))
})
