// Kernel locks through helper programs: who holds, who does not, and what a copy of a descriptor means.
// Every lock here is taken on a real file, and contended by another open description of it.
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { flockDescriptors, flockEach, NoLockProgram } from "../../../src/platform/Flock.ts"

interface Files {
  readonly open: (index: number) => number
  readonly close: (fd: number) => void
}

const withFiles = (use: (files: Files) => void): void => {
  const dir = mkdtempSync(join(tmpdir(), "ooda-flock-"))
  const opened = new Set<number>()
  const close = (fd: number): void => {
    if (opened.delete(fd)) closeSync(fd)
  }
  const open = (index: number): number => {
    const fd = openSync(join(dir, `${index}.lock`), "a", 0o600)
    opened.add(fd)
    return fd
  }
  try {
    use({ open, close })
  } finally {
    for (const fd of [...opened]) close(fd)
    rmSync(dir, { recursive: true })
  }
}

const { env } = process

describe("flock", () => {
  it("keeps the lock after the helper has ended, until the descriptor is closed", () =>
    withFiles(({ close, open }) => {
      const first = open(0)
      assert.isTrue(flockDescriptors([first], "exclusive", env))
      assert.isFalse(flockDescriptors([open(0)], "exclusive", env))
      assert.isFalse(flockDescriptors([open(0)], "shared", env))
      close(first)
      assert.isTrue(flockDescriptors([open(0)], "exclusive", env))
    }))

  it("lets shared locks coexist, and answers for each of many descriptors", () =>
    withFiles(({ open }) => {
      assert.isTrue(flockDescriptors([open(3), open(69)], "exclusive", env))
      assert.deepStrictEqual(flockEach([open(2), open(3), open(4), open(69)], "shared", env), [
        true,
        false,
        true,
        false
      ])
      const all = Array.from({ length: 64 }, (_, index) => open(index + 4))
      assert.isTrue(flockDescriptors(all.slice(0, 60), "shared", env))
    }))

  it("answers for no descriptor at all", () => assert.deepStrictEqual(flockEach([], "shared", env), []))

  it("finds its helper in the system's own directories where no PATH is given", () =>
    withFiles(({ open }) => {
      assert.isTrue(flockDescriptors([open(0)], "exclusive", {}))
      assert.isFalse(flockDescriptors([open(0), open(1)], "exclusive", {}))
    }))

  it("says what is missing where PATH leads to no helper", () =>
    withFiles(({ open }) => {
      for (const PATH of ["", "/nowhere"]) {
        assert.throws(() => flockEach([open(0)], "exclusive", { PATH }), NoLockProgram, /or put it on PATH$/)
        assert.throws(() => flockEach([open(1), open(2)], "exclusive", { PATH }), NoLockProgram, /or put it on PATH$/)
      }
    }))
})
