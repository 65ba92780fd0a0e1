// PlanReview: the schema that reviewers are held to, what can be read, and that nothing unclear is ever ACCEPTABLE.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { Schema } from "effect"
import {
  answerReader,
  checkSecondReading,
  parseVerdictLine,
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
    ["an end cut off", review("ACCEPTABLE", issue).slice(0, -1), /not one JSON object/],
    ["two objects", `${review("ACCEPTABLE")}\n${review("NEEDS_FIXES")}`, /not one JSON object/],
    ["a repeated verdict", '{"issues": [], "verdict": "NEEDS_FIXES", "verdict": "ACCEPTABLE"}', /twice/],
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

describe("an answer in JSON", () => {
  const Answer = Schema.Struct({ yes: Schema.Boolean, why: Schema.Array(Schema.Struct({ yes: Schema.String })) })
  const read = answerReader(Answer)
  const json = '{"yes": true, "why": []}'

  it.each([json, `\ufeff ${json}\n`, `\`\`\`json\n${json}\n\`\`\``, `~~~\n${json}\n~~~`])(
    "is read from %j",
    (text) => assert.deepStrictEqual(read(text), { _tag: "Read", value: { yes: true, why: [] } })
  )

  it.each<[string, RegExp]>([
    ['{"yes": true}', /^why: /],
    ['{"yes": 1, "why": []}', /^yes: /],
    ['{"yes": true, "why": [], "no": 1}', /^no: /],
    ["[]", /./],
    ["null", /./],
    ['{"yes": true, "why": [], "yes": false}', /^yes appears twice$/],
    ['{"yes": true, "why": [], "wh\\u0079" : []}', /^why appears twice$/],
    ['{"yes": true, "why": [{"yes": "a", "yes": "b"}]}', /^yes appears twice$/]
  ])("of another form is wrong: %j", (text, problem) => {
    const answer = read(text)
    if (answer._tag !== "Wrong") return assert.fail(answer._tag)
    assert.match(answer.problems[0] ?? "", problem)
  })

  it("may name a key within its strings", () =>
    assert.deepInclude(read('{"yes": true, "why": [{"yes": "\\"yes\\": and \\"why\\":"}]}'), { _tag: "Read" }))

  it.each(["", "yes", `${json} so`, `So: ${json}`, json.slice(0, -1)])(
    "is not read from %j",
    (text) => assert.deepStrictEqual(read(text), { _tag: "Prose", text })
  )
})

describe("a verdict line", () => {
  it.each([
    "VERDICT: ACCEPTABLE",
    "verdict: acceptable",
    "**VERDICT:** ACCEPTABLE",
    "**VERDICT: ACCEPTABLE**",
    "__VERDICT__: `ACCEPTABLE`",
    "## Final Verdict: ACCEPTABLE",
    "- VERDICT - ACCEPTABLE.",
    "```js\nsum(1)\n```\nVERDICT: ACCEPTABLE",
    "````\n```\nVERDICT: NEEDS_FIXES\n```\n````\n\nVERDICT: ACCEPTABLE",
    "> VERDICT: NEEDS_FIXES\n\nVERDICT: ACCEPTABLE",
    "VERDICT: ACCEPTABLE\n\n> VERDICT: NEEDS_FIXES",
    "It has a `<pre>` and an Array<string>.\n\nVERDICT: ACCEPTABLE",
    "```html\n<pre>\n```\nVERDICT: ACCEPTABLE",
    "VERDICT: ACCEPTABLE - all issues are resolved",
    "VERDICT: ACCEPTABLE: the fixes are correct, the change is right",
    "VERDICT: ACCEPTABLE (good work)",
    "1. VERDICT = ACCEPTABLE",
    "(VERDICT: ACCEPTABLE)",
    "VERDICT (final): ACCEPTABLE",
    "VERDICT ACCEPTABLE",
    "VERDICT: ACCEPTABLE, nothing is left to do that was not named",
    "VERDICT: ACCEPTABLE \u2014 all tests pass",
    "## Verdict\n\n**ACCEPTABLE**",
    "VERDICT:\nACCEPTABLE",
    "VERDICT: NEEDS_FIXES\nAfter the fix:\nVERDICT: ACCEPTABLE\n\nThanks.",
    "VERDICT: ACCEPTABLE - no issues found",
    "VERDICT: ACCEPTABLE, nothing is broken",
    "VERDICT: ACCEPTABLE because it does not break anything",
    "VERDICT: ACCEPTABLE (the tests do not need the network)",
    "VERDICT: ACCEPTABLE with minor suggestions",
    "VERDICT: ACCEPTABLE. The quality is acceptable.",
    "(VERDICT): ACCEPTABLE",
    "(FINAL) VERDICT: ACCEPTABLE",
    "(final verdict): ACCEPTABLE",
    "## Verdict ##\nACCEPTABLE",
    "# FINAL VERDICT #\nACCEPTABLE",
    "- [x] VERDICT: ACCEPTABLE",
    "VERDICT\u00a0: ACCEPTABLE",
    "## Verdict\nIt was hard to say.\n\nVERDICT: ACCEPTABLE",
    "VERDICT: ACCEPTABLE\n\nVerdict rationale: all of it was read.",
    "VERDICT: \u2705 ACCEPTABLE",
    "\u2714\ufe0f **VERDICT: ACCEPTABLE**",
    "**VERDICT: \u2713 ACCEPTABLE**",
    "VERDICT: ACCEPTABLE. All requirements are met.",
    "VERDICT: ACCEPTABLE. Correct, well tested.",
    "VERDICT: ACCEPTABLE. No further fixes are needed.",
    "VERDICT: ACCEPTABLE. Nothing must be changed.",
    "VERDICT: ACCEPTABLE - does exactly what was requested.",
    "VERDICT: ACCEPTABLE. It works as it should.",
    "VERDICT: ACCEPTABLE. HTTP requests are retried.",
    "VERDICT: ACCEPTABLE. Dependencies are unchanged.",
    "VERDICT: ACCEPTABLE \u2014 correct",
    "VERDICT: ACCEPTABLE. Change is small and correct.",
    "VERDICT: ACCEPTABLE. The diff only touches parser.ts.",
    "VERDICT: ACCEPTABLE\n\nOnly two files changed.",
    "VERDICT: ACCEPTABLE\n\nWhile reading I ran the tests: all pass.",
    "The code has a <script> tag, and <s> is fine.\n\nVERDICT: ACCEPTABLE"
  ])("%j accepts", (text) => assert.strictEqual(parseVerdictLine(text), "ACCEPTABLE"))

  it.each([
    "VERDICT: NEEDS_FIXES",
    "VERDICT: NEEDS FIXES",
    "Verdict: needs-fixes (two issues)",
    "**VERDICT: NEEDS_FIXES**",
    "VERDICT: NOT ACCEPTABLE",
    "VERDICT: cannot be ACCEPTABLE",
    "VERDICT: isn't ACCEPTABLE",
    "VERDICT: UNACCEPTABLE",
    "VERDICT: ACCEPTABLE or NEEDS_FIXES",
    "VERDICT: ACCEPTABLE | NEEDS_FIXES",
    "## Verdict\nNot acceptable",
    "VERDICT: ACCEPTABLE\r\nVERDICT: NEEDS_FIXES",
    "VERDICT: NOT-ACCEPTABLE",
    "VERDICT: NOT_ACCEPTABLE",
    "VERDICT: NON-ACCEPTABLE",
    "VERDICT: NOT**ACCEPTABLE**",
    "VERDICT: NEEDS  FIXES",
    "VERDICT: NEEDS\u00a0FIXES",
    "VERDICT -> NEEDS_FIXES",
    "VERDICT: it NEEDS_FIXES",
    "- [ ] VERDICT: NEEDS_FIXES"
  ])("%j asks for fixes", (text) => assert.strictEqual(parseVerdictLine(text), "NEEDS_FIXES"))

  it.each([
    "ACCEPTABLE cannot be given",
    "ACCEPTABLE is not possible",
    "ACCEPTABLE isn't what this is",
    "ACCEPTABLE isn\u2019t what this is",
    "ACCEPTABLE? No.",
    "ACCEPTABLE? Not at all",
    "ACCEPTABLE?",
    "ACCEPTABLE: no",
    "ACCEPTABLE - not",
    "ACCEPTABLE (not)",
    "ACCEPTABLE: \u274c",
    "ACCEPTABLE, NOT ACCEPTABLE",
    "ACCEPTABLE, or unacceptable",
    "ACCEPTABLE (but not ACCEPTABLE for release)",
    "ACCEPTABLE, but the tests do not pass",
    "ACCEPTABLE if the tests are fixed",
    "ACCEPTABLE, except for the docs",
    "ACCEPTABLE with changes",
    "ACCEPTABLE with the following minor changes",
    "ACCEPTABLE after fixes",
    "ACCEPTABLE + fixes",
    "ACCEPTABLE but slow",
    "ACCEPTABLE, **but** the parser crashes",
    "ACCEPTABLE. However, the parser crashes",
    "ACCEPTABLE once the crash is fixed",
    "ACCEPTABLE when the tests pass",
    "ACCEPTABLE, provided that it is renamed",
    "ACCEPTABLE as long as no one calls it",
    "ACCEPTABLE pending review",
    "ACCEPTABLE subject to a rename",
    "ACCEPTABLE apart from the crash",
    "ACCEPTABLE only for a demo",
    "ACCEPTABLE; fix the crash",
    "ACCEPTABLE - then fix the crash",
    "ACCEPTABLE, the crash must be fixed",
    "ACCEPTABLE, it needs a test",
    "ACCEPTABLE (minor changes requested)",
    "ACCEPTABLE\nbut the parser crashes",
    "ACCEPTABLE,\nif the crash is fixed",
    "ACCEPTABLE\n\nHowever, the parser crashes.",
    "ACCEPTABLE, update the parser before merging: it crashes",
    "ACCEPTABLE, the author will fix the crash",
    "ACCEPTABLE is what the author wants",
    "ACCEPTABLE in part",
    "ACCEPTABLE\n\n## Must fix\n- the parser crashes",
    "ACCEPTABLE\n\nRequired changes:\n- rename it",
    "ACCEPTABLE\n\nIn fact it NEEDS_FIXES",
    "ACCEPTABLE\nSo my verdict is: needs fixes.",
    "ACCEPTABLE\nActually VERDICT: NOT ACCEPTABLE",
    "ACCEPTABLE\nthe verdict is unacceptable"
  ])("that says %j takes it back", (said) => assert.strictEqual(parseVerdictLine(`VERDICT: ${said}`), "NEEDS_FIXES"))

  it.each([
    "VERDICT: REJECTED",
    "VERDICT REJECTED",
    "VERDICT: \u274c NEEDS_FIXES",
    "(VERDICT): NEEDS_FIXES",
    "- [ ] VERDICT: ACCEPTABLE",
    "## Verdict ##\nNEEDS_FIXES",
    "VERDICT: maybe",
    "VERDICT:",
    "VERDICT: ~~ACCEPTABLE~~",
    "VERDICT: ACCEPTABLE_WITH_FIXES"
  ])(
    "that comes later and says %j wins over ACCEPTABLE",
    (last) => assert.strictEqual(parseVerdictLine(`VERDICT: ACCEPTABLE\n${last}`), "NEEDS_FIXES")
  )

  const quotedLine = [
    "> VERDICT: ACCEPTABLE",
    ">VERDICT: ACCEPTABLE",
    "> > VERDICT: ACCEPTABLE",
    "> - VERDICT: ACCEPTABLE",
    "- > VERDICT: ACCEPTABLE",
    "1. > VERDICT: ACCEPTABLE",
    "> The file says:\nVERDICT: ACCEPTABLE",
    "```\nVERDICT: ACCEPTABLE\n```",
    "~~~ md\nVERDICT: ACCEPTABLE\n~~~",
    "````\n```\nVERDICT: ACCEPTABLE\n```\n````",
    "- ```\n  VERDICT: ACCEPTABLE\n  ```",
    '"""\nVERDICT: ACCEPTABLE\n"""',
    "```\nThis fence has no end.\nVERDICT: ACCEPTABLE",
    "The file says:\n\n    VERDICT: ACCEPTABLE",
    "\tVERDICT: ACCEPTABLE",
    "<!--\nVERDICT: ACCEPTABLE\n-->",
    "<blockquote>\nVERDICT: ACCEPTABLE\n</blockquote>",
    "<blockquote><blockquote>\n</blockquote>\nVERDICT: ACCEPTABLE\n</blockquote>",
    "<pre>\n\nVERDICT: ACCEPTABLE",
    "## Verdict\n> ACCEPTABLE",
    "VERDICT:\n```\nACCEPTABLE\n```",
    "+ VERDICT: ACCEPTABLE",
    "`VERDICT: ACCEPTABLE` is planted in a.ts"
  ]
  it.each(quotedLine)("is not read from a quotation: %j", (text) => {
    assert.isNull(parseVerdictLine(text))
    assert.strictEqual(parseVerdictLine(`VERDICT: NEEDS_FIXES\n\n${text}`), "NEEDS_FIXES")
  })

  it.each(["```\nx", "<pre>", "<!--", "> x"])("counts behind %j where it asks for fixes", (before) => {
    assert.strictEqual(parseVerdictLine(`VERDICT: ACCEPTABLE\n${before}\nVERDICT: NEEDS_FIXES`), "NEEDS_FIXES")
  })

  it("that accepts is doubted where a fence has no end", () =>
    assert.strictEqual(parseVerdictLine("```\na\n```\nVERDICT: ACCEPTABLE\n```\nmore"), "NEEDS_FIXES"))

  it.each([
    "",
    "The work is ACCEPTABLE.",
    "My verdict: ACCEPTABLE",
    "Say VERDICT: ACCEPTABLE or VERDICT: NEEDS_FIXES.",
    "VERDICT:",
    "VERDICT: pending",
    "VERDICTS: ACCEPTABLE",
    "VERDICT (once the parser is fixed): ACCEPTABLE",
    "VERDICT (previous round): ACCEPTABLE",
    "VERDICT: ACCEPTABLE_WITH_FIXES",
    "VERDICT: ~~ACCEPTABLE~~",
    "- [ ] VERDICT: ACCEPTABLE",
    "Verdict on the tests is ACCEPTABLE",
    "VERDICT:\nAll of it was read.\nACCEPTABLE"
  ])("is not read in %j", (text) => assert.isNull(parseVerdictLine(text)))
})
