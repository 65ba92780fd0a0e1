// AgentEnding: the failures that codex's own messages tell of, and those that only a status tells.
import { assert, describe, it } from "vitest"
import { interruptedSentence } from "../../../src/agent/CodexFailure.ts"
import { failureOf } from "../../../src/agent/AgentEnding.ts"

describe("a failure by its message", () => {
  it.each([
    ["unexpected status 401 Unauthorized: no, url: http://x", "Login"],
    ["Missing environment variable: `MOCK_KEY`.", "Login"],
    ["Quota exceeded. Check your plan and billing details.", "Quota"],
    ["exceeded retry limit, last status: 429 Too Many Requests", "RateLimited"],
    ["Codex ran out of room in the model's context window. Start a new thread.", "ContextWindow"],
    ["We\u2019re currently experiencing high demand, which may cause temporary errors.", "Overloaded"],
    ["unexpected status 503 Service Unavailable: later", "Overloaded"],
    ["Selected model is at capacity. Please try a different model.", "Overloaded"],
    ["stream disconnected before completion: idle timeout waiting for SSE", "Stream"],
    ["the sandbox denied the command", "SandboxDenied"],
    ["Operation not permitted (sandbox)", "SandboxDenied"],
    ["Your refresh token was revoked. Please log out and sign in again.", "Login"],
    ["The model `gpt-0` does not exist", "BadArguments"],
    ["Missing optional dependency @openai/codex-linux-x64", "Missing"],
    [interruptedSentence, "Interrupted"],
    ["turn interrupted", "Interrupted"],
    ["something else", "Crashed"]
  ])("%j is %s, whatever the status", (message, tag) => {
    for (const exit of [0, 1, null]) {
      const failure = failureOf(message, exit)
      assert.deepStrictEqual([failure._tag, failure.message], [tag, message])
    }
  })

  it("keeps the time at which a quota begins anew, in the service's words", () => {
    assert.deepInclude(failureOf("You\u2019ve hit your usage limit. Upgrade to Pro or try again at 9:36 AM.", 1), {
      _tag: "Quota",
      until: "9:36 AM"
    })
    assert.deepInclude(failureOf("You've hit your usage limit. Try again at Nov 23rd, 2026 9:36 AM.", 1), {
      until: "Nov 23rd, 2026 9:36 AM"
    })
    assert.deepInclude(failureOf("Quota exceeded.", 1), { until: null })
    assert.deepInclude(failureOf("You've hit your usage limit. Try again in 3 days 4 hours 5 minutes.", 1), {
      until: "3 days 4 hours 5 minutes"
    })
  })

  it.each([
    ["You've hit your session limit · resets 3pm (Europe/Berlin)", "3pm (Europe/Berlin)"],
    ["You've hit your weekly limit · resets Oct 9 at 10am", "Oct 9 at 10am"],
    ["Claude AI usage limit reached|1893456000", "2030-01-01 00:00 UTC"],
    ['{"error":{"type":"usage_limit_reached","message":"Used up","resets_at":1893456000}}', "2030-01-01 00:00 UTC"]
  ])(
    "keeps the reset of %j",
    (message, until) =>
      assert.deepInclude(failureOf(message, 1, { codes: ["rate_limit", "429"] }), { _tag: "Quota", message, until })
  )

  it("takes the program's own record before its words", () => {
    const recorded = { codes: ["usage_limit_reached"], until: 1_893_456_000_000 }
    assert.deepInclude(failureOf("rate limited", 1, recorded), { _tag: "Quota", until: "2030-01-01 00:00 UTC" })
    assert.strictEqual(failureOf("no", 1, { codes: ["model_not_found", "404"] })._tag, "BadArguments")
    assert.strictEqual(failureOf("no", 1, { codes: ["unknown", "407"] })._tag, "BadArguments")
    assert.strictEqual(failureOf("no", 1, { codes: ["server_error"] })._tag, "Stream")
  })

  it("keeps the delay that a service names", () =>
    assert.deepInclude(failureOf("rate limit exceeded: Please try again in 1.5s.", 1), { after: 1500 }))
})

describe("a failure by its status", () => {
  it.each([[2, "BadArguments"], [126, "Missing"], [127, "Missing"], [130, "Interrupted"], [101, "Crashed"], [
    137,
    "Crashed"
  ]])(
    "%i is %s",
    (exit, tag) => assert.strictEqual(failureOf("", exit)._tag, tag)
  )

  it("keeps the status of a crash", () => {
    assert.deepInclude(failureOf("", 143), { exit: 143 })
    assert.deepInclude(failureOf("", null), { _tag: "Crashed", exit: null })
  })
})
