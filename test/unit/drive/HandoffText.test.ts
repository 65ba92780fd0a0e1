// HandoffText: a person reads what happened, what is asked, and how to go on.
import { assert, describe, it } from "vitest"
import {
  agentFailed,
  commitRefused,
  consentNeeded,
  gitStateChanged,
  type RedTests,
  taskBlocked,
  testsFailed
} from "../../../src/drive/words.ts"

const again = "call `ooda-codex-review converge ...` again"
const red = (fields: Partial<RedTests> = {}) =>
  testsFailed({
    call: "converge",
    run: "r1",
    round: 1,
    command: "npm test",
    exit: 1,
    changed: false,
    timeout: 60_000,
    tail: "1 failing",
    file: "/state/test-1.out",
    restored: false,
    ...fields
  })

describe("a text for a person", () => {
  it("tells of red tests after an agent, and where its work is", () => {
    for (
      const part of ["stay red", "exit status 1", "| npm test", "| 1 failing", "/state/test-1.out", "undo r1", again]
    ) {
      assert.include(red(), part)
    }
    assert.include(red({ exit: null }), "was killed after 1m 00s")
    const changed = red({ changed: true, exit: 0 })
    assert.include(changed, "The code changed while this test ran, three times in a row:\n\n```text\n| npm test\n```")
    assert.notInclude(changed, "exit status")
    assert.include(red({ restored: true }), "was put back to where the round began")
    assert.notInclude(red({ restored: true }), "undo r1")
  })

  it("tells of tests that are red while no agent is at work", () => {
    const text = red({ round: 0 })
    assert.include(text, "red, and no agent is at work")
    assert.include(text, "--allow red-baseline")
    assert.notInclude(text, "undo r1")
  })

  it("tells of a commit that git refused", () => {
    const text = commitRefused({ call: "converge", run: "r1", output: "hook: no", restored: false })
    for (const part of ["refused to commit", "| hook: no", "undo r1", again]) assert.include(text, part)
    assert.include(
      commitRefused({ call: "converge", run: "r1", output: "", restored: true }),
      "was put back to where the round began"
    )
  })

  it("asks for consent", () => {
    const text = consentNeeded("An agent would run without a sandbox: --allow unsandboxed", "converge")
    assert.include(text, "| An agent would run without a sandbox: --allow unsandboxed")
    assert.include(text, again)
  })

  it("tells why a task is blocked", () => {
    const none = {
      call: "converge" as const,
      run: "r1",
      taskId: "round-1/address",
      problems: [],
      issues: null,
      protectedFiles: [],
      isOver: false
    }
    const bare = taskBlocked(none)
    for (const part of ["task round-1/address", "undo r1", again, "--mark-address-passed", "--allow rejected-result"]) {
      assert.include(bare, part)
    }
    for (const part of ["no agent may change", "What is wrong", "is left:"]) assert.notInclude(bare, part)
    const full = taskBlocked({
      ...none,
      problems: ["status is missing"],
      issues: "The cache.",
      protectedFiles: ["a.lock"],
      isOver: true
    })
    for (const part of ["| status is missing", "| The cache.", "| a.lock", "--fresh"]) assert.include(full, part)
    assert.notInclude(full, "--allow")
    const marks = "a task that says `done: true` counts as done"
    assert.notInclude(full, marks)
    assert.include(taskBlocked({ ...none, call: "implement", protectedFiles: ["plan.md"] }), marks)
  })

  it("tells how an agent failed", () => {
    const failed = {
      call: "converge" as const,
      run: "r1",
      taskId: "round-1/address",
      ending: "Login",
      message: "401",
      remedy: "run `codex login`",
      isRejected: false
    }
    const text = agentFailed({ ...failed, report: null })
    for (const part of ["(Login)", "What you can do: run `codex login`", "| 401", "undo r1", again]) {
      assert.include(text, part)
    }
    assert.notInclude(text, "--allow")
    const last = agentFailed({ ...failed, report: null, isRejected: true })
    for (const part of [again, "--allow rejected-result"]) assert.include(last, part)
    assert.include(agentFailed({ ...failed, message: " ", remedy: null, report: null }), "It said nothing.")
  })

  it("shows the sections of an agent's own report", () => {
    const report = { summary: "No network.", requirements: "", problems: "The proxy.", solutions: "Open it." }
    const text = agentFailed({
      call: "converge" as const,
      run: "r1",
      taskId: "t",
      ending: "Reported",
      message: "x",
      remedy: null,
      report,
      isRejected: true
    })
    for (const part of ["| No network.", "| The proxy.", "| Open it."]) assert.include(text, part)
    for (const part of ["What it was to do", "What you can do", "It ended with"]) assert.notInclude(text, part)
  })

  it("tells which parts of git's state changed, and how to look", () => {
    const text = gitStateChanged({ call: "converge", run: "r1", parts: ["refs", "hooks"] })
    for (const part of ["| refs\n| hooks", "git reflog", "nothing was put back", "undo r1", again]) {
      assert.include(text, part)
    }
  })
})
