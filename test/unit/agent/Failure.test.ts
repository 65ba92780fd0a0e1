// Failure: what codex's last lines say about why it failed.
// The one rule: every message here is one that codex prints; errors it survived are not failures.
import { assert, describe, it } from "vitest"
import { causeOf, failure, failureFrom, lastError } from "../../../src/agent/CodexFailure.ts"
import { isTransient, remedy } from "../../../src/run/ReviewTokens.ts"

const interrupted = "codex\nReview was interrupted. Please re-run /review and wait for it to complete.\n"
const ended = (message: string) => `user\ncurrent changes\nERROR: ${message}\n${interrupted}ERROR: ${message}\n`

describe("failureFrom", () => {
  it.each([
    ["exceeded retry limit, last status: 429 Too Many Requests", "RateLimited"],
    ["rate limit exceeded: slow down please", "RateLimited"],
    ["You’ve hit your usage limit. Upgrade to Pro or try again at 9:36 AM.", "Quota"],
    ["To use Codex with your ChatGPT plan, upgrade to Plus: https://openai.com/chatgpt", "Quota"],
    ["Quota exceeded. Check your plan and billing details.", "Quota"],
    ["unexpected status 401 Unauthorized: Missing bearer, url: http://x/v1/responses", "NotLoggedIn"],
    ["unexpected status 403 Forbidden: no, url: http://x/v1/responses", "NotLoggedIn"],
    ["Missing environment variable: `MOCK_KEY`.", "NotLoggedIn"],
    ["unexpected status 503 Service Unavailable: later, url: http://x/v1/responses", "ServerError"],
    ["We’re currently experiencing high demand, which may cause temporary errors.", "ServerError"],
    ["stream disconnected before completion: stream closed before response.completed", "StreamLost"],
    ["stream disconnected before completion: idle timeout waiting for SSE", "StreamLost"],
    ["Selected model is at capacity. Please try a different model.", "Overloaded"],
    ["The model `gpt-0` does not exist or you do not have access to it.", "ModelNotFound"],
    ["Codex ran out of room in the model's context window. Start a new thread.", "ContextTooLarge"],
    ['{\n  "error": {\n    "message": "Unknown parameter"\n  }\n}', "BadArguments"],
    ["Incomplete response returned, reason: max_output_tokens", "Unknown"]
  ])("%j is %s", (message, kind) => {
    const failure = failureFrom(ended(message))
    assert.strictEqual(failure.kind, kind)
    assert.strictEqual(failure.transient, isTransient(failure.kind))
    assert.notInclude(failure.message, "\n")
    assert.include(failure.message, message.slice(0, 8).replace("’", "'").split("\n")[0] ?? "")
  })

  it.each([
    ["Not inside a trusted directory and --skip-git-repo-check was not specified.\n", "NotTrusted"],
    ["No prompt provided via stdin.\n", "BadArguments"],
    ["Error: Specify --uncommitted, --base, --commit, or provide custom review instructions\n", "BadArguments"],
    [
      "error: unexpected argument '--json' found\n\nUsage: codex review [OPTIONS] [PROMPT]\n\n" +
      "For more information, try '--help'.\n",
      "BadArguments"
    ],
    [
      "Error: Model provider `nosuch` not found\n\nStack backtrace:\n   0: main\n             at ./x.rs:1\n",
      "ModelNotFound"
    ],
    ["Error: Missing optional dependency @openai/codex-linux-x64\n", "MissingBinary"],
    ["", "Unknown"],
    ["killed in the middle of things", "Unknown"]
  ])("%j is %s", (tail, kind) => assert.strictEqual(failureFrom(tail).kind, kind))

  it("does not count errors that were survived", () => {
    assert.strictEqual(
      failureFrom("ERROR: Reconnecting... 2/5 (stream disconnected before completion)\n").kind,
      "Unknown"
    )
    assert.strictEqual(
      failureFrom(`ERROR: rate limit exceeded\n${"output of a command\n".repeat(40)}`).kind,
      "Unknown"
    )
    assert.strictEqual(
      failureFrom(`ERROR: rate limit exceeded\n${ended("Quota exceeded. Check your plan and billing details.")}`).kind,
      "Quota"
    )
  })

  it("keeps a hostile message on one line, without control characters", () => {
    const { message } = failureFrom(ended("bad\u001b[31m\r\n::error::x\u202e"))
    assert.strictEqual(message, "bad ::error::x")
    assert.isAtMost(failureFrom(ended("x".repeat(100000))).message.length, 500)
  })
})

describe("a failure of a known kind", () => {
  it("says whether to try again, and what to do", () =>
    assert.deepStrictEqual(failure("Quota", "used up"), {
      kind: "Quota",
      transient: isTransient("Quota"),
      message: "used up",
      remedy: remedy("Quota")
    }))
})

describe("the last error of a transcript", () => {
  it("is what codex ended with, as it stands, or nothing", () => {
    assert.strictEqual(lastError("starting\nerror: bad flag\n\nUsage: codex\n"), "error: bad flag")
    assert.strictEqual(lastError("all is well\n"), "")
  })
})

it("names the causes that Claude Code tells of in its own words", () => {
  assert.strictEqual(causeOf("Credit balance is too low (status 400)"), "Quota")
  assert.strictEqual(causeOf("Prompt is too long (status 400)"), "ContextTooLarge")
  assert.strictEqual(causeOf("Invalid API key (status 401)"), "NotLoggedIn")
})
