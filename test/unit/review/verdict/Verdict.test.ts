// Verdict: the class of a body and of a session's review_output.
// Findings outweigh everything; without findings, not having seen the change outweighs every verdict.
import { assert, describe, it } from "vitest"
import { classifyBody, classifyReviewOutput, type Verdict } from "../../../../src/review/verdict/Verdict.ts"

const say = ({ findings, reason, _tag }: Verdict): string => `${_tag} ${reason} ${findings.length}`
const classed = (body: string): string => say(classifyBody(body))
const rendered = "Review comment:\n\n- [P1] Guard — a.ts:1-1\n  May be null."
const correct = { findings: [], overall_correctness: "patch is correct", overall_explanation: "All callers agree." }
const json = (fields: object): string => JSON.stringify({ ...correct, ...fields })

describe("classifyBody", () => {
  it.each([
    ["", "NoReview empty-body 0"],
    ["Reviewer failed to output a response.\n", "NoReview fixed-sentence 0"],
    [`No issues.\n\n${rendered}`, "HasIssues rendered-findings 1"],
    [`I could not access the diff.\n\n${rendered}`, "HasIssues rendered-findings 1"],
    ["No issues found.", "Clean no-defect-stated 0"],
    [json({}), "Clean json-no-findings 0"],
    ['{"findings": []}', "Clean json-no-findings 0"],
    [json({ overall_correctness: "patch is incorrect" }), "HasIssues json-incorrect 0"],
    [json({ findings: [{ title: "a" }] }), "HasIssues json-findings 1"],
    [json({ overall_explanation: "The diff could not be read." }), "NoReview diff-not-seen 0"],
    [json({ overall_explanation: "- [P1] Guard against null" }), "HasIssues listed-findings 1"],
    [json({ overall_explanation: `See below.\n\n${rendered}` }), "HasIssues rendered-findings 1"],
    [json({ overall_correctness: "", overall_explanation: "It must be freed." }), "HasIssues in-doubt 0"],
    [`I could not access the diff.\n${json({})}`, "NoReview diff-not-seen 0"],
    [`It must be freed.\n${json({})}`, "HasIssues in-doubt 0"],
    [json({ status: "fail" }), "HasIssues json-incorrect 0"],
    [json({ critical_issues: ["Data loss"] }), "HasIssues json-findings 1"],
    [`{"findings":[{"title":"a"}],"findings":[],"overall_correctness":"patch is correct"}`, "HasIssues json-broken 0"],
    [`Here is my review:\n${json({})}`, "Clean json-no-findings 0"],
    ['{"findings": [{"title": "cut', "HasIssues json-findings 1"],
    [`${json({})}\n{"findings": [{"title": "cut`, "HasIssues json-findings 1"],
    [json({ error: "the sandbox denied all reads" }), "NoReview tools-failed 0"],
    [json({ overall_explanation: json({ findings: [{ title: "a" }] }) }), "HasIssues json-findings 1"],
    [json({ overall_explanation: "It is fine and tested. ".repeat(1000) }), "HasIssues too-long 0"],
    ['{"findings": [{"body": "a "b" c"}]}', "HasIssues json-broken 0"],
    ['{"findings": [], "overall_corr', "NoReview json-broken 0"],
    [
      '{"findings":[],"overall_correctness":"patch is correct","overall_explanation":"a "b" c"}',
      "NoReview json-broken 0"
    ]
  ])("%j is %s", (body, expected) => assert.strictEqual(classed(body), expected))

  it("does not take a JSON object without findings for a review", () =>
    assert.strictEqual(classed('{"state": "ok"}'), "NoReview json-broken 0"))

  it.each([
    "\u001b[31mcodex\u001b[0m\n::error::\u202e",
    "HandoffAgent: AddressBatch\n  prompt: rm -rf",
    "Review comment:\n\n- ::error:: — ../../etc/passwd:1-1\n",
    "\ud800\udfff\ud800",
    "\u0000".repeat(50),
    '{"findings":[[[[[[',
    `{"findings":${"[".repeat(20000)}`,
    `{"findings":${"[".repeat(20000)}${"]".repeat(20000)}}`
  ])("does not find %j clean", (body) => assert.notStrictEqual(classifyBody(body)._tag, "Clean"))
})

describe("classifyReviewOutput", () => {
  const session = (output: unknown, body: string | null = "No issues found.") => {
    const { decided, verdict } = classifyReviewOutput(output, body)
    return `${say(verdict)}${decided ? "" : " by the body"}`
  }
  const finding = {
    title: "[P1] Guard",
    body: "b",
    priority: 1,
    confidence_score: 0.5,
    code_location: { absolute_file_path: "/r/a.ts", line_range: { start: 1, end: 1 } }
  }

  it.each([
    ["no review", null, "NoReview session-no-review 0"],
    ["correct", correct, "Clean session-correct 0"],
    ["findings", { ...correct, findings: [finding] }, "HasIssues session-findings 1"],
    [
      "incorrect, no findings",
      { ...correct, overall_correctness: "patch is incorrect" },
      "HasIssues session-incorrect 0"
    ],
    [
      "correct, not seen",
      { ...correct, overall_explanation: "I could not access the diff." },
      "NoReview diff-not-seen 0"
    ],
    [
      "incorrect, not seen",
      { ...correct, overall_correctness: "patch is incorrect", overall_explanation: "The diff could not be read." },
      "NoReview diff-not-seen 0"
    ],
    [
      "findings, not all seen",
      { ...correct, findings: [finding], overall_explanation: "I could not access the rest of the diff." },
      "HasIssues session-findings 1"
    ],
    ["correct, and silent", { ...correct, overall_explanation: " " }, "NoReview session-no-review 0"],
    [
      "incorrect, and silent",
      { ...correct, overall_correctness: "patch is incorrect", overall_explanation: "" },
      "HasIssues session-incorrect 0"
    ],
    ["nothing there", { ...correct, overall_explanation: "The diff is empty." }, "NoReview nothing-to-review 0"],
    ["correct, but listing", { ...correct, overall_explanation: "- [P2] Rename it" }, "HasIssues listed-findings 1"],
    [
      "correct, and described",
      { ...correct, overall_explanation: "It returns stale rows by design." },
      "Clean session-correct 0"
    ],
    [
      "unparsed",
      { findings: [], overall_correctness: "", overall_explanation: "The change is correct." },
      "Clean no-defect-stated 0 by the body"
    ],
    [
      "unparsed, and printed in part",
      { findings: [], overall_correctness: "", overall_explanation: "The change is correct.\n\n- [P1] Close the file" },
      "HasIssues listed-findings 1"
    ],
    ["not an object", "text", "Clean no-defect-stated 0 by the body"],
    ["another shape", { result: [] }, "Clean no-defect-stated 0 by the body"]
  ])("%s", (_, output, expected) => assert.strictEqual(session(output), expected))

  it("uses the body of an unparsed answer itself if there is none", () => {
    const unparsed = { findings: [], overall_correctness: "", overall_explanation: "It must be freed." }
    assert.strictEqual(session(unparsed, null), "HasIssues in-doubt 0")
    assert.strictEqual(session("text", null), "NoReview empty-body 0")
  })
})

it("a megabyte of bullets can be judged", () =>
  assert.strictEqual(classifyBody("- a bullet\n".repeat(100_000))._tag, "HasIssues"))
