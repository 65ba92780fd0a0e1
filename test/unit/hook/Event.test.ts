// Event: any text is read as an event or ignored, and most events need no answer.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import * as fc from "fast-check"
import { actionFor, classifyTool, readInput, thinkingStage } from "../../../src/hook/Event.ts"

const input = (fields: object) => readInput(JSON.stringify({ session_id: "s", ...fields })) ?? assert.fail("no event")
const wanted = (fields: object, gate: Parameters<typeof actionFor>[1] = "review") => actionFor(input(fields), gate)

describe("standard input", () => {
  it("is an event with its fields", () => {
    const read = input({
      hook_event_name: "PostToolUse",
      prompt_id: "p",
      cwd: "/w",
      transcript_path: "/t",
      tool_name: "Write",
      tool_input: { file_path: "a" },
      tool_response: 1
    })
    assert.deepInclude(read, { event: "PostToolUse", session: "s", turn: "p", cwd: "/w", tool: "Write" })
    assert.deepStrictEqual([read.toolInput, read.toolResponse], [{ file_path: "a" }, 1])
    assert.deepInclude(input({ hook_event_name: "Stop" }), { error: "", stopActive: false, tasks: [] })
  })

  it("is ignored if it is anything else", () => {
    for (const text of ["", "null", "[]", "1", "{}", "{", '{"hook_event_name":7}', "\u0000", "[".repeat(100_000)]) {
      assert.isNull(readInput(text), text.slice(0, 20))
    }
  })
})

describe("the action for an event", () => {
  it("depends on the tool", () => {
    assert.strictEqual(wanted({ hook_event_name: "PostToolUse", tool_name: "Edit" }), "code_change")
    assert.isNull(wanted({ hook_event_name: "PostToolUse", tool_name: "Read" }))
    assert.isNull(wanted({ hook_event_name: "Notification" }))
  })

  it("is nothing for a plan while it is being written", () => {
    const written = (file_path: string) =>
      wanted({ hook_event_name: "PostToolUse", tool_name: "Write", tool_input: { file_path } })
    assert.isNull(written("/home/u/.claude/plans/a.md"))
    assert.strictEqual(written("/w/plans/a.md"), "code_change")
  })

  it("is nothing for a command that the user interrupted, or that is our own", () => {
    const failed = (command: string, more: object = {}) =>
      wanted({ hook_event_name: "PostToolUseFailure", tool_name: "Bash", tool_input: { command }, ...more })
    assert.strictEqual(failed("npm test"), "bash_failure")
    assert.isNull(failed("npm test", { is_interrupt: true }))
    assert.isNull(failed("cd a && ooda-codex-review --uncommitted"))
    assert.strictEqual(failed("cat ooda-codex-review.md"), "bash_failure")
  })

  it("is a look at a Stop, also while background work runs; only the ladder stops a session twice", () => {
    assert.strictEqual(wanted({ hook_event_name: "Stop" }), "stop")
    assert.isNull(wanted({ hook_event_name: "Stop" }, "off"))
    assert.strictEqual(wanted({ hook_event_name: "Stop", background_tasks: [{ id: "a" }] }), "stop")
    assert.isNull(wanted({ hook_event_name: "Stop", stop_hook_active: true }))
    assert.strictEqual(wanted({ hook_event_name: "Stop", stop_hook_active: true }, "ladder"), "stop")
    assert.strictEqual(wanted({ hook_event_name: "PreCompact" }), "compact")
    assert.strictEqual(wanted({ hook_event_name: "SessionEnd" }), "end")
  })
})

const table: ReadonlyArray<readonly [string, string, string | null]> = JSON.parse(
  readFileSync(new URL("../../../fixtures/hook/tools.json", import.meta.url), "utf8")
)

describe("the use of a tool", () => {
  it.each(table)(
    "%s of %s is reviewed as %s",
    (event, tool, expected) => assert.strictEqual(classifyTool(event, tool), expected)
  )

  it("may have any name", () =>
    fc.assert(fc.property(fc.string(), fc.string(), (event, tool) => {
      assert.isNull(classifyTool(`x${event}`, tool))
      assert.isNull(classifyTool("PostToolUse", `mcp__${tool.replaceAll("__", "")}`))
    })))

  it("is classified in bounded time for a very long name", () =>
    assert.isNull(classifyTool("PostToolUse", `mcp__${"_a".repeat(500_000)}`)))
})

describe("a thought", () => {
  it.each<[number, number, string]>([
    [1, 3, "early"],
    [2, 3, "mid"],
    [3, 3, "late"],
    [1, 1, "late"],
    [1, 10, "early"],
    [3, 10, "early"],
    [4, 10, "mid"],
    [6, 10, "mid"],
    [7, 10, "late"],
    [12, 10, "late"],
    [0, 5, "early"],
    [1, 0, "mid"],
    [1, -4, "mid"],
    [Number.NaN, 5, "mid"],
    [1, Number.NaN, "mid"],
    [1, Number.POSITIVE_INFINITY, "early"]
  ])("%d of %d is %s", (number, total, stage) => assert.strictEqual(thinkingStage(number, total), stage))
})
