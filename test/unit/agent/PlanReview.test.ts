// PlanReview: the schema that reviewers are held to, what can be read, and that nothing unclear is ever ACCEPTABLE.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  checkSecondReading,
  type PlanVerdict,
  readReview,
  type ReviewIssue,
  reviewJsonSchema
} from "../../../src/agent/PlanReview.ts"
import { type Fields, isFields } from "../../../src/text/Json.ts"
import { decodeReview } from "../../../src/review/verdict/ReviewBody.ts"

const issue: ReviewIssue = {
  severity: "minor",
  place: "src/a.ts:3",
  description: "The bound is off.",
  suggestion: "Use <=."
}
const review = (verdict: unknown, ...issues: ReadonlyArray<unknown>) => JSON.stringify({ issues, verdict })

/** Every object schema inside a schema, itself included. */
const objectsIn = (schema: unknown): ReadonlyArray<Fields> =>
  Array.isArray(schema)
    ? schema.flatMap(objectsIn)
    : isFields(schema)
    ? [...(schema["type"] === "object" ? [schema] : []), ...Object.values(schema).flatMap(objectsIn)]
    : []

describe("the JSON schema of a review", () => {
  it("requires every property of every object and allows no other", () => {
    const objects = objectsIn(reviewJsonSchema())
    const required = objects.map((one) => one["required"])
    assert.deepStrictEqual(required, [["issues", "verdict"], ["severity", "place", "description", "suggestion"]])
    for (const one of objects) {
      assert.deepStrictEqual(Object.keys(isFields(one["properties"]) ? one["properties"] : {}), one["required"])
      assert.strictEqual(one["additionalProperties"], false)
    }
  })

  it("refers to nothing outside itself", () => {
    assert.notInclude(JSON.stringify(reviewJsonSchema()), "$ref")
  })
})

describe("a review in JSON", () => {
  it.each<[PlanVerdict, ReadonlyArray<ReviewIssue>]>([
    ["ACCEPTABLE", []],
    ["ACCEPTABLE", [issue, { ...issue, severity: "info", place: null }]],
    ["NEEDS_FIXES", [{ ...issue, severity: "critical" }]],
    ["NEEDS_FIXES", []]
  ])("says %s with issues %j", (verdict, issues) => {
    assert.deepStrictEqual(readReview(review(verdict, ...issues)), { grammar: "json", verdict, issues, problems: [] })
  })

  it.each(["critical", "major"])("that is ACCEPTABLE beside a %s issue contradicts itself: NEEDS_FIXES", (severity) => {
    const read = readReview(review("ACCEPTABLE", issue, { ...issue, severity }))
    assert.strictEqual(read.verdict, "NEEDS_FIXES")
    assert.deepStrictEqual(read.problems, ["the review says ACCEPTABLE but lists a critical or major issue"])
    assert.lengthOf(read.issues, 2)
  })

  it.each([
    ["a byte order mark and blanks", `\ufeff \n${review("ACCEPTABLE")}\n`],
    ["a fence", `\`\`\`json\n${review("ACCEPTABLE")}\n\`\`\``],
    ["line breaks", JSON.stringify({ issues: [], verdict: "ACCEPTABLE" }, null, 2)]
  ])("is read with %s around or in it", (_, text) => {
    assert.deepInclude(readReview(text), { grammar: "json", verdict: "ACCEPTABLE" })
  })

  it("is read as the general decoder reads it", () => {
    const text = review("NEEDS_FIXES", { ...issue, severity: "critical" })
    assert.deepInclude(decodeReview(text), { tier: "strict", correctness: "incorrect" })
    assert.strictEqual(decodeReview(text).findings[0]?.priority, 0)
    assert.strictEqual(decodeReview(review("ACCEPTABLE")).correctness, "correct")
  })
})

describe("a review that cannot be read says no verdict, and why:", () => {
  it.each<[string, string, RegExp]>([
    ["another severity", review("ACCEPTABLE", { ...issue, severity: "grave" }), /^issues: 0: severity: /],
    ["a missing field", review("ACCEPTABLE", { ...issue, place: undefined }), /^issues: 0: place: /],
    ["a field of its own", JSON.stringify({ issues: [], verdict: "ACCEPTABLE", mood: "good" }), /^mood: /],
    ["another verdict", review("acceptable"), /^verdict: /],
    ["no verdict", JSON.stringify({ issues: [] }), /^verdict: /],
    ["a list", "[]", /./],
    ["a word", '"ACCEPTABLE"', /./],
    ["nothing", "null", /./],
    ["an end cut off", review("ACCEPTABLE", issue).slice(0, -1), /not one JSON object/],
    ["two objects", `${review("ACCEPTABLE")}\n${review("NEEDS_FIXES")}`, /not one JSON object/],
    ["a verdict that stands twice", '{"issues": [], "verdict": "NEEDS_FIXES", "verdict": "ACCEPTABLE"}', /twice/],
    ["issues that stand twice", '{"issues": [1], "issues" : [], "verdict": "ACCEPTABLE"}', /twice/],
    [
      "a severity that appears twice",
      '{"issues": [{"severity": "critical", "severity": "minor"}], "verdict": "ACCEPTABLE"}',
      /^severity appears twice$/
    ],
    ["text around it", `${review("NEEDS_FIXES")}\n\nVERDICT: ACCEPTABLE`, /not one JSON object/],
    ["a broken list of issues", "[{severity: critical}]\nVERDICT: ACCEPTABLE", /not one JSON object/],
    ["no verdict line", "It looks good to me.", /no verdict line/],
    ["no text", "", /no verdict line/]
  ])("%s", (_, text, problem) => {
    const read = readReview(text)
    assert.deepInclude(read, { grammar: "none", verdict: null, issues: [] })
    assert.match(read.problems[0] ?? "", problem)
  })

  it("its problems are few and short, whatever it holds", () => {
    const { problems } = readReview(review("x".repeat(9_000), ...Array.from({ length: 99 }, () => ({ ["y\n"]: 1 }))))
    assert.isAtMost(problems.length, 5)
    for (const problem of problems) assert.match(problem, /^[^\n]{1,300}$/)
  })

  it("does not throw", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      assert.notStrictEqual(readReview(text).verdict, "ACCEPTABLE")
    }))
  })
})

describe("a review as text", () => {
  it.each<[string, PlanVerdict]>([
    ["The bound holds.\n\nVERDICT: ACCEPTABLE", "ACCEPTABLE"],
    ["- [x] `sum` is right\nVERDICT: NEEDS_FIXES", "NEEDS_FIXES"],
    ["[P3] A name is odd.\n\nVERDICT: ACCEPTABLE", "ACCEPTABLE"]
  ])("is read by its verdict line: %j", (text, verdict) => {
    assert.deepStrictEqual(readReview(text), { grammar: "text", verdict, issues: [], problems: [] })
  })
})

describe("an ACCEPTABLE of a text that lists a grave issue", () => {
  it.each([
    "[critical] a.ts:1 it crashes",
    "1. [major] a.ts: the bound is off",
    "- **Critical**: it crashes",
    "- critical a.ts:1 it crashes",
    "Severity: major - the bound is off",
    "Issue 1 (critical): it crashes",
    "a.ts:3: critical: it crashes",
    "* [P1] it crashes",
    "### Critical issues\n\n1. It crashes",
    "[critical] it crashes: NOT RESOLVED"
  ])("asks for fixes: %j", (issue) =>
    assert.deepStrictEqual(readReview(`${issue}\n\nVERDICT: ACCEPTABLE`), {
      grammar: "text",
      verdict: "NEEDS_FIXES",
      issues: [],
      problems: ["the review says ACCEPTABLE but lists a critical or major issue"]
    }))

  it.each([
    "Critical: none",
    "## Critical issues\n\nNone",
    "No critical or major issues.",
    "[critical] it crashes - RESOLVED",
    "> [critical] it crashes",
    "It is critical to test this, and the tests do.",
    "[minor] a name is odd"
  ])(
    "stays beside %j",
    (text) => assert.strictEqual(readReview(`${text}\n\nVERDICT: ACCEPTABLE`).verdict, "ACCEPTABLE")
  )
})

describe("a second reading", () => {
  const accepted = readReview(review("ACCEPTABLE"))

  it.each([
    '{"verdict": "NEEDS_FIXES"',
    "It needs fixes before ACCEPTABLE.",
    "This is not acceptable.",
    '"severity": "critical", ACCEPTABLE',
    "Severity: major. ACCEPTABLE"
  ])("is not ACCEPTABLE after %j, whoever reads", (said) => {
    for (const by of ["reviewer", "converter"] as const) {
      const held = checkSecondReading(said, accepted, by)
      assert.strictEqual(held.verdict, "NEEDS_FIXES")
      assert.match(held.problems[0] ?? "", /contradicts/)
    }
  })

  it("of a converter invents no ACCEPTABLE; the reviewer may say it late", () => {
    assert.deepInclude(checkSecondReading("Looks fine.", accepted, "converter"), {
      verdict: "NEEDS_FIXES",
      problems: ["the review itself never said ACCEPTABLE"]
    })
    assert.strictEqual(checkSecondReading("It is unacceptably slow.", accepted, "converter").verdict, "NEEDS_FIXES")
    assert.strictEqual(checkSecondReading("Looks fine.", accepted, "reviewer"), accepted)
    assert.strictEqual(checkSecondReading("Verdict, in a word: acceptable", accepted, "converter"), accepted)
  })

  it("that is not ACCEPTABLE stays as it is", () => {
    const fixes = readReview(review("NEEDS_FIXES", issue))
    assert.strictEqual(checkSecondReading("It is ACCEPTABLE.", fixes, "converter"), fixes)
  })
})

describe("an ACCEPTABLE of a reviewer that read nothing", () => {
  it.each(["I was unable to read the diff.", "I could not run git.", "The diff couldn\u2019t be read."])(
    "asks for fixes: %j",
    (said) =>
      assert.deepStrictEqual(readReview(`${said}\n\nVERDICT: ACCEPTABLE\n`), {
        grammar: "text",
        verdict: "NEEDS_FIXES",
        issues: [],
        problems: ["the reviewer says that it could not read the work"]
      })
  )

  it("stays where the words are about the program", () =>
    assert.strictEqual(readReview("It fails if a user is not found.\nVERDICT: ACCEPTABLE").verdict, "ACCEPTABLE"))
})

describe("an earlier verdict in words", () => {
  it("gives way to the last line", () =>
    assert.strictEqual(
      readReview("I thought that my verdict would be NEEDS_FIXES.\nVERDICT: ACCEPTABLE").verdict,
      "ACCEPTABLE"
    ))
})
