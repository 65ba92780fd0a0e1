// Activity: what people read of an agent's work, from recorded streams and from ends that are cut anywhere.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { agentActivity } from "../../../../src/agent/stream/Activity.ts"

const recorded = (name: string) => readFileSync(new URL(`../../../../fixtures/agents/${name}`, import.meta.url), "utf8")
const line = (type: string, item: object) => `${JSON.stringify({ type, item: { id: "i", ...item } })}\n`
const codex = (...lines: ReadonlyArray<string>) => agentActivity("codex", lines.join(""))
const command = (command: string, more: object = {}) =>
  line("item.started", { type: "command_execution", command, status: "in_progress", ...more })

describe("an agent", () => {
  it("runs a command, which is shown without the shell around it", () =>
    assert.strictEqual(codex(command("/bin/bash -lc 'npm test'")), "$ npm test"))
  it("ran one that failed", () =>
    assert.strictEqual(
      codex(line("item.completed", { type: "command_execution", command: "ls x", exit_code: 2, status: "failed" })),
      "exit 2 of $ ls x"
    ))
  it("shows the first line of what it says, without hidden characters", () =>
    assert.strictEqual(
      codex(line("item.completed", { type: "agent_message", text: "\n\u001b[2J**Looking**\u202e at it\nmore" })),
      "Looking at it"
    ))
  it("gives its answer, whose headers are not shown", () =>
    assert.strictEqual(
      codex(line("item.completed", { type: "agent_message", text: "role: worker\ntask_id: x\n" })),
      "answers"
    ))
  it("edits files", () =>
    assert.strictEqual(
      codex(line("item.completed", {
        type: "file_change",
        changes: [{ path: "a.ts", kind: "update" }, { path: "b.ts", kind: "add" }],
        status: "completed"
      })),
      "edits a.ts, b.ts"
    ))
  it("is shown by its last event that says something", () => {
    assert.strictEqual(codex(command("one"), command("two"), '{"type":"item.delta"}\n', '{"type":"tu'), "$ two")
    assert.strictEqual(codex('{"type":"turn.started"}\n'), "thinking")
  })
  it("is not shown by half a line, or by nothing", () => {
    assert.strictEqual(codex(command("x".repeat(99)).slice(40)), "")
    assert.strictEqual(codex(""), "")
  })
  it("that talks as Claude Code does is shown too", () =>
    assert.match(
      agentActivity("claude", recorded("claude-2.1.330-command.jsonl").split("\n").slice(0, 2).join("\n")),
      /^\$ /
    ))
  it("that prints nothing but its answer is shown by its last line", () =>
    assert.strictEqual(agentActivity("command", "first\nlast\n\n"), "last"))
  it("is shown in one bounded line, whatever was recorded", () => {
    for (const name of ["codex-0.169.0-edit.jsonl", "codex-0.169.0-reconnected.jsonl", "codex-0.169.0-refused.jsonl"]) {
      const activity = agentActivity("codex", recorded(name))
      assert.isAtMost(activity.length, 200)
      assert.notMatch(activity, /[\p{Cc}]/u)
      assert.notStrictEqual(activity, "")
    }
  })
})
