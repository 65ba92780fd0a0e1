// SmallFile: a small file is there whole or as it was, private, and nothing else is left beside it.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { attempt, fileDigest, replaceFile } from "../../../src/run/SmallFile.live.ts"
import { StoreFailed } from "../../../src/run/RunStore.ts"

let dir = ""
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), "ooda-small-"))))
afterEach(() => rmSync(dir, { recursive: true, force: true }))

describe("replacing a file", () => {
  it("makes it and its directory, both private to the user", () => {
    const path = join(dir, "deep", "er", "latest")
    replaceFile(path, "text")
    assert.strictEqual(readFileSync(path, "utf8"), "text")
    assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    assert.strictEqual(statSync(dirname(path)).mode & 0o777, 0o700)
  })

  it("leaves the new text alone, in a new file", () => {
    const path = join(dir, "latest")
    writeFileSync(path, "a much longer text than the next one")
    const before = statSync(path).ino
    replaceFile(path, "short")
    assert.strictEqual(readFileSync(path, "utf8"), "short")
    assert.notStrictEqual(statSync(path).ino, before)
    assert.deepStrictEqual(readdirSync(dir), ["latest"])
  })

  it("that fails leaves the old file, and nothing beside it", () => {
    const path = join(dir, "latest")
    mkdirSync(path)
    writeFileSync(join(path, "inside"), "")
    assert.throws(() => replaceFile(path, "text"))
    assert.isTrue(existsSync(join(path, "inside")))
    assert.deepStrictEqual(readdirSync(dir), ["latest"])
  })
})

describe("the digest of a file", () => {
  it("covers all of it", () => {
    writeFileSync(join(dir, "kept"), "abc")
    assert.deepStrictEqual(fileDigest(join(dir, "kept")), {
      algorithm: "sha256",
      hex: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      bytes: 3
    })
  })

  it("is null where there is none, and an error where it cannot be read", () => {
    assert.isNull(fileDigest(join(dir, "none")))
    assert.throws(() => fileDigest(dir), /EISDIR/)
  })
})

describe("an attempt", () => {
  it("is the store's failure about its path, or the failure that was thrown", async () => {
    const about = (run: () => never) => Effect.runPromise(Effect.flip(attempt("/path", run)))
    chmodSync(dir, 0o700)
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
