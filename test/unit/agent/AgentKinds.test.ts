// A host chooses which agents a call can have.
import { Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { Agent, AgentKinds } from "../../../src/agent/Agent.ts"
import { Memory } from "../../../src/testing.ts"

it("each kind is a layer of agents", async () => {
  const kinds = AgentKinds.of({ of: (kind) => Layer.provide(Memory.agents({ kind }), Memory.world()) })
  const kind = Effect.provide(Agent.useSync((agent) => agent.kind), kinds.of("claude", null))
  assert.strictEqual(await Effect.runPromise(kind), "claude")
})
