// SaidIn: the reviewer's own words, wherever the verdict was read.
import { assert, describe, it } from "vitest"
import { notShown } from "../../../../src/review/verdict/Reading.ts"
import { finalText, type Sources } from "../../../../src/review/verdict/Judge.ts"

const sources = (fields: Partial<Sources>): Sources => ({
  session: { _tag: "Absent" },
  out: "",
  logHead: "",
  logTail: "",
  reading: notShown,
  ...fields
})

describe("what a reviewer said", () => {
  it("is standard output, without a transcript", () =>
    assert.strictEqual(finalText(sources({ out: "The loop crashes.\n" }), "stdout"), "The loop crashes.\n"))

  it("stands behind the marker of one stream, in either file", () => {
    assert.strictEqual(finalText(sources({ out: "noise\ncodex\nBad.\n" }), "marker"), "Bad.\n")
    assert.strictEqual(finalText(sources({ logTail: "noise\ncodex\nBad.\n" }), "marker"), "Bad.\n")
    assert.strictEqual(finalText(sources({ out: "no marker" }), "marker"), "no marker")
  })

  it("is the session's explanation where nothing was printed", () => {
    const session = (output: unknown) => sources({ session: { _tag: "Found", output } })
    assert.strictEqual(finalText(session({ overall_explanation: "Bad." }), "session"), "Bad.")
    for (const odd of [null, 1, [], {}, { overall_explanation: 1 }]) {
      assert.strictEqual(finalText(session(odd), "session"), "")
    }
  })
})
