// Torn: a tail is kept durably before it is cut, and every cut is told of, also by the next writer.
import { assert, describe, it } from "vitest"
import type { Files } from "../../../src/log/Files.live.ts"
import { sha256 } from "../../../src/platform/Sha256.ts"
import { cutTail, unrecordedRepairs } from "../../../src/log/EventLog.live.ts"
import { onDisk, thrown, written } from "./diskLog.ts"
import { systemError } from "./faultyFiles.ts"

const tail = '{"v":1,"se'
const kept = `-${sha256(tail).slice(0, 8)}`

/** A log of one line with a torn tail. */
const torn = (change: (files: Files) => Partial<Files> = () => ({})) => {
  const { disk, end, log, put, see, text } = written(1)
  put(Buffer.concat([see(), Buffer.from(tail)]))
  const { files } = onDisk(disk, change(disk.files))
  const fd = files.open(log.names.log, "append")
  const calls: Array<keyof Files> = []
  disk.onCall = (call) => calls.push(call)
  return { cut: () => cutTail(files, log.names, fd, end.offset), calls, disk, end, files, log, text }
}

describe("a tail", () => {
  it("is kept under its place and its digest, and then cut", () => {
    const { cut, disk, end, log, text } = torn()
    cut()
    assert.isFalse(text().endsWith(tail))
    assert.strictEqual(text().length, end.offset)
    assert.strictEqual(new TextDecoder().decode(disk.see(`${log.names.torn}/${end.offset}${kept}`) ?? undefined), tail)
  })

  it("is cut after it is durable, with its name", () => {
    const { calls, cut } = torn()
    cut()
    assert.deepStrictEqual(calls.filter((call) => call !== "read" && call !== "open"), [
      "makeDirectory",
      "write",
      "datasync",
      "syncDirectory",
      "syncDirectory",
      "truncate",
      "datasync"
    ])
  })

  it.each(["write", "datasync", "syncDirectory", "makeDirectory"] as const)("stays where %s fails", (call) => {
    const { cut, text } = torn(() => ({
      [call]: () => {
        throw systemError("ENOSPC")
      }
    }))
    assert.deepStrictEqual(thrown(cut), { code: "ENOSPC" })
    assert.isTrue(text().endsWith(tail))
  })

  it("is kept under the same name by a writer that comes after one that was killed", () => {
    const { cut, disk, end, files, log } = torn((files) => {
      let cuts = 0
      return { truncate: (fd, size) => cuts++ === 0 ? assert.fail("killed") : files.truncate(fd, size) }
    })
    thrown(cut)
    cut()
    assert.deepStrictEqual(files.list(log.names.torn), [`${end.offset}${kept}`])
    assert.strictEqual(disk.see(log.names.log)?.length, end.offset)
  })
})

describe("a repair", () => {
  it("is untold while the next line would begin where it cut", () => {
    const { cut, end, files, log } = torn()
    assert.deepStrictEqual(unrecordedRepairs(files, log.names, end.offset), [])
    cut()
    assert.deepStrictEqual(unrecordedRepairs(files, log.names, end.offset), [
      { _tag: "TailRepaired", offset: end.offset, bytes: tail.length, kept: `torn/${end.offset}${kept}` }
    ])
    assert.deepStrictEqual(unrecordedRepairs(files, log.names, end.offset + 1), [])
  })

  it("of another place that begins with the same digits is none of it", () => {
    const { cut, end, files, log } = torn()
    cut()
    assert.deepStrictEqual(unrecordedRepairs(files, log.names, Math.floor(end.offset / 10)), [])
  })

  it("that cannot be looked for is no missing one", () => {
    const { files, log } = torn(() => ({
      list: () => {
        throw systemError("EACCES")
      }
    }))
    assert.deepStrictEqual(thrown(() => unrecordedRepairs(files, log.names, 0)), { code: "EACCES" })
  })
})
