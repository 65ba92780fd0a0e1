// FileText: bytes as text, and where they are none.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { longest } from "../../../../../src/drive/plan/file/Parse.ts"
import { fileText } from "../../../../../src/drive/plan/file/Document.ts"

const remedy = "save the file as UTF-8"

describe("the text of a file", () => {
  it.each(["", "a\u{1f600}", "\ufeffa\r\n\0"])("%j is the same from its bytes", (text) => {
    assert.deepStrictEqual(fileText(text), Result.succeed(text))
    assert.deepStrictEqual(fileText(new TextEncoder().encode(text)), Result.succeed(text))
  })

  const broken: ReadonlyArray<readonly [string, Uint8Array | string, string]> = [
    ["at its start, as UTF-16 has it", Uint8Array.of(0xff, 0xfe, 0x61, 0), ""],
    ["behind a letter of two bytes", Uint8Array.of(0x61, 0xc3, 0xa4, 0x0d, 0x0a, 0x62, 0x80, 0x63), "a\u00e4\nb"],
    ["behind letters alone", Uint8Array.of(0xc3, 0xa4, 0xc3, 0xa4, 0xc3, 0xa4, 0xff), "\u00e4\u00e4\u00e4"],
    ["in the middle of a letter", Uint8Array.of(0x61, 0xe2, 0x82), "a"],
    ["at half of a character", "ab\ud800c", "ab"]
  ]
  it.each(broken)("is none %s", (_, file, before) =>
    assert.deepStrictEqual(
      fileText(file),
      Result.fail({ before, fault: { at: before.length, says: "this is not UTF-8", remedy } })
    ))

  it("is not even decoded where no plan can be as long", () => {
    const read = fileText(new Uint8Array(4 * longest + 1))
    assert.strictEqual(Result.isFailure(read) ? read.failure.fault.remedy : "", "move what is long into other files")
    assert.isTrue(Result.isSuccess(fileText(new Uint8Array(4 * longest))))
  })
})
