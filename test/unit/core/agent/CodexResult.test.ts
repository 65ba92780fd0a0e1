// CodexResult: every ending of a codex agent as a result, and no pass that a reviewer did not say.
import { assert, describe, it } from "vitest"
import type { AgentEnding } from "../../../../src/core/agent/AgentEnding.ts"
import type { ResultStatus } from "../../../../src/core/agent/Result.ts"
import { adaptCodexEnding } from "../../../../src/core/agent/CodexResult.ts"

const done = (message: string): AgentEnding => ({ _tag: "Done", message })

describe("a codex agent's ending", () => {
  it("that is done is a worker's pass", () =>
    assert.deepStrictEqual(adaptCodexEnding("worker", done("I did it.")), {
      role: "worker",
      status: "pass",
      issues: null,
      body: "I did it."
    }))

  it("that is done with headers is what a worker's headers say", () => {
    const text = (status: string) =>
      `role: worker\ntask_id: 7\nstatus: ${status}\ngit_range: a..b\nissues: red tests\n\n`
    assert.deepInclude(adaptCodexEnding("worker", done(text("gaps"))), { status: "gaps", issues: "red tests" })
    assert.deepInclude(adaptCodexEnding("worker", done(text("error"))), { status: "error", issues: "red tests" })
    assert.deepInclude(adaptCodexEnding("worker", done(text("pass"))), { status: "pass", issues: null })
  })

  it.each(["Looks fine to me.", "", "NOT APPROVED", "role: spec-reviewer\nstatus: pass\n\n"])(
    "is no reviewer's pass with %j",
    (message) => assert.strictEqual(adaptCodexEnding("spec-reviewer", done(message)).status, "gaps")
  )

  it.each(["APPROVED", "role: spec-reviewer\ntask_id: 7\nstatus: pass\n\nFine."])(
    "is a reviewer's pass with %j",
    (message) => assert.deepInclude(adaptCodexEnding("spec-reviewer", done(message)), { status: "pass", issues: null })
  )

  it("keeps what a reviewer finds", () =>
    assert.deepInclude(
      adaptCodexEnding(
        "spec-reviewer",
        done("role: spec-reviewer\ntask_id: 7\nstatus: gaps\nissues: no tests\n\nSee a.ts.")
      ),
      { status: "gaps", issues: "no tests" }
    ))

  const endings: ReadonlyArray<readonly [AgentEnding, ResultStatus, string]> = [
    [{ _tag: "Deadline", message: "", after: 61_000 }, "error", "codex timed out after 61s"],
    [{ _tag: "Idle", message: "", after: 600_000 }, "error", "codex timed out after 600s"],
    [{ _tag: "Missing", message: "no such file\nat x" }, "error", "codex unavailable - no such file"],
    [{ _tag: "Empty", message: "", unreadable: true }, "error", "codex returned invalid output"],
    [{ _tag: "Empty", message: "", unreadable: false }, "error", "codex returned empty output"],
    [{ _tag: "Crashed", message: "\nsegfault\nat x", exit: 139 }, "error", "codex process failed: segfault"],
    [{ _tag: "Crashed", message: "killed", exit: null }, "error", "codex process failed: killed"],
    [{ _tag: "Crashed", message: "x".repeat(300), exit: 1 }, "gaps", "x".repeat(200)],
    [{ _tag: "Quota", message: "Quota exceeded.", until: null }, "error", "codex process failed: Quota exceeded."],
    [{ _tag: "Login", message: "401" }, "error", "codex process failed: 401"]
  ]
  it.each(endings)("%j", (ending, status, issues) => {
    for (const role of ["worker", "spec-reviewer"] as const) {
      assert.deepInclude(adaptCodexEnding(role, ending), { role, status, issues })
    }
  })

  it("that is its own report of failure is an error", () => {
    const report = { summary: "no disk", requirements: "", problems: "", solutions: "" }
    assert.deepInclude(adaptCodexEnding("worker", { _tag: "Reported", message: "FAILED: no disk", report }), {
      status: "error",
      issues: "no disk"
    })
  })
})
