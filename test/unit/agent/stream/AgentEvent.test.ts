// AgentEvent: plain data, a tag for each kind of line, items with tags of their own.
import { assert, expectTypeOf, it } from "vitest"
import type { AgentEvent, AgentItem } from "../../../../src/agent/stream/AgentEvent.ts"
import { decodeAgentLine } from "../../../../src/agent/stream/CodexLines.ts"

it("is what a decoder gives, and can be written as JSON", () => {
  const event = decodeAgentLine('{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"hi"}}')
  assert.deepStrictEqual(JSON.parse(JSON.stringify(event)), event)
  expectTypeOf(decodeAgentLine).returns.toEqualTypeOf<AgentEvent | null>()
})

it("keeps the line of what it does not know, and the type of an item that it does not know", () => {
  expectTypeOf<Extract<AgentEvent, { readonly _tag: "Unknown" | "Unparsed" }>>().toHaveProperty("line")
  expectTypeOf<Extract<AgentItem, { readonly _tag: "UnknownItem" }>>().toHaveProperty("type")
})
