// Lines: lines of a stream, however it was cut.
import { assert, describe, it } from "vitest"
import { lineReader } from "../../../../src/agent/stream/Lines.ts"

const read = (chunks: ReadonlyArray<string | Uint8Array>, limit?: number) => {
  const reader = lineReader(limit)
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()]
}
const bytes = new TextEncoder().encode("a\u20acb\r\nsecond\n\nlast")

describe("a reader of lines", () => {
  it.each(Array.from({ length: bytes.length }, (_, cut) => cut))(
    "reads the same lines when cut at byte %i",
    (cut) => assert.deepStrictEqual(read([bytes.slice(0, cut), bytes.slice(cut)]), ["a\u20acb", "second", "", "last"])
  )

  it("joins texts that were cut inside a character, and texts with bytes", () => {
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
