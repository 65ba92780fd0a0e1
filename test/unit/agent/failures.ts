// failures: one failure of each type, as an attempt may end.
import type { AgentFailure } from "../../../src/agent/AgentEnding.ts"

const message = "as it was said"

export const failures = {
  Interrupted: { _tag: "Interrupted", message },
  Login: { _tag: "Login", message },
  Quota: { _tag: "Quota", message, until: null },
  RateLimited: { _tag: "RateLimited", message, after: null },
  ContextWindow: { _tag: "ContextWindow", message },
  Overloaded: { _tag: "Overloaded", message },
  Stream: { _tag: "Stream", message },
  SandboxDenied: { _tag: "SandboxDenied", message },
  BadArguments: { _tag: "BadArguments", message },
  Missing: { _tag: "Missing", message },
  Idle: { _tag: "Idle", message, after: 600_000 },
  Deadline: { _tag: "Deadline", message, after: 3_600_000 },
  Crashed: { _tag: "Crashed", message, exit: 1 },
  Empty: { _tag: "Empty", message, unreadable: false }
} as const satisfies Record<AgentFailure["_tag"], AgentFailure>
