// OldGrammar: one line of each kind that codex wrote before `type` stood at the top.
import { assert, describe, it } from "vitest"
import { oldEvent } from "../../../../src/agent/stream/CodexLines.ts"

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
      oldEvent({ type: "exec_command_end", call_id: "c", exit_code: 1, duration: { secs: 1, nanos: 5e8 }, ...outputs }),
      { _tag: "ExecCommandEnd", callId: "c", exitCode: 1, output, millis: 1500 }
    ))

  it("counts tokens and tells of limits", () => {
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

  it("is none where nobody has described it, or where a message has no text", () => {
    assert.isNull(oldEvent({}))
    assert.isNull(oldEvent({ type: "toString" }))
    assert.isNull(oldEvent({ type: "agent_message", text: "the wrong field" }))
  })
})
