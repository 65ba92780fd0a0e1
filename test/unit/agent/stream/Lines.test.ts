// Lines: bytes become lines however they are cut, and lines become events.
import { assert, describe, it } from "vitest"
import * as fc from "fast-check"
import { lineReader, longestAnswer, readEventLines, readWholeAnswer } from "../../../../src/agent/stream/Lines.ts"
import { decodeAgentLine } from "../../../../src/agent/stream/CodexLines.ts"

const read = (chunks: ReadonlyArray<string | Uint8Array>, limit?: number) => {
  const reader = lineReader(limit)
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()]
}
const cutBytes = new TextEncoder().encode("a\u20acb\r\nsecond\n\nlast")

describe("a reader of lines", () => {
  it.each(Array.from({ length: cutBytes.length }, (_, cut) => cut))(
    "reads the same lines when cut at byte %i",
    (cut) =>
      assert.deepStrictEqual(read([cutBytes.slice(0, cut), cutBytes.slice(cut)]), ["a\u20acb", "second", "", "last"])
  )

  it("joins texts that were cut inside a character, and texts with cutBytes", () => {
    assert.deepStrictEqual(read(["\ud83d", "\ude00\n"]), ["\u{1f600}"])
    assert.deepStrictEqual(read([Uint8Array.of(0x61), "b\n"]), ["ab"])
    assert.deepStrictEqual(read([Uint8Array.of(0xe2, 0x82), "b\n"]), ["\ufffdb"])
  })

  it("gives no line for the end of the last one, and none for nothing", () => {
    assert.deepStrictEqual(read(["a\n"]), ["a"])
    assert.deepStrictEqual(read([]), [])
    assert.deepStrictEqual(read(["\n"]), [""])
  })

  it("keeps no more of a line than its limit, wherever it is cut", () => {
    assert.deepStrictEqual(read(["abcdef\ngh\n"], 4), ["abcd", "gh"])
    assert.deepStrictEqual(read(["abc", "def", "ghi\ngh"], 4), ["abcd", "gh"])
  })
})

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
