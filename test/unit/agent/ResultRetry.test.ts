// ResultRetry: three counters that do not depend on one another, and the preamble of the one retry.
import { assert, describe, it } from "vitest"
import { decodeResult, type Role } from "../../../src/agent/Result.ts"
import { initialResultState, isRetryPrompt, nextAfterResult, retryPreamble } from "../../../src/agent/ResultRetry.ts"

const invalid = { valid: false, status: null } as const
const gaps = { valid: true, status: "gaps" } as const
const error = { valid: true, status: "error" } as const
const pass = { valid: true, status: "pass" } as const

const actions = (role: Role, ...results: ReadonlyArray<typeof invalid | typeof gaps | typeof error | typeof pass>) => {
  let state = initialResultState(role)
  return results.map((result) => {
    const next = nextAfterResult(state, result)
    state = next.state
    return next.action
  })
}

describe("what follows a result", () => {
  it("is to accept a pass", () => assert.deepStrictEqual(actions("worker", pass), ["accept"]))

  it("is one retry, then a block, for a worker", () =>
    assert.deepStrictEqual(actions("worker", invalid, invalid), ["retry", "block"]))

  it("is one retry, then one fresh reviewer without one, then a block", () =>
    assert.deepStrictEqual(actions("spec-reviewer", invalid, invalid, invalid), ["retry", "replace", "block"]))

  it("is one fresh agent for a failure", () =>
    assert.deepStrictEqual(actions("worker", error, error), ["spawn", "block"]))

  it("is to fix it twice, and to ask a person at the third rejection", () =>
    assert.deepStrictEqual(actions("code-quality-reviewer", gaps, gaps, gaps), ["remediate", "remediate", "block"]))

  it("counts each kind for itself: one task may use all of them", () =>
    assert.deepStrictEqual(actions("worker", gaps, invalid, error, gaps, pass), [
      "remediate",
      "retry",
      "spawn",
      "remediate",
      "accept"
    ]))
})

describe("the preamble of a retry", () => {
  it.each(["worker", "code-quality-reviewer"] as const)("says to a %s why and how, and is recognised", (role) => {
    const text = retryPreamble({ role, taskId: "7" }, ["status is missing"])
    assert.isTrue(isRetryPrompt(`${text}Do the task.`))
    assert.isFalse(isRetryPrompt("Do the task."))
    assert.match(text.split("\n")[0] ?? "", /could not be used: status is missing/)
    assert.include(text, `role: ${role}\ntask_id: 7\n`)
    assert.strictEqual(text.includes("git_range"), role === "worker")
    assert.match(text, /\n---\n$/)
  })

  it("names headers that make a valid result", () => {
    const preamble = retryPreamble({ role: "worker", taskId: "7" }, [])
    const headers = preamble.slice(preamble.indexOf("role:"), preamble.indexOf("\n\nPut"))
    const filled = headers.replace("pass|gaps|error", "pass").replace(/<base>.*/, "a..b").replace(/<what.*/, "none")
    assert.isTrue(decodeResult(`${filled}\n\n`, { role: "worker", taskId: "7" }).valid, filled)
  })
})
