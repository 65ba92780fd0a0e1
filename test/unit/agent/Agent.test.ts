import { assert, describe, it } from "vitest"
import { AgentFault } from "../../../src/agent/Agent.ts"

describe("a fault of an agent's machine", () => {
  it("says in one line what was tried and why it failed", () => {
    const fault = new AgentFault({ what: "starting agent 1, attempt 1", reason: { _tag: "BeingStarted" } })
    assert.strictEqual(fault.message, "starting agent 1, attempt 1: they are already being started; call again")
  })

  it("names the way out where the program's own records could be changed", () => {
    const reason = { _tag: "StateInWorktree", root: "/w/state", worktree: "/w" } as const
    assert.match(new AgentFault({ what: "starting", reason }).message, /^starting: .*\/w\/state .* \/w; .*--state-root/)
  })
})
