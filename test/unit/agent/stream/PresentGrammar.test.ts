// PresentGrammar: one line of each kind that `codex exec --json` writes.
import { assert, describe, it } from "vitest"
import type { AgentItem } from "../../../../src/agent/stream/AgentEvent.ts"
import { commandText, kindOf, presentEvent } from "../../../../src/agent/stream/CodexLines.ts"

const item = (fields: Readonly<Record<string, unknown>>) =>
  presentEvent("item.completed", { item: { id: "item_1", ...fields } })

describe("an event of the present grammar", () => {
  it.each([
    ["thread.started", { thread_id: "t" }, { _tag: "ThreadStarted", threadId: "t" }],
    ["session.created", { session_id: "s" }, { _tag: "SessionCreated", sessionId: "s" }],
    ["turn.started", {}, { _tag: "TurnStarted" }],
    ["turn.failed", { error: { message: "no" } }, { _tag: "TurnFailed", message: "no" }],
    ["turn.failed", {}, { _tag: "TurnFailed", message: "" }],
    ["error", { message: "Quota exceeded." }, { _tag: "Error", message: "Quota exceeded.", reconnecting: false }],
    ["error", { message: "Reconnecting\u2026 1/5" }, {
      _tag: "Error",
      message: "Reconnecting\u2026 1/5",
      reconnecting: true
    }],
    ["error", { message: "Reconnecting... 1/5" }, {
      _tag: "Error",
      message: "Reconnecting... 1/5",
      reconnecting: true
    }],
    ["item.delta", { delta: "x" }, { _tag: "ItemDelta" }]
  ])("%s %j", (type, event, expected) => assert.deepStrictEqual(presentEvent(type, event), expected))

  it("reads the tokens of a turn, and takes zeros for what they are: unknown", () => {
    const usage = { input_tokens: 1234, cached_input_tokens: 200, output_tokens: 567, reasoning_output_tokens: 89 }
    assert.deepStrictEqual(presentEvent("turn.completed", { usage }), {
      _tag: "TurnCompleted",
      usage: { input: 1234, cached: 200, output: 567, reasoning: 89 }
    })
    assert.deepStrictEqual(presentEvent("turn.completed", { usage: { input_tokens: 0 } }), {
      _tag: "TurnCompleted",
      usage: null
    })
  })

  it.each(["item.started", "item.updated", "item.completed"])("%s needs an item with a type", (type) => {
    assert.isNull(presentEvent(type, {}))
    assert.isNull(presentEvent(type, { item: [] }))
    assert.isNull(presentEvent(type, { item: { id: "item_1" } }))
  })

  it("is none without what it is about", () => {
    assert.isNull(presentEvent("thread.started", {}))
    assert.isNull(presentEvent("turn.renamed", {}))
    assert.isNull(presentEvent("toString", {}))
  })
})

describe("an item", () => {
  const items: ReadonlyArray<readonly [Readonly<Record<string, unknown>>, AgentItem]> = [
    [{ type: "agent_message", text: "hi" }, { _tag: "Message", text: "hi" }],
    [{ item_type: "assistant_message", text: "hi" }, { _tag: "Message", text: "hi" }],
    [{ type: "reasoning", text: "hm" }, { _tag: "Reasoning", text: "hm" }],
    [
      { type: "command_execution", command: "ls", aggregated_output: "a\n", exit_code: 3, status: "failed" },
      { _tag: "Command", command: "ls", output: "a\n", exitCode: 3, status: "failed" }
    ],
    [
      { type: "command_execution", command: "ls", aggregated_output: "", exit_code: null, status: "declined" },
      { _tag: "Command", command: "ls", output: "", exitCode: null, status: "declined" }
    ],
    [
      {
        type: "file_change",
        changes: [{ path: "/a", kind: "add" }, { path: "/b", kind: "moved" }, 1],
        status: "completed"
      },
      {
        _tag: "FileChanges",
        changes: [{ path: "/a", kind: "add" }, { path: "/b", kind: "unknown" }],
        status: "completed"
      }
    ],
    [{ type: "todo_list", items: [{ text: "Look", completed: true }, { text: "Do" }] }, {
      _tag: "TodoList",
      items: [{ text: "Look", completed: true }, { text: "Do", completed: false }]
    }],
    [{ type: "mcp_tool_call", server: "t", tool: "ping", status: "completed" }, {
      _tag: "ToolCall",
      server: "t",
      tool: "ping",
      status: "completed"
    }],
    [{ type: "collab_tool_call", tool: "spawn", status: "in_progress" }, {
      _tag: "ToolCall",
      server: "",
      tool: "spawn",
      status: "in_progress"
    }],
    [{ type: "web_search", query: "codex" }, { _tag: "WebSearch", query: "codex" }],
    [{ type: "plan", text: "1. look" }, { _tag: "Plan", text: "1. look" }],
    [{ type: "error", message: "Model metadata not found" }, { _tag: "Warning", message: "Model metadata not found" }],
    [{ type: "hologram" }, { _tag: "UnknownItem", type: "hologram" }],
    [{ type: "constructor" }, { _tag: "UnknownItem", type: "constructor" }]
  ]
  it.each(items)(
    "%j",
    (fields, expected) => assert.deepStrictEqual(item(fields), { _tag: "ItemCompleted", id: "item_1", item: expected })
  )

  it("is no message without a text", () => assert.isNull(item({ type: "agent_message", text: null })))
})

describe("a command", () => {
  it("is its words or its text", () => {
    assert.strictEqual(commandText(["bash", "-lc", "ls", 1]), "bash -lc ls")
    assert.strictEqual(commandText("ls -l"), "ls -l")
    assert.strictEqual(commandText(null), "")
  })
})

describe("a kind of change", () => {
  it("is one of three", () =>
    assert.deepStrictEqual(["add", "delete", "update", "x", 1].map(kindOf), [
      "add",
      "delete",
      "update",
      "unknown",
      "unknown"
    ]))
})
