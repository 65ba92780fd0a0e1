// Directories that are made with all that lead to them: private, once, and never tried for ever.
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { makeDirectories } from "../../../src/platform/Files.ts"

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

  it("in whose way a file stands is refused, at any depth", () => {
    writeFileSync(join(dir, "file"), "")
    assert.throws(() => makeDirectories(join(dir, "file")), /EEXIST/)
    assert.throws(() => makeDirectories(join(dir, "file", "below")), /ENOTDIR/)
  })

  it("where nothing can ever be made is refused, and not tried for ever", () =>
    assert.throws(() => makeDirectories("/proc/no/such/place"), /ENOENT/))
})
