import { assert, describe, it } from "vitest"
import type { AgentEvent, AgentItem } from "../../../../src/agent/stream/AgentEvent.ts"
import { evolveOpen, type OpenCommands } from "../../../../src/agent/stream/AgentStream.ts"

const command: AgentItem = { _tag: "Command", command: "make", output: "", exitCode: null, status: "in_progress" }
const open = (...events: ReadonlyArray<AgentEvent>): ReadonlyArray<string> => [
  ...events.reduce<OpenCommands>((before, event) => evolveOpen(before, event), new Set())
]
const started = (id: string, item: AgentItem = command): AgentEvent => ({ _tag: "ItemStarted", id, item })
const completed = (id: string): AgentEvent => ({ _tag: "ItemCompleted", id, item: command })

describe("the commands that an agent has open", () => {
  it("are those that have started and not ended, in both grammars", () => {
    assert.deepStrictEqual(open(started("a"), started("b"), completed("a"), completed("x")), ["b"])
    const begin: AgentEvent = { _tag: "ExecCommandBegin", callId: "c", command: "make", cwd: null }
    assert.deepStrictEqual(open(begin), ["c"])
    const end: AgentEvent = { _tag: "ExecCommandEnd", callId: "c", exitCode: 0, output: "", millis: null }
    assert.deepStrictEqual(open(begin, end), [])
  })

  it("are commands alone", () =>
    assert.deepStrictEqual(open(started("a", { _tag: "Reasoning", text: "" }), { _tag: "TurnStarted" }), []))

  it.each(
    [
      { _tag: "TurnCompleted", usage: null },
      { _tag: "TurnFailed", message: "" },
      { _tag: "TaskComplete", lastMessage: null }
    ] satisfies ReadonlyArray<AgentEvent>
  )("end with $_tag", (event) => assert.deepStrictEqual(open(started("a"), event), []))
})
