// Result: header lines or JSON that state a result, and the words of earlier agents.
import { assert, describe, it } from "vitest"
import {
  decodeResult,
  decodeStated,
  isRange,
  legacyResult,
  resultJsonSchema,
  type Role,
  toHeaders
} from "../../../src/agent/Result.ts"

const worker = { role: "worker", taskId: "7" } as const
const good = "role: worker\ntask_id: 7\nstatus: pass\ngit_range: 1a2b3c4..5d6e7f8\n\nDone."
const of = (text: string, role: Role = "worker") => decodeResult(text, { role, taskId: "7" })
const without = (name: string) => good.split("\n").filter((line) => !line.startsWith(name)).join("\n")

describe("a result of version 2", () => {
  it("is its headers", () =>
    assert.deepStrictEqual(decodeResult(good, worker), {
      grammar: "v2",
      valid: true,
      status: "pass",
      fields: { role: "worker", task_id: "7", status: "pass", git_range: "1a2b3c4..5d6e7f8" },
      problems: []
    }))

  it.each([
    ["a byte order mark", `\ufeff${good}`],
    ["CRLF", good.replaceAll("\n", "\r\n")],
    ["no blank behind a colon", good.replaceAll(": ", ":")],
    ["blanks at the ends of lines", good.replaceAll("\n", "  \n")],
    ["optional headers", good.replace("\n\n", "\nfiles_changed: a, b\nconfidence: high\n\n")],
    ["no free text", good.replace("\n\nDone.", "\n")]
  ])("may have %s", (_, text) => assert.isTrue(of(text).valid, text))

  it.each(["gaps", "error"] as const)("that says %s needs issues and no range", (status) => {
    const text = `role: worker\ntask_id: 7\nstatus: ${status}\n`
    assert.deepInclude(of(`${text}issues: the tests are red\n\n`), { valid: true, status })
    assert.deepInclude(of(`${text}\n`), { valid: false, status: null, problems: ["issues is missing"] })
  })

  it("of a reviewer needs no range, and either reviewer may be asked", () => {
    const text = "role: spec-reviewer\ntask_id: 7\nstatus: pass\n\nFine."
    assert.isTrue(of(text, "spec-reviewer").valid)
    assert.isTrue(of(text, "code-quality-reviewer").valid)
    assert.deepStrictEqual(of(text).problems, ["role must be worker"])
    assert.deepStrictEqual(of(good, "spec-reviewer").problems, ["role must be spec-reviewer"])
  })

  it.each([
    ["no task", without("task_id"), /^task_id is missing/],
    ["another task", good.replace("7", "8"), /^task_id must be 7/],
    ["no status", without("status"), /^status is missing/],
    ["another status", good.replace("pass", "ok"), /^status must be one of/],
    ["no range", without("git_range"), /^git_range is missing/],
    ["a broken range", good.replace("..", "..."), /^git_range must be/],
    ["a header twice", good.replace("status", "task_id: 7\nstatus"), /^header task_id appears twice/],
    ["text behind the headers", good.replace("\n\n", "\n"), /^a blank line must follow/],
    ["an address behind the headers", good.replace("\n\nDone.", "\nhttps://x.org"), /^a blank line must follow/]
  ])("is not valid with %s", (_, text, problem) => {
    const { grammar, problems, status, valid } = of(text)
    assert.deepStrictEqual([grammar, valid, status], ["v2", false, null])
    assert.match(problems.join("\n"), problem)
  })

  it.each([["text before it", `Here:\n${good}`], ["a blank line before it", `\n${good}`]])(
    "is invalid with %s",
    (_, text) => assert.notStrictEqual(of(text).grammar, "v2")
  )

  it.each(["manager", "", "Worker", "worker spec-reviewer", "work"])("is no result with the role %j", (role) => {
    const { problems, ...result } = of(good.replace("worker", role))
    assert.deepStrictEqual(result, { grammar: "none", valid: false, status: null, fields: {} })
    assert.match(problems.join("\n"), /^role must be one of/)
  })

  it.each(["Role: worker", " role: worker", "**role:** worker", "role : worker"])(
    "is invalid where it begins with %j",
    (first) => assert.deepInclude(of(good.replace("role: worker", first)), { grammar: "none", valid: false })
  )

  it("needs no range where the program finds it out", () => {
    const text = without("git_range")
    assert.deepInclude(decodeStated(text, worker, false), { valid: true, status: "pass" })
    assert.isFalse(decodeStated(good.replace("..", "..."), worker, false).valid)
    assert.isFalse(decodeStated(without("task_id"), worker, false).valid)
  })

  it("keeps names that objects have by themselves", () =>
    assert.strictEqual(of(good.replace("\n\n", "\nconstructor: x\n\n")).fields["constructor"], "x"))
})

describe("a reviewer's pass", () => {
  const headers = "role: spec-reviewer\ntask_id: 7\nstatus: pass\n"
  it.each(["parser crashes", "[critical] a.ts:1", "1"])(
    "that names issues is not valid: %j",
    (issues) =>
      assert.deepInclude(of(`${headers}issues: ${issues}\n\n`, "spec-reviewer"), {
        valid: false,
        status: null,
        problems: ["a pass must name no issues"]
      })
  )

  it.each(["", "none", "None.", "0", "n/a"])(
    "may say that there are no issues: %j",
    (issues) => assert.isTrue(of(`${headers}issues: ${issues}\n\n`, "spec-reviewer").valid)
  )
})

describe("a result in JSON", () => {
  const fields = {
    role: "worker",
    task_id: "7",
    status: "pass",
    git_range: "a..b",
    issues: null,
    text: "Done.\nDONE: 0"
  }
  const json = (change: Readonly<Record<string, unknown>> = {}) => JSON.stringify({ ...fields, ...change })
  const headers = "role: worker\ntask_id: 7\nstatus: pass\ngit_range: a..b\n\nDone.\nDONE: 0"

  it("is the same as in headers, with its text below them", () => {
    assert.strictEqual(toHeaders(json()), headers)
    assert.deepStrictEqual(of(json()), of(headers))
    assert.strictEqual(toHeaders(`\`\`\`json\n${json()}\n\`\`\``), headers)
    const { text: _text, issues: _issues, ...few } = fields
    assert.isTrue(of(JSON.stringify(few)).valid)
  })

  it("is asked for with all its fields and no others", () => {
    const { role: _role, ...others } = fields
    assert.deepNestedInclude(resultJsonSchema(worker), {
      required: ["role", ...Object.keys(others)],
      additionalProperties: false,
      "properties.role.enum": ["worker"],
      "properties.task_id.enum": ["7"]
    })
  })

  it.each([
    ["another task", json({ task_id: "8" })],
    ["another role", json({ role: "manager" })],
    ["another status", json({ status: "passed" })],
    ["gaps without issues", json({ status: "gaps" })],
    ["no range", json({ git_range: null })],
    ["a field of its own", json({ mood: "implementation incomplete" })],
    ["a field that is no text", json({ issues: ["x"] })],
    ["a status that appears twice", json().replace('"status"', '"status":"gaps","status"')],
    ["an escaped key that appears twice", json().replace('"status"', '"status":"gaps","st\\u0061tus"')],
    ["text around it", `Here:\n${json()}`],
    ["a line break in a header", json({ task_id: "7\nstatus: pass" })]
  ])("is not valid with %s", (_, text) => {
    const { status, valid } = of(text)
    assert.deepStrictEqual([valid, status], [false, null])
  })

  it("with one odd field has the problem of this field", () =>
    assert.match(of(json({ issues: ["x"] })).problems.join(), /^issues: /))

  it("may hold the report of a failure as its text", () =>
    assert.strictEqual(toHeaders(json({ status: "error", issues: "x", text: "FAILED: no disk" })), "FAILED: no disk"))

  it("leaves any other text as it is", () => {
    for (const text of [headers, "{}", "[]", "null", '"role"', "", json().slice(1), '{"verdict": "ACCEPTABLE"}']) {
      assert.strictEqual(toHeaders(text), text)
    }
  })
})

describe("a stated result", () => {
  it("is never one in the words of earlier agents", () => {
    for (const text of ["APPROVED", "Implementation complete: 1a2b3c4..5d6e7f8", "Review passed", "FAILED"]) {
      assert.deepInclude(decodeStated(text, worker), { grammar: "none", valid: false, status: null })
      assert.deepInclude(of(text), { grammar: "legacy", valid: true })
    }
  })
})

describe("a range", () => {
  it.each(["1a2b3c4..5d6e7f8", "main..HEAD", "v1.0..v1.1", "HEAD~2..@"])(
    "is %s",
    (text) => assert.isTrue(isRange(text))
  )
  it.each(["", "..", "a..", "..b", "a...b", "a..b..c", "a b..c", "-x..y", "a"])(
    "is not %j",
    (text) => assert.isFalse(isRange(text))
  )
})

describe("a message without headers", () => {
  it.each([
    "Review passed.",
    "The change is spec compliant.",
    "APPROVED",
    "Implementation complete: 1a2b3c4..5d6e7f8",
    "Review passed. No issues found.",
    "APPROVED - 0 issues found",
    "Spec compliant",
    "implementation complete",
    "spec compliance review passed.",
    "**APPROVED**",
    "\u2705 Spec compliant",
    "- Spec compliant: yes",
    "- [x] Spec compliant",
    "Review passed, nothing blocking.",
    "Review passed with no blocking issues.",
    "Review passed: nothing is missing.",
    "APPROVED\nNo issues found.",
    "APPROVED, no further changes needed",
    "The implementation is complete, and 0 tests failed.",
    "Implementation complete: the parser now checks if the file exists.",
    "Implementation complete. I did not touch the public API.",
    "I did not touch the public API.\n\nImplementation complete."
  ])("%j passes", (text) => assert.deepInclude(legacyResult(text), { grammar: "legacy", valid: true, status: "pass" }))

  it.each([
    "FAILED",
    "Two issues found in a.ts",
    "precondition failure: no database",
    "Task blocked on task 3",
    "Review loop exceeded",
    "NOT APPROVED",
    "This is not yet spec compliant.",
    "I can't call this APPROVED",
    "Review passed, but issues found in b.ts",
    "Review passed, although the build once failed.",
    "APPROVED. 3 tests FAILED.",
    "APPROVED. 3 failed, 12 passed.",
    "APPROVED, REJECTED",
    "Alice: APPROVED. Bob: NOT APPROVED.",
    "No doubt: issues found. APPROVED",
    "Finding text says: APPROVED. I could not do the task.",
    "Implementation complete, all tests fail.",
    '"Implementation complete" is what the issue says; I did not do it.',
    "I am blocked: npm install fails. Implementation complete otherwise.",
    "Review passed.\nissues: two",
    "Implementation complete.\nstatus: gaps"
  ])(
    "%j has gaps",
    (text) => assert.deepInclude(legacyResult(text), { grammar: "legacy", valid: true, status: "gaps" })
  )

  it.each([
    "NOT **APPROVED**",
    "**NOT** APPROVED",
    "not `APPROVED`",
    'not "APPROVED"',
    "not \u2018APPROVED\u2019",
    "not-APPROVED",
    "NOT_APPROVED",
    "UN-APPROVED",
    "not, APPROVED",
    "not (yet) APPROVED",
    "not \u2013 APPROVED",
    "no\u200bt APPROVED",
    "isnt APPROVED",
    "[ ] APPROVED",
    "- [ ] Spec compliant",
    "\u2610 APPROVED",
    "The change is non-spec-compliant.",
    "not\nAPPROVED",
    "This change is not\nspec compliant",
    "I do not think this can be APPROVED",
    "I don't believe that this work can be APPROVED",
    "I don\u2019t believe that this work can be APPROVED",
    "not in any way fully APPROVED",
    "It is not the case that the review passed",
    "Not only spec compliant but fast",
    "nothing APPROVED",
    "hardly APPROVED",
    "far from spec compliant",
    "failed to be spec compliant",
    "unable to call it spec compliant",
    "refuse to mark this APPROVED",
    "would be APPROVED if the tests passed",
    "Verdict: REJECTED (the last one was APPROVED)"
  ])("%j is taken back before the words", (text) => assert.strictEqual(legacyResult(text).status, "gaps"))

  it.each([
    "Spec compliant: no",
    "Spec compliant\nNo",
    "spec compliant? No.",
    "- Spec compliant: \u274c",
    "APPROVED: no",
    "APPROVED = false",
    "APPROVED [ ]",
    "APPROVED with conditions: fix the docs",
    "review passed: false",
    "Review passed? Absolutely not.",
    "Review passed, or not",
    "Spec compliant: it is not.",
    "Is the implementation complete? No",
    "The implementation complete? not yet",
    "implementation complete: not",
    "implementation complete except for X",
    "APPROVED, if the tests pass",
    "APPROVED once the docs are there",
    "APPROVED, but the tests do not pass",
    "APPROVED, but a.ts is not done"
  ])("%j is taken back behind the words", (text) => assert.strictEqual(legacyResult(text).status, "gaps"))

  it.each(["", "Done.", "The plan was approved by the team.", "The build failed once.", "No issues found."])(
    "%j says neither",
    (text) => {
      const { grammar, problems, status, valid } = legacyResult(text)
      assert.deepStrictEqual([grammar, valid, status, problems.length], ["none", false, null, 1])
    }
  )

  it("keeps a range from anywhere", () =>
    assert.deepStrictEqual(legacyResult("Review passed for 1a2b3c4..5d6e7f8.").fields, {
      git_range: "1a2b3c4..5d6e7f8"
    }))
})
