// Files: the file calls of the log on this machine, and the errors that their failures become.
import { Cause, Effect, Exit } from "effect"
import * as fs from "node:fs"
import { assert, describe, it } from "vitest"
import { LogConflict, LogDamaged, LogMissing } from "../../../src/log/EventLog.ts"
import {
  close,
  type Files,
  nodeFiles,
  reading,
  readRange,
  withFile,
  writeWhole,
  writing
} from "../../../src/log/Files.live.ts"
import { thrown } from "./diskLog.ts"
import { systemError } from "./faultyFiles.ts"
import { eachInDirectory } from "../../support/directories.ts"

const root = eachInDirectory()

const file = () => root("log")
const bytes = (text: string) => new TextEncoder().encode(text)

describe("a file", () => {
  it("is created only for appending, is private, and is always appended to at its end", () => {
    withFile(nodeFiles, file(), "create", (fd) => nodeFiles.write(fd, bytes("one")))
    withFile(nodeFiles, file(), "append", (fd) => {
      readRange(nodeFiles, fd, 0, 1)
      nodeFiles.write(fd, bytes("two"))
    })
    assert.strictEqual(fs.readFileSync(file(), "utf8"), "onetwo")
    assert.strictEqual(fs.statSync(file()).mode & 0o777, 0o600)
  })

  it("must exist to be read or appended to", () => {
    for (const mode of ["read", "append"] as const) {
      assert.deepStrictEqual(thrown(() => nodeFiles.open(file(), mode)), { code: "ENOENT" })
    }
  })

  it("that is replaced is a new file; the old one is unchanged", () => {
    fs.writeFileSync(file(), "old bytes")
    const old = fs.openSync(file(), "r")
    withFile(nodeFiles, file(), "replace", (fd) => nodeFiles.write(fd, bytes("new")))
    assert.notStrictEqual(fs.fstatSync(old).ino, fs.statSync(file()).ino)
    assert.strictEqual(fs.readFileSync(old, "utf8"), "old bytes")
    fs.closeSync(old)
  })

  it("is private with the directories above it", () => {
    nodeFiles.makeDirectory(root("a", "b"))
    assert.strictEqual(nodeFiles.facts(root("a")).mode & 0o777, 0o700)
    nodeFiles.syncDirectory(root("a"))
    assert.deepStrictEqual(nodeFiles.list(root("a")), ["b"])
  })
})

describe("an open file", () => {
  it("is closed however its use ends", () => {
    const open = new Set<number>()
    const files: Files = {
      ...nodeFiles,
      open: (...args) => {
        const fd = nodeFiles.open(...args)
        open.add(fd)
        return fd
      },
      close: (fd) => {
        open.delete(fd)
        nodeFiles.close(fd)
      }
    }
    assert.strictEqual(withFile(files, file(), "create", () => 42), 42)
    assert.deepStrictEqual(thrown(() => withFile(files, file(), "read", () => assert.fail("no"))), { code: "no" })
    assert.strictEqual(open.size, 0)
  })

  it("counts as closed if closing it fails, but a bug is thrown", () => {
    close({ close: () => assert.isTrue(true) }, 3)
    close({
      close: () => {
        throw systemError("EIO")
      }
    }, 3)
    assert.throws(() =>
      close({
        close: () => {
          throw new TypeError("a bug")
        }
      }, 3), TypeError)
  })

  it("gives the bytes of a range, in as many reads as needed, and fewer at its end", () => {
    fs.writeFileSync(file(), "0123456789")
    const slowly: Files = {
      ...nodeFiles,
      read: (fd, into, position) => nodeFiles.read(fd, into.subarray(0, 3), position)
    }
    withFile(slowly, file(), "read", (fd) => {
      assert.strictEqual(new TextDecoder().decode(readRange(slowly, fd, 2, 9)), "2345678")
      assert.strictEqual(new TextDecoder().decode(readRange(slowly, fd, 8, 20)), "89")
      assert.lengthOf(readRange(slowly, fd, 5, 5), 0)
      assert.lengthOf(readRange(slowly, fd, 9, 2), 0)
    })
  })
})

describe("a whole write", () => {
  it("is one call, and fails if only a part was written", () => {
    const writes: Array<number> = []
    const files = (most: number): Files => ({
      ...nodeFiles,
      write: (_, data) => {
        writes.push(data.length)
        return Math.min(most, data.length)
      }
    })
    writeWhole(files(99), 3, "/log", bytes("a line\n"))
    assert.deepInclude(thrown(() => writeWhole(files(3), 3, "/log", bytes("a line\n"))), {
      _tag: "LogUnavailable",
      reason: { _tag: "ShortWrite", written: 3, bytes: 7 }
    })
    assert.deepStrictEqual(writes, [7, 7])
  })
})

describe("the failure of a call", () => {
  const failing = (error: unknown) => () => {
    throw error
  }

  const failure = (effect: Effect.Effect<unknown, { readonly _tag: string; readonly path: string }>) =>
    Effect.runPromise(Effect.flip(effect))

  describe.each([["a reader", reading], ["a writer", writing]] as const)("%s", (_, calls) => {
    it("returns the result of its calls", async () =>
      assert.strictEqual(await Effect.runPromise(calls("/log", () => 42)), 42))

    it("fails with the system's error as an error of the log, with its path", async () =>
      assert.deepInclude(await failure(calls("/log", failing(systemError("EIO")))), {
        _tag: "LogUnavailable",
        path: "/log"
      }))

    it("passes the port's own errors on", async () => {
      const damaged = new LogDamaged({ path: "x", line: 2, offset: 9, kind: "CRLF" })
      assert.strictEqual(await failure(calls("/log", failing(damaged))), damaged)
      assert.strictEqual((await failure(calls("/log", failing(new LogMissing({ path: "x" })))))._tag, "LogMissing")
    })

    it("dies of anything else", async () => {
      const exit = await Effect.runPromiseExit(calls("/log", failing(new TypeError("a bug"))))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    })
  })

  describe("a lost race", () => {
    const lost = new LogConflict({ path: "x", expected: 1, actual: 2 })

    it("is a failure of a writer", async () => assert.strictEqual(await failure(writing("/log", failing(lost))), lost))

    it("cannot happen to a reader", async () => {
      const exit = await Effect.runPromiseExit(reading("/log", failing(lost)))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    })
  })
})
