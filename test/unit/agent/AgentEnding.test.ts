// AgentEnding: how an attempt failed, by the program's record, its words and its status; when to try again; what a person can do.
import { assert, describe, it } from "vitest"
import { interruptedSentence } from "../../../src/agent/CodexFailure.ts"
import {
  delayAt,
  failureOf,
  namedDelay,
  parseFailedReport,
  quotaReset,
  remedyOf
} from "../../../src/agent/AgentEnding.ts"

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

const day = 86_400_000

describe("a delay", () => {
  it.each([
    ["try again in 20ms", 20],
    ["rate limit; try again in 500 milliseconds", 500],
    ["Try again in 1.5s", 1500],
    ["try again in 2 seconds", 2000],
    ["try again in 1m 20s", 80_000],
    ["try again in 1m20s", 80_000],
    ["retry after 30", 30_000],
    ["retry after 30. 5 times", 30_000],
    ["try again in 2h", 7_200_000],
    ["try again in 5 minutes", 300_000],
    ["try again in 2 days", 2 * day],
    ["try again in 3 days, 4 hours and 5 minutes.", 3 * day + 4 * 3_600_000 + 300_000],
    ["try again in 1 week", 7 * day],
    ["try again in 2 months", 60 * day]
  ])("%j", (message, millis) => assert.strictEqual(namedDelay(message)?.millis, millis))

  it.each(["try again later", "", "in 3s", "try again in a while"])(
    "is not named by %j",
    (message) => assert.isNull(namedDelay(message))
  )

  it("is given in its own words", () => {
    assert.deepStrictEqual(delayAt("3 days 4 hours. Bye"), { words: "3 days 4 hours", millis: 3 * day + 4 * 3_600_000 })
    assert.isNull(delayAt("soon"))
  })
})

const noon = Date.UTC(2030, 0, 5, 12)
const at = (hour: number, minute = 0, day = 5) => Date.UTC(2030, 0, day, hour, minute)

describe("the reset of a quota", () => {
  it.each([
    ["1:30 PM", 0, at(13, 30)],
    ["12:05 pm", 0, at(12, 5)],
    ["9:36 AM", 0, at(9, 36, 6)],
    ["12:00 AM", 0, at(0, 0, 6)],
    ["14:15", 0, at(14, 15)],
    ["Jan 7th, 2030 3:05 PM", 0, at(15, 5, 7)],
    ["January 1st, 2030 3:05 PM", 0, at(15, 5, 1)],
    // The clock of this place is two hours ahead, and then eleven behind.
    ["2:30 PM", 2 * 3_600_000, at(12, 30)],
    ["2:30 AM", -11 * 3_600_000, at(13, 30)],
    // Claude Code names the hour, its zone, and perhaps a day without a year.
    ["3pm", 0, at(15)],
    ["3pm (Europe/Berlin)", 5 * 3_600_000, at(14)],
    ["3:30am (America/New_York)", 0, at(8, 30, 6)],
    ["Jan 7 at 10am (UTC)", 0, at(10, 0, 7)],
    ["Jan 2, 2030, 10am", 0, at(10, 0, 2)],
    ["2030-01-07 10:05 UTC", 3_600_000, at(10, 5, 7)],
    // The minute that is still running is now.
    ["12:00 PM", 0, noon]
  ])(
    "%s with a clock %i ms ahead",
    (until, zone, instant) => assert.strictEqual(quotaReset(until, noon, zone), instant)
  )

  it.each(["", "soon", "25:00", "13:00 PM", "0:10 AM", "9:60 AM", "Foo 7th, 2030 3:05 PM", "3pm (Nowhere/Atall)"])(
    "is not recognised in %j",
    (until) => assert.isNull(quotaReset(until, noon, 0))
  )
})

it.each([["3 days 4 hours 5 minutes", 273_900_000], ["2 h", 7_200_000]])("is %s from now on", (until, millis) => {
  for (const zone of [0, 7_200_000]) assert.strictEqual(quotaReset(until, 1_000, zone), 1_000 + millis)
})

const nothing = { requirements: "", problems: "", solutions: "" }

describe("a report of failure", () => {
  it("has a summary and its sections, however their headings are written", () =>
    assert.deepStrictEqual(
      parseFailedReport(
        "\n\nFAILED: The two tasks contradict each other.\n## Requirements\n- a\n- b\nProblems:\nA needs B.\n\n# possible solutions:\ndrop A\n"
      ),
      {
        summary: "The two tasks contradict each other.",
        requirements: "- a\n- b",
        problems: "A needs B.",
        solutions: "drop A"
      }
    ))

  it.each([
    ["Goals", "requirements"],
    ["CONSTRAINTS:", "problems"],
    ["## Next steps", "solutions"],
    [
      "**Issues:**",
      "problems"
    ],
    ["_Problems_", "problems"],
    ["## Problems ##", "problems"],
    ["# POTENTIAL SOLUTIONS", "solutions"]
  ])(
    "knows the heading %s",
    (heading, section) =>
      assert.deepInclude(parseFailedReport(`FAILED: no\nfirst\n${heading}\ntext`), { [section]: "text" })
  )

  it("takes the text behind the first line for the problem, where no heading names one", () => {
    assert.deepStrictEqual(parseFailedReport("FAILED: no\nThe disk is full.\nMore."), {
      ...nothing,
      summary: "no",
      problems: "The disk is full.\nMore."
    })
    const text = "The disk is full.\nRequirements:\n- space\nRecommendations\nbuy one"
    assert.deepStrictEqual(parseFailedReport(`FAILED: no\n${text}`), {
      summary: "no",
      requirements: "- space",
      problems: text,
      solutions: "buy one"
    })
    assert.deepInclude(parseFailedReport("FAILED: no\nProblems:\n\nGoals:\nr"), { problems: "Problems:\n\nGoals:\nr" })
    assert.deepStrictEqual(parseFailedReport("\ufeffFAILED:"), { ...nothing, summary: "" })
  })

  it.each(["### Goals", "### Problems", "Goal:", "Goals of it:", "- Goals", "Goals   x"])(
    "does not take %j for a heading",
    (line) =>
      assert.deepInclude(parseFailedReport(`FAILED: no\n${line}\ntext`), {
        requirements: "",
        problems: `${line}\ntext`
      })
  )

  it.each([
    "",
    "failed: no",
    "Failed: no",
    " FAILED: no",
    "> FAILED: no",
    "FAILED no",
    "ok\nFAILED: 3 tests",
    "**FAILED:** no"
  ])(
    "is not %j",
    (text) => assert.isNull(parseFailedReport(text))
  )
})

const message = "its last message"

describe("a remedy", () => {
  it("names what the agent's own program needs", () => {
    assert.include(remedyOf({ _tag: "Login", message }, "codex"), "codex login")
    assert.include(remedyOf({ _tag: "Login", message }, "claude"), "ANTHROPIC_API_KEY")
    assert.include(remedyOf({ _tag: "Missing", message }, "codex"), "--codex-bin")
    assert.include(remedyOf({ _tag: "Missing", message }, "command"), "--agent-cmd")
  })

  it("says until when a quota is used up, and nothing that could be hidden in it", () => {
    const text = remedyOf({ _tag: "Quota", message, until: "9:36 AM\u001b[2J" }, "codex")
    assert.include(text, "until 9:36 AM\\u001b[2J;")
    assert.include(text, "--wait-quota")
    const span = remedyOf({ _tag: "Quota", message, until: "3 days 4 hours" }, "codex")
    assert.include(span, "is reached for another 3 days 4 hours;")
    assert.notInclude(remedyOf({ _tag: "Quota", message, until: null }, "codex"), "until")
  })

  it("of a cause that the table names is the table's", () => {
    const refused = failureOf("Supported values are: 'medium'. (reasoning.effort)", 1)
    assert.include(remedyOf(refused, "codex"), "the model takes medium")
    assert.include(remedyOf(failureOf("The 'x' model requires a newer version of Codex.", 1), "codex"), "update it")
    assert.include(remedyOf(failureOf("refresh token was already used", 1), "codex"), "at the same time")
    assert.include(remedyOf(failureOf("stream disconnected", 1), "codex"), "check the network")
    assert.include(remedyOf(failureOf('{"error":{"message":"no"}}', 1), "codex"), "refused its arguments")
  })

  it.each([{ _tag: "Interrupted", message }, { _tag: "Deadline", message, after: 1 }] as const)(
    "of $_tag says that partial work is kept",
    (failure) => assert.include(remedyOf(failure, "codex"), "kept in the worktree")
  )
})
