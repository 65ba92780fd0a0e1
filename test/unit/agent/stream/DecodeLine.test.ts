// DecodeLine: lines as codex wrote them in both grammars, and lines that nobody expects.
import { assert, describe, it } from "vitest"
import { decodeAgentLine } from "../../../../src/agent/stream/CodexLines.ts"

const of = (value: unknown) => decodeAgentLine(JSON.stringify(value))

describe("decodeAgentLine", () => {
  it.each(["", "   ", "\t\r"])("gives nothing for the blank line %j", (line) => assert.isNull(decodeAgentLine(line)))

  it.each(["{", "codex", '{"type":', "\u0000", "NaN"])(
    "keeps %j, which is no JSON",
    (line) => assert.deepStrictEqual(decodeAgentLine(line), { _tag: "Unparsed", line })
  )

  it.each(["[]", "1", "null", '"turn.failed"', "{}", '{"msg":1}', '{"type":1}'])(
    "keeps %s, which tells nothing",
    (line) => assert.deepStrictEqual(decodeAgentLine(line), { _tag: "Unknown", type: null, line })
  )

  it("keeps a type that nobody has described, in either grammar", () => {
    assert.deepInclude(of({ type: "thread.renamed" }), { _tag: "Unknown", type: "thread.renamed" })
    assert.deepInclude(of({ type: "__proto__" }), { _tag: "Unknown", type: "__proto__" })
    assert.deepInclude(of({ id: "0", msg: { type: "constructor" } }), { _tag: "Unknown", type: "constructor" })
  })

  it("reads the banner by any of its names, but only where nothing else tells what the line is", () => {
    const line = { model: "gpt-5", provider: "openai", sandbox: "read-only", approval: "never" }
    assert.deepStrictEqual(of(line), { _tag: "Started", model: "gpt-5", provider: "openai", sandbox: "read-only" })
    assert.deepStrictEqual(of({ sandbox: null }), { _tag: "Started", model: null, provider: null, sandbox: null })
    assert.deepStrictEqual(of({ ...line, type: "turn.started" }), { _tag: "TurnStarted" })
    assert.deepInclude(of({ ...line, msg: { type: "task_started" } }), { _tag: "TaskStarted" })
  })

  it("prefers a type to a msg", () =>
    assert.deepStrictEqual(of({ type: "turn.started", msg: { type: "task_started" } }), { _tag: "TurnStarted" }))
})
