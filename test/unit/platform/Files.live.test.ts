// Files: bounded reads without halves of characters, and directories that are private and made once.
import * as fc from "fast-check"
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import {
  fileInMemory,
  makeDirectories,
  type OpenFile,
  openOnDisk,
  sliceOf,
  textOf,
  withFile
} from "../../../src/platform/Files.ts"

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

  it("is the same on a disk and in memory, and null if it is missing", () => {
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

describe("making directories", () => {
  const dir = mkdtempSync(join(tmpdir(), "ooda-directories-"))
  afterAll(() => rmSync(dir, { recursive: true }))

  describe("a directory", () => {
    it("is made with its parents, each private to the user", () => {
      makeDirectories(join(dir, "a", "b", "c"))
      for (const path of ["a", "a/b", "a/b/c"]) assert.strictEqual(statSync(join(dir, path)).mode & 0o777, 0o700)
    })

    it.each([0o177, 0o277, 0o777])("is made usable and private under the umask %o", (mask) => {
      const before = process.umask(mask)
      try {
        makeDirectories(join(dir, String(mask), "b"))
      } finally {
        process.umask(before)
      }
      for (const path of [String(mask), `${mask}/b`]) assert.strictEqual(statSync(join(dir, path)).mode & 0o777, 0o700)
    })

    it("that is there is left as it is, also behind a link", () => {
      mkdirSync(join(dir, "open"), { mode: 0o755 })
      symlinkSync("open", join(dir, "link"))
      makeDirectories(join(dir, "open"))
      makeDirectories(join(dir, "link"))
      makeDirectories(join(dir, "link", "below"))
      assert.strictEqual(statSync(join(dir, "open")).mode & 0o777, 0o755)
      assert.isTrue(statSync(join(dir, "open", "below")).isDirectory())
      makeDirectories("/")
    })

    it("with a file in its way is refused, at any depth", () => {
      writeFileSync(join(dir, "file"), "")
      assert.throws(() => makeDirectories(join(dir, "file")), /EEXIST/)
      assert.throws(() => makeDirectories(join(dir, "file", "below")), /ENOTDIR/)
    })

    it("where nothing can ever be made is refused, and not tried forever", () =>
      assert.throws(() => makeDirectories("/proc/no/such/place"), /ENOENT/))
  })
})
