// Lines: bytes become lines however they are cut, and lines become events.
import { assert, describe, it } from "vitest"
import { lineReader, longestAnswer, readWholeAnswer } from "../../../../src/agent/stream/Lines.ts"

const read = (chunks: ReadonlyArray<string | Uint8Array>, limit?: number) => {
  const reader = lineReader(limit)
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()]
}
describe("a reader of lines", () => {
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
