// Reading: what the records of a reviewer's commands show: that it read something, that it read nothing, or neither.
import { assert, describe, it } from "vitest"
import {
  type CommandCounts,
  ranFrom,
  readBy,
  sessionReader,
  transcriptReader
} from "../../../../src/review/verdict/Reading.ts"

const transcript = (...lines: ReadonlyArray<string>): CommandCounts => {
  const reader = transcriptReader()
  lines.forEach(reader.take)
  return reader.ran()
}
const block = (result: string, ...output: ReadonlyArray<string>): ReadonlyArray<string> => [
  "exec",
  "/bin/bash -lc 'git diff' in /repo",
  ` ${result} in 12ms:`,
  ...output
]
const shown = (...lines: ReadonlyArray<string>) => readBy({ session: null, transcript: transcript(...lines) })

describe("a transcript", () => {
  it("shows nothing without a command", () => {
    assert.strictEqual(shown("user", "current changes", "codex", "No issues."), "not-shown")
    assert.strictEqual(readBy({ session: null, transcript: null }), "not-shown")
  })

  it("shows that something was read by one successful command", () => {
    assert.strictEqual(shown(...block("succeeded", "diff")), "tools")
    assert.strictEqual(shown(...block("exited 128", "fatal"), ...block("succeeded")), "tools")
  })

  it("shows that nothing was read if every command failed", () => {
    assert.strictEqual(shown(...block("exited 1", "bwrap: no permissions")), "nothing")
    assert.strictEqual(shown(...block("exited -1"), ...block("exited 137")), "nothing")
  })

  it("counts a hunk that a failed command printed", () =>
    assert.strictEqual(shown(...block("exited 1", "@@ -1 +1,2 @@", "+two")), "tools"))

  it("ignores results that a command printed", () =>
    assert.strictEqual(shown(...block("exited 1", " succeeded in 1ms:", "codex", " succeeded in 2ms:")), "nothing"))

  it.each([
    ["mcp: graph/lookup started", "mcp: graph/lookup (failed)", "user cancelled MCP tool call"],
    ['tool graph.lookup({"name":"a"})', 'graph.lookup({"name":"a"}) failed in 2ms:'],
    ["tool: lookup (cancelled)"]
  ])("shows that nothing was read if the call of a tool failed: %s", (...lines) => {
    assert.strictEqual(shown(...lines), "nothing")
    assert.strictEqual(shown(...lines, ...block("succeeded")), "tools")
  })

  it("does not say what a tool has read that ended well, or whether one was tried that never started", () => {
    assert.strictEqual(shown("mcp: graph/lookup started", "mcp: graph/lookup (completed)"), "not-shown")
    assert.strictEqual(shown("mcp: graph failed: no such file", "mcp: graph startup failed"), "not-shown")
  })

  it("knows the results of commands that ran in parallel", () => {
    const [exec = "", one = ""] = block("")
    assert.deepInclude(transcript(exec, one, exec, one, " exited 1 in 3ms:", " succeeded in 5ms:"), {
      succeeded: 1,
      failed: 1,
      unknown: 0
    })
  })
})

describe("a session", () => {
  const output = (text: string) => ({ type: "function_call_output", call_id: "1", output: text })
  const session = (...payloads: ReadonlyArray<Readonly<Record<string, unknown>>>): CommandCounts => {
    const reader = sessionReader()
    for (const payload of payloads) reader.take(payload, true)
    return reader.ran(true)
  }
  const read = (...payloads: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
    readBy({ session: session(...payloads), transcript: null })
  const call = { type: "function_call", name: "exec_command", arguments: '{"cmd":"git diff"}', call_id: "1" }
  const item = (exit: number, text = "", id = "1") => ({
    type: "item_completed",
    item: {
      type: "CommandExecution",
      id,
      command: ["bash", "-lc", "git diff"],
      exit_code: exit,
      aggregated_output: text
    }
  })
  const complete = { type: "task_complete" }
  const exited = (status: number, text = "") =>
    output(`Chunk ID: 1\nProcess exited with code ${status}\nOutput:\n${text}`)

  it("without a command read nothing, once it is complete", () => {
    assert.strictEqual(read(complete), "nothing")
    assert.strictEqual(read(), "not-shown")
  })

  it.each(
    [
      ["a command that ended with 0", [call, exited(0)], "tools"],
      ["one that failed", [call, exited(1)], "nothing"],
      ["one that failed behind a hunk", [call, exited(1, "@@ -1 +1 @@")], "tools"],
      [
        "one that failed and printed the record of a success",
        [call, exited(1, "Process exited with code 0")],
        "nothing"
      ],
      ["one that was refused", [call, output("approval policy is Never; reject command")], "nothing"],
      ["one without an end", [call], "nothing"],
      ["an item of success", [item(0)], "tools"],
      ["an item of failure", [item(-1)], "nothing"],
      ["an item of failure with a hunk", [item(1, "@@ -1 +1 @@")], "tools"],
      ["another tool's success", [call, output("Plan updated")], "nothing"]
    ] as const
  )("shows %s", (_, payloads, expected) => assert.strictEqual(read(...payloads, complete), expected))

  const script = { type: "custom_tool_call", name: "exec", input: "text(r)", call_id: "2" }
  const printed = (text: string) => ({
    type: "custom_tool_call_output",
    call_id: "2",
    output: [{ type: "input_text", text: "Script completed\nOutput:\n" }, { type: "input_text", text }]
  })

  it("uses the items of commands if it has them, whatever a script prints", () => {
    const meta = { history_mode: "paginated" }
    assert.strictEqual(read(meta, script, printed("@@ -1 +1 @@\nProcess exited with code 0"), complete), "nothing")
    assert.strictEqual(read(meta, script, item(0, "", "exec-1"), printed(""), complete), "tools")
  })

  it("uses a hunk, or the transcript, if a script ran without items", () => {
    assert.strictEqual(read(script, printed("@@ -1 +1 @@"), complete), "tools")
    assert.strictEqual(read(script, printed("done"), complete), "nothing")
    const unknown = session(script, printed(""), complete)
    assert.strictEqual(readBy({ session: unknown, transcript: transcript(...block("succeeded")) }), "tools")
    assert.strictEqual(readBy({ session: unknown, transcript: transcript(...block("exited 1")) }), "nothing")
  })

  it("does not outweigh a transcript in which every command failed", () => {
    const success = session(call, exited(0), complete)
    assert.strictEqual(readBy({ session: success, transcript: transcript(...block("exited 1")) }), "nothing")
    // Before codex 0.150 the transcript has no result for a command in the background.
    const background = transcript(...block("exited 1"), "exec", "/bin/bash -lc 'sleep 1' in /repo")
    assert.strictEqual(readBy({ session: success, transcript: background }), "tools")
  })

  it("is the same when it is read again from a copy", () => {
    const ran = session(call, exited(1), complete)
    assert.deepStrictEqual(ranFrom(JSON.parse(JSON.stringify(ran))), { ...ran, calls: [] })
    assert.isNull(ranFrom({ succeeded: "1" }))
  })
})
