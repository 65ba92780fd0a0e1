import { assert, describe, it } from "vitest"
import { failureOf, remedyOf } from "../../../src/agent/AgentEnding.ts"

const message = "as it was said"

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
