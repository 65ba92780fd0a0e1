// Read: a log as commits, from its beginning or from a place verified before, without a lock and without a repair.
import { assert, describe, it } from "vitest"
import { start } from "../../../src/log/LogFile.live.ts"
import { checkLine, readAfter, readAfterHead } from "../../../src/log/LogRead.live.ts"
import { onDisk, thrown, written } from "./diskLog.ts"

const seqs = ({ lines }: { readonly lines: ReadonlyArray<{ readonly seq: number }> }) => lines.map(({ seq }) => seq)

describe("a log is read", () => {
  it("from its beginning, with where it ends", () => {
    const { end, log } = written(3)
    const read = readAfter(log, start)
    assert.deepStrictEqual(seqs(read), [1, 2, 3])
    assert.deepStrictEqual([read.end, read.torn], [end, 0])
  })

  it("from a place that was verified before, without the bytes before it", () => {
    const { disk, ends: [, , second = start] } = written(3)
    let first = Number.POSITIVE_INFINITY
    const log = onDisk(disk, {
      read: (fd, into, position) => {
        first = Math.min(first, position)
        return disk.files.read(fd, into, position)
      }
    })
    // The anchor is read from its beginning; the log is not.
    const anchorless = { ...log, names: { ...log.names, head: "/state/none" } }
    disk.files.makeDirectory("/state")
    assert.deepStrictEqual(seqs(readAfter(anchorless, second)), [3])
    assert.isAbove(first, 0)
  })

  it("from the line of a head whose place is not known", () => {
    const { ends: [, first = start], log } = written(3)
    const { hash, seq } = first
    assert.deepStrictEqual(seqs(readAfterHead(log, { seq, hash })), [2, 3])
    assert.deepStrictEqual(seqs(readAfterHead(log, { seq: 0, hash: "" })), [1, 2, 3])
  })

  it("from the line of its head also where the file is another one than the place is of", () => {
    const { ends: [, , second = start], log } = written(3)
    assert.deepStrictEqual(seqs(readAfter(log, { ...second, offset: second.offset - 1 })), [3])
  })

  it("up to a torn tail, which stays where it is", () => {
    const { log, put, see } = written(2)
    put(Buffer.concat([see(), Buffer.from('{"v"')]))
    const read = readAfter(log, start)
    assert.deepStrictEqual([seqs(read), read.torn], [[1, 2], 4])
    assert.strictEqual(see().at(-1), '"'.charCodeAt(0))
  })
})

describe("a log is refused", () => {
  it("that is missing", () =>
    assert.deepStrictEqual(thrown(() => readAfter(written(0).log, start)), { _tag: "LogMissing" }))

  it("that lost the line of a head, or has another in its place", () => {
    const { log } = written(2)
    assert.deepInclude(thrown(() => readAfterHead(log, { seq: 3, hash: "x" })), { kind: "rolled back" })
    assert.deepInclude(thrown(() => readAfterHead(log, { seq: 2, hash: "x" })), { kind: "rewritten" })
  })

  it("that holds what this version does not know, as too new", () => {
    const { log, put, text } = written(2)
    put(Buffer.from(text().replace("StepAborted", "StepAbouted")))
    assert.deepInclude(thrown(() => readAfter(log, start)), { _tag: "LogDamaged", kind: "bad hash", line: 2 })
  })
})

describe("a line that is checked", () => {
  it("is the one that is remembered", () => {
    checkLine("/log", { seq: 1, hash: "a" }, "a")
    assert.deepInclude(thrown(() => checkLine("/log", { seq: 1, hash: "a" }, "b")), {
      _tag: "LogRewound",
      kind: "rewritten"
    })
    assert.deepInclude(thrown(() => checkLine("/log", { seq: 1, hash: "a" }, null)), {
      _tag: "LogRewound",
      kind: "rolled back"
    })
  })
})
