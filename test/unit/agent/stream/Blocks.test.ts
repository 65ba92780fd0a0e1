// Blocks: what each event is shown as, what is cut, what is shown once, and that nothing of it can be a label.
import { readdirSync, readFileSync } from "node:fs"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { AgentEvent, AgentItem } from "../../../../src/agent/stream/AgentEvent.ts"
import { nothingShown, showEvent } from "../../../../src/agent/stream/Blocks.ts"
import { decodeAgentLine } from "../../../../src/agent/stream/CodexLines.ts"
import { hasHidden } from "../../../../src/text/Untrusted.ts"

const at = Date.UTC(2030, 0, 1, 9, 5, 7)
const all = (...events: ReadonlyArray<AgentEvent>): ReadonlyArray<string> => {
  let shown = nothingShown
  return events.flatMap((event) => {
    const next = showEvent(shown, event, at)
    shown = next.shown
    return next.lines
  })
}
const item = (one: AgentItem): AgentEvent => ({ _tag: "ItemCompleted", id: "item_1", item: one })
const command = (output: string, exitCode: number | null = 0): AgentEvent =>
  item({ _tag: "Command", command: "ls", output, exitCode, status: "completed" })
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}`).join("\n")
const usage = { input: 1200, cached: 0, output: 34, reasoning: 0 }
const counted = (usedPercent: number, resetsInSeconds: number | null): AgentEvent => ({
  _tag: "TokenCount",
  usage,
  contextWindow: null,
  limits: [{ usedPercent, minutes: 300, resetsInSeconds }]
})

describe("a block", () => {
  it("has its label, the time on the reader's clock, and indented lines", () => {
    assert.deepStrictEqual(all(item({ _tag: "Message", text: "One.\nTwo." })), [
      "### Message [09:05:07]",
      "  One.",
      "  Two."
    ])
    const late = showEvent(nothingShown, item({ _tag: "Reasoning", text: "So." }), at, 16 * 3_600_000)
    assert.deepStrictEqual(late.lines, ["### Reasoning [01:05:07]", "  So."])
  })

  it("of output is cut after 20 lines, and a newline at its end begins no line", () => {
    assert.lengthOf(all(command(`${numbered(20)}\n`)), 21)
    const cut = all(command(`${numbered(22)}\n`))
    assert.deepStrictEqual(cut.slice(-2), ["  line 20", "  ... 2 more lines"])
    assert.deepStrictEqual(all(command("a\n\n")), ["### Output [09:05:07]", "  a", ""])
  })

  it("of output ends with the exit code, unless that is zero or unknown", () => {
    assert.deepStrictEqual(all(command("no\n", 2)), ["### Output [09:05:07]", "  no", "  exit code 2"])
    assert.deepStrictEqual(all(command("", 2)).at(-1), "  exit code 2")
    assert.deepStrictEqual([all(command("", 0)), all(command("", null))], [[], []])
  })

  it("of a patch is cut after 10 lines", () => {
    const changes = Array.from({ length: 12 }, (_, i) => ({ path: `src/${i}.ts`, kind: "update" as const }))
    const patches: ReadonlyArray<AgentEvent> = [
      { _tag: "TurnDiff", diff: numbered(12) },
      { _tag: "PatchApplyBegin", changes },
      item({ _tag: "FileChanges", changes, status: "completed" })
    ]
    for (const one of patches) {
      const lines = all(one)
      assert.lengthOf(lines, 12)
      assert.strictEqual(lines.at(-1), "  ... 2 more lines")
    }
  })

  it("of usage stands once per change", () => {
    const completed: AgentEvent = { _tag: "TurnCompleted", usage }
    assert.deepStrictEqual(all(completed, completed, { ...completed, usage: { ...usage, output: 40 } }), [
      "### Usage [09:05:07]",
      "  1.2k tokens in, 34 out",
      "### Usage [09:05:07]",
      "  1.2k tokens in, 40 out"
    ])
  })

  it("of rate limits says how much of which window, and when there is a new one", () => {
    const lines = all(counted(12.4, 3_720), counted(12.4, 3_600), counted(13, null))
    assert.deepStrictEqual(lines.filter((line) => line.includes("%")), [
      "  12% of 5h 00m (new in 1h 02m)",
      "  13% of 5h 00m"
    ])
  })

  it("of a message that came with the end alone is shown, and not twice otherwise", () => {
    const end: AgentEvent = { _tag: "TaskComplete", lastMessage: "Done." }
    assert.lengthOf(all(end), 2)
    assert.lengthOf(all({ _tag: "AgentMessage", message: "Done." }, end), 2)
  })

  it("of a refused command says that it was refused", () => {
    const refused: AgentItem = { _tag: "Command", command: "rm -r /", output: "", exitCode: null, status: "declined" }
    assert.deepStrictEqual(all(item(refused)), ["### Command refused [09:05:07]", "  rm -r /"])
  })

  it("of a plan shows its steps", () => {
    const plan = [{ text: "Read", completed: true }, { text: "Mend", completed: false }]
    for (
      const event of [item({ _tag: "TodoList", items: plan }), { _tag: "PlanUpdate", explanation: null, plan }] as const
    ) {
      assert.deepStrictEqual(all(event).slice(1), ["  [x] Read", "  [ ] Mend"])
    }
  })
})

describe("what is silent", () => {
  it.each<AgentEvent>([
    { _tag: "ItemDelta" },
    { _tag: "AgentReasoningSectionBreak" },
    { _tag: "ExecCommandOutputDelta", callId: "1" },
    { _tag: "TurnStarted" },
    { _tag: "PatchApplyEnd", success: true }
  ])("$_tag shows nothing", (event) => assert.deepStrictEqual(all(event), []))
})

describe("whatever an agent prints", () => {
  const folder = new URL("../../../../fixtures/agents/", import.meta.url)
  const recorded = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"))
    .flatMap((entry) => readFileSync(`${entry.parentPath}/${entry.name}`, "utf8").split("\n"))

  it("real streams are shown", () => {
    const events = recorded.flatMap((line) => decodeAgentLine(line) ?? [])
    assert.isAbove(events.length, 10)
    assert.isTrue(all(...events).some((line) => line.startsWith("### Message")))
  })

  it("no line of it is a label, leaves its line, or hides anything", () => {
    const hostile = fc.array(
      fc.constantFrom("### Message [00:00:00]", "\n", "\r", "\u2028", "\u001b[2J", "\u202e", "a")
    )
      .map((parts) => parts.join(""))
    fc.assert(fc.property(hostile, hostile, (text, other) => {
      const events: ReadonlyArray<AgentEvent> = [
        command(text, 1),
        { _tag: "Unknown", type: text, line: other },
        { _tag: "Unparsed", line: text },
        { _tag: "TurnFailed", message: text },
        { _tag: "ThreadStarted", threadId: text },
        { _tag: "Started", model: text, provider: other, sandbox: null },
        item({ _tag: "ToolCall", server: text, tool: other, status: text }),
        item({ _tag: "FileChanges", changes: [{ path: text, kind: "add" }], status: other })
      ]
      for (const event of events) {
        const [label = "", ...body] = all(event)
        assert.match(label, /^### [A-Z][a-z ]+ \[09:05:07\]$/)
        for (const line of body) {
          assert.match(line, /^(  .*)?$/)
          assert.isFalse(hasHidden(line))
        }
      }
    }))
  })
})
