// MendPrompts: each says what is to be mended, of whom it is asked, and in which form the answer is read.
import { assert, describe, it } from "vitest"
import { type MendAsked, mendCommitPrompt, mendPrompt, remediatePrompt } from "../../../src/drive/Prompts.ts"

const mend = (fields: Partial<MendAsked> = {}) =>
  mendPrompt({
    taskId: "round-1/mend-1",
    command: "npm test",
    exit: 1,
    changed: false,
    timeout: 60_000,
    tail: "1 failing",
    attempt: 1,
    of: 2,
    fingerprints: ["0123456789abcdef"],
    whole: false,
    ...fields
  })

describe("a prompt", () => {
  it("asks to mend red tests", () => {
    const text = mend()
    assert.include(text, "This test ended with exit status 1, twice in a row:\n\n```text\n| npm test\n```")
    assert.include(text, "| 1 failing")
    assert.include(text, "attempt 1 of 2")
    assert.include(text, "task_id: round-1/mend-1\n")
    assert.include(text, "The fingerprints are: 0123456789abcdef.")
    assert.notInclude(text, "all of the above")
    assert.include(mend({ exit: null }), "was killed after 1m 00s")
    assert.include(mend({ changed: true, exit: 0 }), "The code changed while this test ran, three times in a row")
    assert.isTrue(mend({ whole: true }).startsWith("---\n\nAn agent before you was asked all of the above"))
  })

  it("asks to mend what git refuses to commit", () => {
    const round = { taskId: "round-1/mend-2", attempt: 2, of: 2, fingerprints: [], whole: false }
    const text = mendCommitPrompt({ ...round, output: "hook: no" })
    for (const part of ["git refused to commit", "| hook: no", "attempt 2 of 2", "task_id: round-1/mend-2\n"]) {
      assert.include(text, part)
    }
    assert.notInclude(text, "tests are red")
  })

  it("asks a worker for what it left", () => {
    const text = remediatePrompt({ taskId: "round-1/address", issues: "The cache.", fingerprints: [] })
    assert.include(text, "| The cache.")
    assert.include(text, "role: worker\ntask_id: round-1/address\n")
    assert.notInclude(text, "finding <fingerprint>")
  })
})
