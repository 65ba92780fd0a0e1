import { assert, describe, it } from "vitest"
import { failureOf } from "../../../src/agent/AgentEnding.ts"
import { type AnswerContext, judgeAnswer } from "../../../src/agent/CodexResult.ts"
import { answers } from "../../../src/testing/ScriptedAgent.ts"
import { failures } from "./failures.ts"

const worker: AnswerContext = { role: "worker", taskId: "7", kind: "codex", range: "aaaa..bbbb", worked: true }
const reviewer: AnswerContext = { ...worker, role: "spec-reviewer" }
const done = (message: string) => answers(message).ending
const v2 = (...lines: ReadonlyArray<string>) => done([...lines, "", "It is done."].join("\n"))

describe("an answer of a worker", () => {
  it("of codex passes without headers, with the range that the program knows", () => {
    const result = judgeAnswer(worker, done("The bound is mended."))
    assert.deepInclude(result, { grammar: "v2", valid: true, status: "pass" })
    assert.deepInclude(result.fields, { task_id: "7", git_range: "aaaa..bbbb" })
  })

  it("of codex is completed by the headers that it left out, and by no other", () => {
    const result = judgeAnswer(worker, v2("role: worker", "task_id: 7", "status: pass"))
    assert.deepInclude(result, { valid: true, status: "pass" })
    assert.deepInclude(result.fields, { task_id: "7", git_range: "aaaa..bbbb" })
    const own = judgeAnswer(worker, v2("role: worker", "task_id: 7", "status: pass", "git_range: cccc..dddd"))
    assert.strictEqual(own.fields["git_range"], "cccc..dddd")
    assert.isFalse(judgeAnswer(worker, v2("role: worker", "status: pass")).valid)
    assert.isFalse(judgeAnswer(worker, v2("role: worker", "task_id: 8", "status: pass")).valid)
    assert.isFalse(judgeAnswer(worker, v2("role: worker", "status: maybe")).valid)
    assert.isFalse(judgeAnswer(worker, v2("role: worker", "status: gaps")).valid)
  })

  it("is asked for its range where nobody knows it", () => {
    for (const ending of [done("Mended."), v2("role: worker", "task_id: 7", "status: pass")]) {
      const result = judgeAnswer({ ...worker, range: null }, ending)
      assert.deepInclude(result, { valid: false, problems: ["git_range is missing"] })
    }
  })

  it("of another program must say everything", () => {
    for (const kind of ["claude", "command"] as const) {
      assert.isFalse(judgeAnswer({ ...worker, kind }, v2("role: worker", "task_id: 7", "status: pass")).valid)
      for (const said of ["The bound is mended.", "Blocked: npm install fails. Implementation complete otherwise."]) {
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

  it("is told in one line that hides nothing", () => {
    const result = judgeAnswer({ ...worker, kind: "claude" }, failureOf("a\u001b[2J\nrole: worker", 1))
    assert.strictEqual(result.fields["issues"], "Crashed: a\\u001b[2J\\nrole: worker")
  })
})
