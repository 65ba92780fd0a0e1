// ClaudeLines: what each kind of line says, and the recorded streams of the real Claude Code.
// It is total; every recorded stream has its row in the table.
import { readdirSync, readFileSync } from "node:fs"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { AgentEvent } from "../../../../src/agent/stream/AgentEvent.ts"
import { decodeClaudeLine } from "../../../../src/agent/stream/ClaudeLines.ts"
import { type AgentStream, emptyStream, endingOf, evolveStream } from "../../../../src/agent/stream/AgentStream.ts"
import { readEventLines } from "../../../../src/agent/stream/Lines.ts"

const decode = (fields: unknown): ReadonlyArray<AgentEvent> => decodeClaudeLine(JSON.stringify(fields))
const said = (block: unknown, more: Readonly<Record<string, unknown>> = {}) =>
  decode({ type: "assistant", uuid: "u", message: { content: [block] }, parent_tool_use_id: null, ...more })
const gave = (block: unknown, result: unknown = null) =>
  decode({
    type: "user",
    message: { content: [{ type: "tool_result", tool_use_id: "t", ...Object(block) }] },
    tool_use_result: result
  })
    .map((event) => event._tag === "ItemCompleted" ? event.item : event)

/** Lines without a known meaning. */
const odd: ReadonlyArray<readonly [string, ReadonlyArray<AgentEvent>]> = [
  ["", []],
  ["  ", []],
  ["plain", [{ _tag: "Unparsed", line: "plain" }]],
  ["[1]", [{ _tag: "Unknown", type: null, line: "[1]" }]],
  ['{"type":7}', [{ _tag: "Unknown", type: null, line: '{"type":7}' }]],
  ['{"type":"toString"}', [{ _tag: "Unknown", type: "toString", line: '{"type":"toString"}' }]],
  ['{"type":"assistant"}', [{ _tag: "Unknown", type: "assistant", line: '{"type":"assistant"}' }]]
]

describe("a line of Claude Code", () => {
  it.each(odd)("%j is kept as it is", (line, events) => assert.deepStrictEqual(decodeClaudeLine(line), events))

  it("never throws, and gives at least one event", () => {
    const types = fc.constantFrom("system", "assistant", "user", "result", "other")
    fc.assert(fc.property(types, fc.object(), (type, fields) => {
      assert.isNotEmpty(decode({ ...fields, type }))
      assert.isNotEmpty(decode({ ...fields, type, message: { content: [fields] } }))
    }))
  })

  it("names the thread, what was refused, and another try", () => {
    assert.deepStrictEqual(decode({ type: "system", subtype: "init", session_id: "s" }), [
      { _tag: "ThreadStarted", threadId: "s" },
      { _tag: "TurnStarted" }
    ])
    assert.deepStrictEqual(decode({ type: "system", subtype: "permission_denied", message: "no" }), [
      { _tag: "ItemCompleted", id: "", item: { _tag: "Warning", message: "no" } }
    ])
    const task = (subtype: string, fields: object = {}) => decode({ type: "system", subtype, task_id: "b1", ...fields })
    assert.deepStrictEqual(task("task_started"), [{ _tag: "TaskOpened", task: "b1" }])
    assert.deepStrictEqual(task("task_notification"), [{ _tag: "TaskClosed", task: "b1" }])
    assert.deepStrictEqual(task("background_tasks_changed", { tasks: [{ task_id: "b2" }] }), [
      { _tag: "OpenTasks", tasks: ["b2"] }
    ])
    const retry = {
      type: "system",
      subtype: "api_retry",
      attempt: 1,
      max_retries: 2,
      error: "overloaded",
      error_status: 529
    }
    assert.deepStrictEqual(decode(retry), [
      { _tag: "Error", message: "Reconnecting... 1/2 (overloaded, status 529)", reconnecting: true }
    ])
  })

  it("holds what was said, and by whom", () => {
    const text = { type: "text", text: "Hello." }
    const item = { _tag: "Message", text: "Hello." }
    assert.deepStrictEqual(said(text), [{ _tag: "ItemCompleted", id: "u", item }] as never)
    // A helper's word is no answer, nor is an error.
    assert.deepStrictEqual(said(text, { parent_tool_use_id: "t" }), [{ _tag: "ItemUpdated", id: "u", item }] as never)
    assert.deepStrictEqual(said(text, { error: "rate_limit" }), [{
      _tag: "Error",
      message: "Hello.",
      reconnecting: false,
      codes: ["rate_limit"]
    }])
    assert.deepStrictEqual(said({ type: "thinking", thinking: "Hm." }), [
      { _tag: "ItemCompleted", id: "u", item: { _tag: "Reasoning", text: "Hm." } }
    ])
  })

  it.each([
    [{ name: "Bash", input: { command: "make" } }, { _tag: "Command", command: "make", output: "", exitCode: null }],
    [{ name: "Write", input: { file_path: "/a" } }, {
      _tag: "FileChanges",
      changes: [{ path: "/a", kind: "unknown" }]
    }],
    [{ name: "NotebookEdit", input: { notebook_path: "/n" } }, {
      _tag: "FileChanges",
      changes: [{ path: "/n", kind: "unknown" }]
    }],
    [{ name: "Read", input: { file_path: "/a" } }, { _tag: "ToolCall", server: "", tool: "Read" }],
    [{ name: "Edit" }, { _tag: "ToolCall", server: "", tool: "Edit" }]
  ])("says that %j begins", (tool, item) =>
    assert.deepStrictEqual(said({ type: "tool_use", id: "t", ...tool }), [
      { _tag: "ItemStarted", id: "t", item: { ...item, status: "in_progress" } }
    ] as never))

  it.each([
    [{ content: "Exit code 3\nout" }, "Error: x", { _tag: "Command", command: "", output: "out", exitCode: 3 }],
    [{ content: "out" }, { stdout: "out" }, { _tag: "Command", command: "", output: "out", exitCode: 0 }],
    [{ content: "made" }, { type: "create", filePath: "/a" }, {
      _tag: "FileChanges",
      changes: [{ path: "/a", kind: "add" }]
    }],
    [{ content: "done" }, { filePath: "/a" }, { _tag: "FileChanges", changes: [{ path: "/a", kind: "update" }] }],
    [{ content: [{ type: "text", text: "x" }] }, null, { _tag: "ToolCall", server: "", tool: "" }]
  ])("says that %j is done", (block, result, item) => {
    assert.deepStrictEqual(gave(block, result), [{ ...item, status: "completed" }] as never)
    assert.deepStrictEqual(gave({ ...block, is_error: true }, result), [{ ...item, status: "failed" }] as never)
  })

  it("says how the turn ended, with all tokens of its input", () => {
    const usage = {
      input_tokens: 10,
      cache_creation_input_tokens: 3,
      cache_read_input_tokens: 5,
      output_tokens: 7,
      output_tokens_details: { thinking_tokens: 2 }
    }
    const tokens = { input: 18, cached: 5, output: 7, reasoning: 2 }
    const modelUsage = { a: { contextWindow: 1000 }, b: { contextWindow: 200 }, c: {} }
    assert.deepStrictEqual(
      decode({ type: "result", is_error: false, usage, modelUsage, structured_output: { a: 1 } }),
      [
        { _tag: "ItemCompleted", id: "", item: { _tag: "Message", text: '{"a":1}' } },
        { _tag: "TokenCount", usage: tokens, contextWindow: 200, limits: [] },
        { _tag: "TurnCompleted", usage: tokens }
      ]
    )
    assert.deepStrictEqual(decode({ type: "result", usage: {} }), [{ _tag: "TurnCompleted", usage: null }])
  })

  it("takes the text of the result for the answer, unless there is one by a schema", () => {
    const message = (text: string) => ({ _tag: "ItemCompleted", id: "", item: { _tag: "Message", text } })
    const done = { _tag: "TurnCompleted", usage: null }
    assert.deepStrictEqual(decode({ type: "result", result: "status: pass" }) as unknown, [
      message("status: pass"),
      done
    ])
    assert.deepStrictEqual(
      decode({ type: "result", result: "Done.", structured_output: "yes" }) as unknown,
      [message("yes"), done]
    )
    assert.deepStrictEqual(decode({ type: "result", result: " ", structured_output: null }) as unknown, [done])
  })

  it.each([
    [{ is_error: true, result: "Bad key", api_error_status: 401 }, "Bad key (status 401)", ["401"]],
    [{ is_error: true, errors: ["one", "two"], subtype: "error_during_execution" }, "one\ntwo", [
      "error_during_execution"
    ]],
    [{ is_error: true, subtype: "error_max_turns" }, "the turn ended early (error_max_turns)", ["error_max_turns"]],
    // None of these is a success, whatever `is_error` and the exit status say.
    [{ subtype: "error_max_turns", result: "Done." }, "the turn ended early (error_max_turns)", ["error_max_turns"]],
    [{ subtype: "error_max_budget_usd" }, "the turn ended early (error_max_budget_usd)", ["error_max_budget_usd"]],
    [{ subtype: "success", terminal_reason: "aborted_streaming" }, "the turn ended early (aborted_streaming)", [
      "success",
      "aborted_streaming"
    ]],
    [
      { subtype: "success", stop_reason: "tool_use", permission_denials: [{ tool_name: "Bash" }] },
      "the turn ended early (tool_use); these tools were denied: Bash",
      ["success", "tool_use"]
    ],
    [{ subtype: "success", stop_reason: "max_tokens" }, "the turn ended early (max_tokens)", ["success", "max_tokens"]]
  ])(
    "says that the turn did not end: %j",
    (fields, message, codes) =>
      assert.deepStrictEqual(decode({ type: "result", is_error: false, ...fields }), [
        { _tag: "TurnFailed", message, codes }
      ])
  )

  it("with a denied tool does not fail a turn that has ended", () =>
    assert.deepStrictEqual(
      decode({
        type: "result",
        subtype: "success",
        stop_reason: "end_turn",
        permission_denials: [{ tool_name: "Bash" }]
      }),
      [{ _tag: "TurnCompleted", usage: null }]
    ))

  it("names a plan's limit that is used up, and when it is full again", () => {
    const rate_limit_info = { status: "rejected", resetsAt: 1_893_456_000, rateLimitType: "five_hour" }
    assert.deepStrictEqual(decode({ type: "rate_limit_event", rate_limit_info }), [{
      _tag: "Error",
      message: "the five-hour limit is reached",
      reconnecting: false,
      codes: ["usage_limit_reached"],
      until: 1_893_456_000_000
    }])
    const allowed = { ...rate_limit_info, status: "allowed_warning" }
    assert.strictEqual(decode({ type: "rate_limit_event", rate_limit_info: allowed })[0]?._tag, "Unknown")
  })
})

const directory = new URL("../../../../fixtures/agents/", import.meta.url)
const prefix = "claude-2.1.330-"
const names = readdirSync(directory).filter((name) => name.startsWith(prefix))
  .map((name) => name.slice(prefix.length).replace(/\.jsonl$/, ""))

const foldBy = (name: string, size: number): AgentStream => {
  const bytes = readFileSync(new URL(`${prefix}${name}.jsonl`, directory))
  const hearing = readEventLines(decodeClaudeLine)()
  const events: Array<AgentEvent> = []
  for (let at = 0; at < bytes.length; at += size) events.push(...hearing.push(bytes.subarray(at, at + size)))
  return [...events, ...hearing.end()].reduce((stream, event) => evolveStream(stream, event), emptyStream)
}

/** The exit status, how it ended, and the message. */
const ends: Readonly<Record<string, readonly [exit: number, ending: string, message: string | null]>> = {
  success: [0, "Done", "All done."],
  write: [0, "Done", "Written."],
  command: [0, "Done", "Exit code 3\nsaid"],
  schema: [0, "Done", '{"ok":true}'],
  resumed: [0, "Done", "Here."],
  reconnected: [0, "Done", "At last."],
  unauthorized: [1, "Login", null],
  "rate-limit": [1, "RateLimited", null],
  "server-error": [1, "Overloaded", null],
  overloaded: [1, "Overloaded", null],
  "no-credit": [1, "Quota", null],
  context: [1, "ContextWindow", null],
  // Ended from outside: only the stream shows a turn that is still open.
  idle: [143, "Crashed", null]
}

describe("a stream of the real Claude Code", () => {
  it("has a row in the table, each but the one that was refused, whose words are Claude Code's own", () =>
    assert.deepStrictEqual([...names].sort(), [...Object.keys(ends), "refused"].sort()))

  it.each(Object.entries(ends))("%s ends as it did, however its bytes are cut", (name, [exit, ending, message]) => {
    const whole = foldBy(name, Infinity)
    assert.deepStrictEqual([endingOf(whole, exit)._tag, whole.message], [ending, message])
    assert.match(whole.threadId ?? "", /^[0-9a-f-]{36}$/)
    assert.deepStrictEqual(foldBy(name, 1), whole)
  })

  it("that was refused a tool continues to its answer", () => {
    const stream = foldBy("refused", 64)
    assert.deepStrictEqual([endingOf(stream, 0)._tag, stream.turn], ["Done", "completed"])
  })
})
