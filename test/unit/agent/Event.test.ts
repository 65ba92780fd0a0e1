// Event: the events of agents, and the names of failures in the log.
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import type { AgentFailure } from "../../../src/agent/AgentEnding.ts"
import { FailureTag, TaskEvent } from "../../../src/agent/Event.ts"

// A total map, so that a new failure does not compile before it has a name in the log.
const failures: Record<AgentFailure["_tag"], FailureTag> = {
  Interrupted: "Interrupted",
  Login: "Login",
  Quota: "Quota",
  RateLimited: "RateLimited",
  ContextWindow: "ContextWindow",
  Overloaded: "Overloaded",
  Stream: "Stream",
  SandboxDenied: "SandboxDenied",
  BadArguments: "BadArguments",
  Missing: "Missing",
  Idle: "Idle",
  Deadline: "Deadline",
  Crashed: "Crashed",
  Empty: "Empty"
}

describe("the events of agents", () => {
  it("name every failure that a step can have, and no other", () => {
    assert.sameMembers([...FailureTag.literals], Object.values(failures))
  })

  it("count agents and attempts from 1", () => {
    const stopped = { _tag: "AgentStopped", agent: 1, attempt: 1, cause: "Stop" }
    assert.isTrue(Schema.is(TaskEvent)(stopped))
    assert.isFalse(Schema.is(TaskEvent)({ ...stopped, attempt: 0 }))
  })
})
