import { Schema } from "effect"
import { assert, it } from "vitest"
import { AgentKind } from "../../../src/log/Refs.ts"

it("an agent is codex, Claude Code or any other command", () => {
  assert.deepStrictEqual([...AgentKind.literals], ["codex", "claude", "command"])
  assert.isFalse(Schema.is(AgentKind)("gemini"))
})
