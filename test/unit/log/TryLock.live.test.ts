// TryLock: one try at a file's lock: held once, by whoever has the file that bears the name.
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { tryLock } from "../../../src/log/FileLock.live.ts"

let root = ""
const open: Array<number> = []
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "ooda-trylock-"))
})
afterEach(() => {
  for (const fd of open.splice(0)) fs.closeSync(fd)
  fs.rmSync(root, { recursive: true, force: true })
})

const tried = (name = "lock"): number | null => {
  const fd = tryLock(path.join(root, name), process.env)
  if (fd !== null) open.push(fd)
  return fd
}
const release = (fd: number | null): void => {
  if (fd === null) return assert.fail("no lock")
  fs.closeSync(fd)
  open.splice(open.indexOf(fd), 1)
}

describe("a lock", () => {
  it("is held once, until its descriptor is closed", () => {
    const first = tried()
    assert.isNotNull(first)
    assert.isNull(tried())
    release(first)
    assert.isNotNull(tried())
  })

  it("is of one file: another one is free", () => {
    assert.isNotNull(tried())
    assert.isNotNull(tried("other"))
  })

  it("lies in a private file that stays", () => {
    release(tried())
    assert.strictEqual(fs.statSync(path.join(root, "lock")).mode & 0o777, 0o600)
  })

  it("on a file that has lost its name holds nobody up", () => {
    const first = tried()
    fs.rmSync(path.join(root, "lock"))
    assert.isNotNull(tried())
    release(first)
  })

  it("leaves no descriptor behind where it is held elsewhere", () => {
    const count = () => fs.readdirSync("/proc/self/fd").length
    assert.isNotNull(tried())
    const before = count()
    for (let i = 0; i < 5; i++) assert.isNull(tried())
    assert.strictEqual(count(), before)
  })

  it("in a directory that is not there fails as the system says", () =>
    assert.throws(() => tryLock(path.join(root, "none", "lock"), process.env), /ENOENT/))
})
