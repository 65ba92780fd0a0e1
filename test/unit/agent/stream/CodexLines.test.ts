// CodexLines: each line of codex's present and old grammar, and unknown lines.
import { assert, describe, it } from "vitest"
import { decodeAgentLine, oldEvent, presentEvent } from "../../../../src/agent/stream/CodexLines.ts"
import type { AgentItem } from "../../../../src/agent/stream/AgentEvent.ts"

const of = (value: unknown) => decodeAgentLine(JSON.stringify(value))

describe("decodeAgentLine", () => {
  it.each(["", "   ", "\t\r"])("gives nothing for the blank line %j", (line) => assert.isNull(decodeAgentLine(line)))

  it.each(["{", "codex", '{"type":', "\u0000", "NaN"])(
    "keeps %j, which is no JSON",
    (line) => assert.deepStrictEqual(decodeAgentLine(line), { _tag: "Unparsed", line })
  )

  it.each(["[]", "1", "null", '"turn.failed"', "{}", '{"msg":1}', '{"type":1}'])(
    "keeps %s, which has no meaning",
    (line) => assert.deepStrictEqual(decodeAgentLine(line), { _tag: "Unknown", type: null, line })
  )

  it("keeps an unknown type, in either grammar", () => {
    assert.deepInclude(of({ type: "thread.renamed" }), { _tag: "Unknown", type: "thread.renamed" })
    assert.deepInclude(of({ type: "__proto__" }), { _tag: "Unknown", type: "__proto__" })
    assert.deepInclude(of({ id: "0", msg: { type: "constructor" } }), { _tag: "Unknown", type: "constructor" })
  })

  it("reads the banner by any of its names, but only where nothing else says what the line is", () => {
    const line = { model: "gpt-5", provider: "openai", sandbox: "read-only", approval: "never" }
    assert.deepStrictEqual(of(line), { _tag: "Started", model: "gpt-5", provider: "openai", sandbox: "read-only" })
    assert.deepStrictEqual(of({ sandbox: null }), { _tag: "Started", model: null, provider: null, sandbox: null })
    assert.deepStrictEqual(of({ ...line, type: "turn.started" }), { _tag: "TurnStarted" })
    assert.deepInclude(of({ ...line, msg: { type: "task_started" } }), { _tag: "TaskStarted" })
  })

  it("prefers a type to a msg", () =>
    assert.deepStrictEqual(of({ type: "turn.started", msg: { type: "task_started" } }), { _tag: "TurnStarted" }))
})

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

  it("is null without its required fields", () => {
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

describe("the old grammar", () => {
  describe("an event of the old grammar", () => {
    it.each([
      [{ type: "task_started", model_context_window: 272000 }, { _tag: "TaskStarted", contextWindow: 272000 }],
      [{ type: "task_started" }, { _tag: "TaskStarted", contextWindow: null }],
      [{ type: "agent_reasoning", text: "hm" }, { _tag: "AgentReasoning", text: "hm" }],
      [{ type: "agent_reasoning_section_break" }, { _tag: "AgentReasoningSectionBreak" }],
      [{ type: "agent_message", message: "done" }, { _tag: "AgentMessage", message: "done" }],
      [{ type: "exec_command_begin", call_id: "c", command: ["bash", "-lc", "ls"], cwd: "/code" }, {
        _tag: "ExecCommandBegin",
        callId: "c",
        command: "bash -lc ls",
        cwd: "/code"
      }],
      [{ type: "exec_command_begin", call_id: "c", command: "ls" }, {
        _tag: "ExecCommandBegin",
        callId: "c",
        command: "ls",
        cwd: null
      }],
      [{ type: "exec_command_output_delta", call_id: "c", chunk: "aGk=" }, {
        _tag: "ExecCommandOutputDelta",
        callId: "c"
      }],
      [{
        type: "plan_update",
        explanation: null,
        plan: [{ step: "Look", status: "completed" }, { step: "Do", status: "pending" }]
      }, {
        _tag: "PlanUpdate",
        explanation: null,
        plan: [{ text: "Look", completed: true }, { text: "Do", completed: false }]
      }],
      [{ type: "turn_diff", unified_diff: "--- a" }, { _tag: "TurnDiff", diff: "--- a" }],
      [{
        type: "patch_apply_begin",
        changes: { "a.txt": { add: { content: "x" } }, "b.txt": { type: "delete" }, "c.txt": 1 }
      }, {
        _tag: "PatchApplyBegin",
        changes: [{ path: "a.txt", kind: "add" }, { path: "b.txt", kind: "delete" }, { path: "c.txt", kind: "unknown" }]
      }],
      [{ type: "patch_apply_end", success: true }, { _tag: "PatchApplyEnd", success: true }],
      [{ type: "task_complete", last_agent_message: "bye" }, { _tag: "TaskComplete", lastMessage: "bye" }]
    ])("%j", (msg, expected) => assert.deepStrictEqual(oldEvent(msg), expected))

    it.each([
      [{ formatted_output: "f", aggregated_output: "a", stdout: "s" }, "f"],
      [{ formatted_output: null, aggregated_output: "a", stdout: "s" }, "a"],
      [{ formatted_output: "", stdout: "s" }, ""],
      [{ stdout: "s" }, "s"],
      [{}, ""]
    ])("shows the first output that a command's end has: %j", (outputs, output) =>
      assert.deepStrictEqual(
        oldEvent({
          type: "exec_command_end",
          call_id: "c",
          exit_code: 1,
          duration: { secs: 1, nanos: 5e8 },
          ...outputs
        }),
        { _tag: "ExecCommandEnd", callId: "c", exitCode: 1, output, millis: 1500 }
      ))

    it("counts tokens and reads limits", () => {
      const total = { input_tokens: 9, cached_input_tokens: 3, output_tokens: 2, reasoning_output_tokens: 1 }
      assert.deepStrictEqual(
        oldEvent({
          type: "token_count",
          info: { total_token_usage: total, model_context_window: 100 },
          rate_limits: { primary: { used_percent: 12.5, window_minutes: 300, resets_in_seconds: 60 }, secondary: null }
        }),
        {
          _tag: "TokenCount",
          usage: { input: 9, cached: 3, output: 2, reasoning: 1 },
          contextWindow: 100,
          limits: [{ usedPercent: 12.5, minutes: 300, resetsInSeconds: 60 }]
        }
      )
      assert.deepStrictEqual(oldEvent({ type: "token_count", info: null }), {
        _tag: "TokenCount",
        usage: null,
        contextWindow: null,
        limits: []
      })
    })

    it("is ignored where it is unknown, or where a message has no text", () => {
      assert.isNull(oldEvent({}))
      assert.isNull(oldEvent({ type: "toString" }))
      assert.isNull(oldEvent({ type: "agent_message", text: "the wrong field" }))
    })
  })
})
