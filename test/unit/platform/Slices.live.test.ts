// Bounded reads: never more than was asked for, and text without halves of characters.
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as fc from "fast-check"
import { afterAll, assert, describe, it } from "vitest"
import { fileInMemory, openOnDisk, type OpenFile, sliceOf, textOf, withFile } from "../../../src/platform/Files.ts"

const dir = mkdtempSync(join(tmpdir(), "ooda-slices-"))
afterAll(() => rmSync(dir, { recursive: true }))
const file = join(dir, "file")

describe("a file that is opened", () => {
  const at = (
    { size, slice }: OpenFile
  ) => [
    size,
    ...[[0, 10], [3, 4], [8, 100], [99, 5], [4, -1]].map(([from = 0, length = 0]) => slice(from, length).toString())
  ]

  it("is the same on a disk and held, and null where there is none", () => {
    writeFileSync(file, "0123456789")
    const said = [10, "0123456789", "3456", "89", "", ""]
    assert.deepStrictEqual(openOnDisk(file, (opened) => opened === null ? [] : at(opened)), said)
    assert.deepStrictEqual(at(fileInMemory(Buffer.from("0123456789"))), said)
    assert.isTrue(openOnDisk(join(dir, "none"), (opened) => opened === null))
  })

  it("that cannot be read is no missing one", () =>
    assert.throws(() => openOnDisk(dir, (opened) => opened?.slice(0, 1)), /EISDIR/))
})

describe("a slice", () => {
  it("is what stands there, and fewer bytes at the end", () => {
    writeFileSync(file, "0123456789")
    const at = (offset: number, length: number) => withFile(file, (fd) => sliceOf(fd, offset, length).toString())
    assert.deepStrictEqual([at(0, 10), at(3, 4), at(8, 100), at(10, 5), at(99, 5), at(0, 0), at(4, -1)], [
      "0123456789",
      "3456",
      "89",
      "",
      "",
      "",
      ""
    ])
  })

  it("of a file of any size takes no more memory than it is long", () => {
    writeFileSync(file, "")
    truncateSync(file, 4 * 2 ** 30)
    assert.lengthOf(withFile(file, (fd) => sliceOf(fd, 3 * 2 ** 30, 1000)), 1000)
  })

  it("of a file that is missing throws what the system throws", () =>
    assert.throws(() => withFile(join(dir, "missing"), () => 0), /ENOENT/))
})

describe("the text of a slice", () => {
  it("loses at most the characters that were cut in two", () =>
    fc.assert(fc.property(fc.string({ unit: "binary" }), fc.nat(40), fc.nat(40), (text, from, length) => {
      const bytes = Buffer.from(text)
      const slice = bytes.subarray(from, from + length)
      const got = textOf(slice)
      assert.notInclude(got.replaceAll("\ufffd", text.includes("\ufffd") ? "" : "\ufffd"), "\ufffd")
      assert.include(text, got)
      assert.isAtLeast(Buffer.byteLength(got), slice.length - 6)
    })))

  it("that holds no whole character is empty", () => assert.strictEqual(textOf(Buffer.from("€").subarray(1)), ""))
})
