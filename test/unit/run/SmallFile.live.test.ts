// SmallFile: a small file is replaced whole or not at all, is private, and has a digest of its bytes.
import { Effect } from "effect"
import { createHash } from "node:crypto"
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { fileInMemory } from "../../../src/platform/Files.ts"
import { StoreFailed } from "../../../src/run/RunStore.ts"
import {
  attempt,
  digestOf,
  digestOfFile,
  digestOfOpened,
  fileDigest,
  replaceFile
} from "../../../src/run/SmallFile.live.ts"
import { eachInDirectory } from "../../support/directories.ts"

const dir = eachInDirectory()

describe("replacing a file", () => {
  it("creates it and its directory, both private to the user", () => {
    const path = dir("deep", "er", "latest")
    replaceFile(path, "text")
    assert.strictEqual(readFileSync(path, "utf8"), "text")
    assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    assert.strictEqual(statSync(dirname(path)).mode & 0o777, 0o700)
  })

  it("leaves only the new text, in a new file", () => {
    const path = dir("latest")
    writeFileSync(path, "a much longer text than the next one")
    const before = statSync(path).ino
    replaceFile(path, "short")
    assert.strictEqual(readFileSync(path, "utf8"), "short")
    assert.notStrictEqual(statSync(path).ino, before)
    assert.deepStrictEqual(readdirSync(dir()), ["latest"])
  })

  it("that fails leaves the old file, and nothing beside it", () => {
    const path = dir("latest")
    mkdirSync(path)
    writeFileSync(join(path, "inside"), "")
    assert.throws(() => replaceFile(path, "text"))
    assert.isTrue(existsSync(join(path, "inside")))
    assert.deepStrictEqual(readdirSync(dir()), ["latest"])
  })
})

describe("the digest of a file", () => {
  it("covers all of it", () => {
    writeFileSync(dir("kept"), "abc")
    assert.deepStrictEqual(fileDigest(dir("kept")), {
      algorithm: "sha256",
      hex: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      bytes: 3
    })
  })

  it("is null if it is missing, and an error if it cannot be read", () => {
    assert.isNull(fileDigest(dir("none")))
    assert.throws(() => fileDigest(dir()), /EISDIR/)
  })
})

describe("an attempt", () => {
  it("becomes the store's failure with its path, or the failure that was thrown", async () => {
    const about = (run: () => never) => Effect.runPromise(Effect.flip(attempt("/path", run)))
    chmodSync(dir(), 0o700)
    const refused = await about(() => {
      throw Object.assign(new Error("EIO: broken"), { code: "EIO", syscall: "read" })
    })
    assert.deepInclude({ ...refused }, { path: "/path" })
    assert.strictEqual(refused.reason._tag, "SystemRefused")
    const own = new StoreFailed({ path: "/other", reason: { _tag: "NotARun" } })
    assert.strictEqual(
      await about(() => {
        throw own
      }),
      own
    )
  })
})

describe("digests", () => {
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

    it("of a file covers all its bytes, up to 8 MiB", () => {
      const bytes = Buffer.alloc(8 * mega, "x")
      writeFileSync(path, bytes)
      assert.deepStrictEqual(digest(), digestOf(bytes))
    })

    it.each([0, 1, 8 * mega, 8 * mega + 1])("of %d bytes in memory equals the digest of a file with them", (size) => {
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
})
