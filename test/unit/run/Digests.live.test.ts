// Digests: a file is known by all of its bytes, and a large one by its size and both its ends.
import { createHash } from "node:crypto"
import { closeSync, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { fileInMemory } from "../../../src/platform/Files.ts"
import { digestOf, digestOfFile, digestOfOpened } from "../../../src/run/SmallFile.live.ts"

const mega = 1024 * 1024
const sha = (...parts: ReadonlyArray<string | Buffer>): string => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part)
  return hash.digest("hex")
}

let path = ""
beforeEach(() => (path = join(mkdtempSync(join(tmpdir(), "ooda-digests-")), "file")))
afterEach(() => rmSync(join(path, ".."), { recursive: true, force: true }))

const digest = () => {
  const fd = openSync(path, "r")
  try {
    return digestOfFile(fd)
  } finally {
    closeSync(fd)
  }
}

describe("a digest", () => {
  it("of bytes covers all of them", () =>
    assert.deepStrictEqual(digestOf(Buffer.from("é")), { algorithm: "sha256", hex: sha("é"), bytes: 2 }))

  it("of a file is that of its bytes, up to 8 MiB", () => {
    const bytes = Buffer.alloc(8 * mega, "x")
    writeFileSync(path, bytes)
    assert.deepStrictEqual(digest(), digestOf(bytes))
  })

  it.each([0, 1, 8 * mega, 8 * mega + 1])("of %d bytes that are held is that of a file of them", (size) => {
    const bytes = Buffer.alloc(size, "abc")
    writeFileSync(path, bytes)
    assert.deepStrictEqual(digestOfOpened(fileInMemory(bytes)), digest())
  })

  it("of a larger file covers its size and 64 KiB at each end", () => {
    const size = 8 * mega + 1
    writeFileSync(path, "head")
    truncateSync(path, size)
    const end = Buffer.alloc(64 * 1024)
    const head = Buffer.from(end)
    head.write("head")
    const whole = digest()
    assert.deepStrictEqual(whole, { algorithm: "sha256-ends", hex: sha(`${size}\n`, head, end), bytes: size })
    const fd = openSync(path, "r+")
    writeSync(fd, "middle", 4 * mega)
    assert.deepStrictEqual(digest(), whole)
    writeSync(fd, "end", size - 3)
    closeSync(fd)
    assert.notStrictEqual(digest().hex, whole.hex)
  })
})
