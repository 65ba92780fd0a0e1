// Hearing: the same events however the chunks are cut; an answer whole, and never more of it than fits.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { decodeAgentLine } from "../../../../src/agent/stream/CodexLines.ts"
import { readWholeAnswer, readEventLines, longestAnswer } from "../../../../src/agent/stream/Lines.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const answerOf = (...chunks: ReadonlyArray<Uint8Array>) => {
  const hearing = readWholeAnswer()
  for (const chunk of chunks) assert.deepStrictEqual(hearing.push(chunk), [])
  return hearing.end().map((event) =>
    event._tag === "ItemCompleted" && event.item._tag === "Message" ? event.item.text : event._tag
  )
}

describe("an agent that prints events", () => {
  it("is heard line by line, wherever its chunks are cut", () => {
    const whole = bytes('{"type":"turn.started"}\n{"type":"error","message":"hä"}\nplain')
    const decode = (line: string) => [decodeAgentLine(line)].filter((event) => event !== null)
    const once = readEventLines(decode)()
    const expected = [...once.push(whole), ...once.end()]
    assert.deepStrictEqual(expected.map(({ _tag }) => _tag), ["TurnStarted", "Error", "Unparsed"])
    fc.assert(fc.property(fc.nat(whole.length), (cut) => {
      const hearing = readEventLines(decode)()
      const heard = [...hearing.push(whole.subarray(0, cut)), ...hearing.push(whole.subarray(cut)), ...hearing.end()]
      assert.deepStrictEqual(heard, expected)
    }))
  })
})

describe("an agent whose output is its answer", () => {
  it("gives one message at its end, without the line ends behind it", () => {
    const whole = bytes("First ünd\nlast\n\n")
    for (const cut of [0, 7, 8, whole.length]) {
      assert.deepStrictEqual(answerOf(whole.subarray(0, cut), whole.subarray(cut)), ["First ünd\nlast"])
    }
  })

  it("that says nothing gives no message", () => assert.deepStrictEqual(answerOf(bytes(" \n\t\n")), []))

  it("that says too much is cut, and the message says so", () => {
    const part = new Uint8Array(longestAnswer - 1).fill(0x61)
    const [text = ""] = answerOf(part, part)
    assert.isTrue(text.endsWith(`a\n[cut: the first ${longestAnswer} of ${2 * part.length} bytes]`))
    assert.isBelow(text.length, longestAnswer + 100)
  })
})
