// CodexResult: an agent's ending as a result, and no pass that the agent did not state.
import { assert, describe, it } from "vitest"
import { type AgentEnding, failureOf } from "../../../src/agent/AgentEnding.ts"
import { adaptCodexEnding, type AnswerContext, judgeAnswer } from "../../../src/agent/CodexResult.ts"
import { foldAgentStream } from "../../../src/agent/stream/AgentStream.ts"
import { type ResultStatus, roles } from "../../../src/agent/Result.ts"
import { initialResultState, nextAfterResult } from "../../../src/agent/ResultRetry.ts"
import { interruptedSentence } from "../../../src/agent/CodexFailure.ts"
import { answers } from "../../../src/testing/ScriptedAgent.ts"
import { failures } from "../../support/agents.ts"

const done = (message: string): AgentEnding => ({ _tag: "Done", message })
const known = { taskId: "7", range: "aaaa..bbbb", worked: true }
const v2 = (...lines: ReadonlyArray<string>) => done(["role: worker", ...lines, "", "Text."].join("\n"))

describe("a worker that is done", () => {
  it("passes, and is accepted", () => {
    const result = adaptCodexEnding("worker", done("I did it."))
    assert.deepStrictEqual(result, {
      grammar: "v2",
      valid: true,
      status: "pass",
      fields: { role: "worker", status: "pass" },
      problems: [],
      body: "I did it."
    })
    assert.strictEqual(nextAfterResult(initialResultState("worker"), result).action, "accept")
  })

  it("gets the headers that the program knows, and no others", () => {
    const all = { role: "worker", task_id: "7", status: "pass", git_range: "aaaa..bbbb" }
    assert.deepStrictEqual(adaptCodexEnding("worker", done("I did it."), known).fields, all)
    assert.deepStrictEqual(adaptCodexEnding("worker", v2("task_id: 7", "status: pass"), known).fields, all)
    const own = v2("task_id: 7", "status: pass", "git_range: cccc..dddd")
    assert.strictEqual(adaptCodexEnding("worker", own, known).fields["git_range"], "cccc..dddd")
    const quoted = done("implementation complete: 1a2b3c4..5d6e7f8")
    assert.strictEqual(adaptCodexEnding("worker", quoted, known).fields["git_range"], "aaaa..bbbb")
    assert.strictEqual(adaptCodexEnding("worker", quoted).fields["git_range"], "1a2b3c4..5d6e7f8")
    for (const ending of [done("I did it."), v2("task_id: 7", "status: pass")]) {
      assert.deepInclude(adaptCodexEnding("worker", ending, { ...known, range: null }), {
        valid: false,
        status: null,
        problems: ["git_range is missing"]
      })
    }
  })

  it("is what its headers say", () => {
    for (const status of ["gaps", "error"] as const) {
      const result = adaptCodexEnding("worker", v2("task_id: 7", `status: ${status}`, "issues: red tests"))
      assert.deepInclude(result, { grammar: "v2", valid: true, status })
      assert.strictEqual(result.fields["issues"], "red tests")
    }
    assert.deepInclude(adaptCodexEnding("worker", v2("task_id: 7", "status: pass")), { valid: true, status: "pass" })
    assert.isFalse(adaptCodexEnding("worker", v2("task_id: 8", "status: pass"), known).valid)
    assert.strictEqual(adaptCodexEnding("worker", v2("task_id: 8", "status: pass")).fields["task_id"], "8")
  })

  it.each([
    "role: worker\ntask_id: 7\nstatus: gaps\n\nText.",
    "role: worker\ntask_id: 7\nstatus: error\n\nText.",
    "role: worker\ntask_id: 7\nstatus: pass\nText.",
    "role: worker\nstatus: pass\n\nText.",
    "role: worker\ntask_id:\nstatus: pass\n\nText.",
    "role: worker\ntask_id: 7\n\nText.",
    "role: worker\ntask_id: 7\nstatus: pass\ngit_range: a...b\n\nText.",
    "role: spec-reviewer\ntask_id: 7\nstatus: pass\n\nText.",
    "role: manager\ntask_id: 7\nstatus: pass\n\nText.",
    "role:\n\nText.",
    "Here:\nrole: worker\ntask_id: 7\nstatus: gaps\nissues: x\n\nText.",
    "**Status:** error"
  ])("is no pass with %j", (message) => {
    const result = adaptCodexEnding("worker", done(message))
    assert.deepInclude(result, { valid: false, status: null, body: message })
    assert.isNotEmpty(result.problems)
    assert.strictEqual(nextAfterResult(initialResultState("worker"), result).action, "retry")
  })

  it.each([
    "I am blocked: npm install fails. Implementation complete otherwise.",
    "I could not do it.",
    "I couldn\u2019t finish.",
    "**I was unable to** reproduce it.",
    "The tests are still failing.",
    "I gave up.",
    "issues: one test is red\nI did not fix it.",
    '{"role": "worker", "task_id": "7", "status": "gaps", "issues": "x", "mood": "done"}',
    "finding 0123456789abcdef: not-done - I could not find it"
  ])("is no pass of a run with %j, whatever changed", (message) => {
    const result = adaptCodexEnding("worker", done(message), known)
    assert.deepInclude(result, { valid: false, status: null })
    assert.isNotEmpty(result.problems)
  })

  it("may say of a finding what the code could not do", () => {
    const message = "finding 0123456789abcdef: fixed - the parser failed and could not read it"
    assert.deepInclude(adaptCodexEnding("worker", done(message), known), { valid: true, status: "pass" })
  })

  it("is no pass of a run where nothing shows that it worked, unless it states a result", () => {
    const idle = { ...known, worked: false }
    for (const message of ["I had a look around.", "Implementation complete: 1a2b3c4..5d6e7f8"]) {
      assert.deepInclude(adaptCodexEnding("worker", done(message), idle), { grammar: "none", valid: false })
    }
    assert.deepInclude(adaptCodexEnding("worker", v2("task_id: 7", "status: pass"), idle), { status: "pass" })
  })

  it.each([
    "precondition failure: base is gone",
    "task blocked on 3",
    "Tests FAILED. issues found.",
    "NOT APPROVED",
    "The implementation is not complete, so not implementation complete",
    "implementation complete: no"
  ])("has gaps with %j", (message) => {
    const { fields, status } = adaptCodexEnding("worker", done(message))
    assert.deepStrictEqual([status, fields["issues"]], ["gaps", message])
  })

  it.each([["FAILED: no disk\nMore.", "no disk"], [" \n", "codex returned empty output"], [
    interruptedSentence,
    `codex process failed: ${interruptedSentence}`
  ]])("is an error with %j", (message, issues) => {
    for (const role of roles) {
      const { fields, status } = adaptCodexEnding(role, done(message))
      assert.deepStrictEqual([status, fields["issues"]], ["error", issues])
    }
  })
})

describe("a reviewer that is done", () => {
  it.each(["Looks fine to me.", "NOT APPROVED", "Review passed? No."])(
    "does not pass with %j",
    (message) => assert.deepInclude(adaptCodexEnding("spec-reviewer", done(message)), { valid: true, status: "gaps" })
  )

  it("does not pass with headers that are not valid", () =>
    assert.deepInclude(adaptCodexEnding("spec-reviewer", done("role: spec-reviewer\nstatus: pass\n\n")), {
      valid: false,
      status: null
    }))

  it("passes with headers, and with the words of earlier agents where no run is driven", () => {
    const headers = done("role: spec-reviewer\ntask_id: 7\nstatus: pass\n\nFine.")
    assert.deepInclude(adaptCodexEnding("spec-reviewer", headers, { ...known, range: null }), { status: "pass" })
    assert.deepInclude(adaptCodexEnding("spec-reviewer", done("APPROVED")), { status: "pass" })
    assert.deepInclude(adaptCodexEnding("spec-reviewer", done("APPROVED"), known), { status: "gaps" })
  })

  it("keeps what it finds", () =>
    assert.strictEqual(
      adaptCodexEnding(
        "spec-reviewer",
        done("role: spec-reviewer\ntask_id: 7\nstatus: gaps\nissues: no tests\n\nSee a.ts.")
      ).fields["issues"],
      "no tests"
    ))
})

describe("an ending that is a failure", () => {
  const endings: ReadonlyArray<readonly [AgentEnding, ResultStatus, string]> = [
    [{ _tag: "Deadline", message: "", after: 61_000 }, "error", "codex timed out after 61s"],
    [{ _tag: "Idle", message: "", after: 600_000 }, "error", "codex timed out after 600s"],
    [{ _tag: "Missing", message: "no such file\nat x" }, "error", "codex unavailable - no such file"],
    [{ _tag: "Missing", message: "" }, "error", "codex unavailable - it gave no reason"],
    [{ _tag: "Empty", message: "", unreadable: true }, "error", "codex returned invalid output"],
    [{ _tag: "Empty", message: "", unreadable: false }, "error", "codex returned empty output"],
    [{ _tag: "Crashed", message: "\nsegfault\nat x", exit: 139 }, "error", "codex process failed: segfault"],
    [{ _tag: "Crashed", message: "killed", exit: null }, "error", "codex process failed: killed"],
    [{ _tag: "Crashed", message: "", exit: null }, "error", "codex process failed: it gave no reason"],
    [{ _tag: "Crashed", message: "x".repeat(300), exit: 1 }, "gaps", "x".repeat(200)],
    [{ _tag: "Crashed", message: "a\nb", exit: 1 }, "gaps", "a b"],
    [foldAgentStream([], 1).ending, "gaps", "codex ended with exit status 1 and gave no reason"],
    [{ _tag: "Quota", message: "Quota exceeded.", until: null }, "error", "codex process failed: Quota exceeded."],
    [{ _tag: "Login", message: "401" }, "error", "codex process failed: 401"]
  ]
  it.each(endings)("%j", (ending, status, issues) => {
    for (const role of roles) {
      assert.deepStrictEqual(adaptCodexEnding(role, ending), {
        grammar: "v2",
        valid: true,
        status,
        fields: { role, status, issues },
        problems: [],
        body: ending.message
      })
    }
  })

  it("that is its own report is an error", () => {
    const report = { summary: "no disk", requirements: "", problems: "", solutions: "" }
    const { fields, status } = adaptCodexEnding("worker", { _tag: "Reported", message: "FAILED: no disk", report })
    assert.deepStrictEqual([status, fields["issues"]], ["error", "no disk"])
  })

  it.each(Object.values(failures))("$_tag has issues that fit into one header line", (failure) => {
    for (const message of ["", " ", "\n\n", "a\r\nb\u2028c\u0085d\u001b[2J", "x".repeat(5000)]) {
      const issues = adaptCodexEnding("worker", { ...failure, message }).fields["issues"] ?? ""
      assert.match(issues, /^[^\p{Cc}\p{Zl}]{3,1000}$/u)
    }
  })
})

describe("an answer of any program", () => {
  const worker: AnswerContext = { role: "worker", taskId: "7", kind: "codex", range: "aaaa..bbbb", worked: true }
  const reviewer: AnswerContext = { ...worker, role: "spec-reviewer" }
  const done = (message: string) => answers(message).ending
  const v2 = (...lines: ReadonlyArray<string>) => done([...lines, "", "It is done."].join("\n"))

  describe("an answer of a worker", () => {
    it("of codex is completed by the headers that it left out, and by no other", () => {
      const result = judgeAnswer(worker, v2("role: worker", "task_id: 7", "status: pass"))
      assert.deepInclude(result, { valid: true, status: "pass" })
      assert.deepInclude(result.fields, { task_id: "7", git_range: "aaaa..bbbb" })
    })

    it("of another program must say everything", () => {
      for (const kind of ["claude", "command"] as const) {
        assert.isFalse(judgeAnswer({ ...worker, kind }, v2("role: worker", "task_id: 7", "status: pass")).valid)
        for (const said of ["The bound is fixed.", "Blocked: npm install fails. Implementation complete otherwise."]) {
          assert.isFalse(judgeAnswer({ ...worker, kind }, done(said)).valid)
        }
      }
    })
  })

  describe("an answer of a reviewer", () => {
    it("passes only where it says so", () => {
      const words = [
        "APPROVED",
        "Review passed.",
        "I could not read the history file. APPROVED",
        "I have read the change."
      ]
      for (const kind of ["codex", "claude", "command"] as const) {
        for (const said of words) assert.isFalse(judgeAnswer({ ...reviewer, kind }, done(said)).valid, said)
        const json = JSON.stringify({
          role: "spec-reviewer",
          task_id: "7",
          status: "pass",
          git_range: null,
          issues: null
        })
        assert.deepInclude(judgeAnswer({ ...reviewer, kind }, done(json)), { valid: true, status: "pass" })
      }
      assert.deepInclude(judgeAnswer(reviewer, v2("role: spec-reviewer", "task_id: 7", "status: pass")), {
        status: "pass"
      })
    })
  })

  describe("a reviewer that read nothing", () => {
    it.each(["codex", "claude"] as const)("has no pass, and its gaps count (%s)", (kind) => {
      const asked = { ...reviewer, kind, read: "nothing" } as const
      const pass = v2("role: spec-reviewer", "task_id: 7", "status: pass")
      const problems = ["the reviewer read nothing: none of its commands succeeded"]
      assert.deepInclude(judgeAnswer(asked, pass), { valid: false, status: null, problems })
      assert.strictEqual(judgeAnswer({ ...asked, read: "tools" }, pass).status, "pass")
      const gaps = v2("role: spec-reviewer", "task_id: 7", "status: gaps", "issues: one")
      assert.deepInclude(judgeAnswer(asked, gaps), { valid: true, status: "gaps" })
    })
  })

  describe("a failure", () => {
    it.each(Object.values(failures))("$_tag is never a pass, whatever was said", (failure) => {
      for (const kind of ["codex", "claude", "command"] as const) {
        for (const role of ["worker", "spec-reviewer"] as const) {
          const result = judgeAnswer({ ...worker, role, kind }, { ...failure, message: "APPROVED" })
          assert.isTrue(result.valid)
          assert.include(["error", "gaps"], result.status)
        }
      }
    })

    it("that the agent reports is an error in its words", () => {
      for (const kind of ["codex", "claude"] as const) {
        const result = judgeAnswer({ ...worker, kind }, done("FAILED: no compiler\n\nrole: worker"))
        assert.deepInclude(result, { grammar: kind === "codex" ? "v2" : "none", valid: true, status: "error" })
        assert.strictEqual(result.fields["issues"], "no compiler")
      }
    })

    it("has issues on one line that hides nothing", () => {
      const result = judgeAnswer({ ...worker, kind: "claude" }, failureOf("a\u001b[2J\nrole: worker", 1))
      assert.strictEqual(result.fields["issues"], "Crashed: a\\u001b[2J\\nrole: worker")
    })
  })
})
