// Append: one line, on condition that the log still ends where the decision was made.
import { assert, describe, it } from "vitest"
import { append } from "../../../src/log/EventLog.live.ts"
import { start } from "../../../src/log/LogFile.live.ts"
import { maxLineBytes } from "../../../src/log/Frame.ts"
import type { Head } from "../../../src/log/StreamKind.ts"
import { appended, at, by, onDisk, run, thrown, written } from "./diskLog.ts"
import { created, note } from "./samples.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)

describe("a line is appended", () => {
  it("behind the line that it was decided from, and says where the log now ends", () => {
    const { end, ends, see, text } = written(2)
    assert.deepStrictEqual(ends.map(({ seq }) => seq), [0, 1, 2])
    assert.strictEqual(end.offset, see().length)
    assert.lengthOf(text().trimEnd().split("\n"), 2)
    assert.include(text(), `"hash":"${end.hash}"}\n`)
  })

  it("also when nothing is known of the log but the head that it was decided from", () => {
    const { end, log, text } = written(2)
    const next = append(log, "append", start, { expected: end, at, by, events: [note("3")] })
    assert.strictEqual(next.seq, 3)
    assert.include(text(), '"signal":"3"')
  })

  it("and the known part of the log is not read again", () => {
    const { disk, end } = written(40)
    let read = 0
    const counted = onDisk(disk, {
      read: (fd, into, position) => {
        const count = disk.files.read(fd, into, position)
        read += count
        return count
      }
    })
    appended(counted, end, note("next"))
    assert.isBelow(read, 1000)
  })

  it("behind a torn tail, which is cut, kept and told of in the same line", () => {
    const { disk, end, log, put, see, text } = written(1)
    put(Buffer.concat([see(), bytesOf('{"v":1,"se')]))
    appended(log, end, note("2"))
    const [, line = ""] = text().split("\n")
    const [repair, event] = JSON.parse(line).events
    assert.deepInclude(repair, { _tag: "TailRepaired", offset: end.offset, bytes: 10 })
    assert.deepStrictEqual(event, note("2"))
    assert.strictEqual(
      new TextDecoder().decode(disk.see(`${log.names.directory}/${repair.kept}`) ?? bytesOf("")),
      '{"v":1,"se'
    )
  })
})

describe("a line is refused", () => {
  it("where another process has committed first", () => {
    const { ends: [, first = start], log, text } = written(2)
    const before = text()
    assert.deepStrictEqual(thrown(() => appended(log, first, note("x"))), {
      _tag: "LogConflict",
      expected: 1,
      actual: 2
    })
    assert.strictEqual(text(), before)
  })

  it("where the log has lost the line, or has another one in its place", () => {
    const { end, log } = written(2)
    const from = (expected: Head) =>
      thrown(() => append(log, "append", start, { expected, at, by, events: [note("x")] }))
    assert.deepInclude(from({ ...end, seq: 3 }), { _tag: "LogRewound", kind: "rolled back" })
    assert.deepInclude(from({ ...end, hash: "0".repeat(64) }), { _tag: "LogRewound", kind: "rewritten" })
  })

  it("where it is too long, and nothing of it stands", () => {
    const { end, log, text } = written(1)
    const before = text()
    assert.deepInclude(thrown(() => appended(log, end, note("x".repeat(maxLineBytes)))), { _tag: "LogUnavailable" })
    assert.strictEqual(text(), before)
  })

  it("where it begins a log without the event that begins one", () => {
    const { log } = written(0)
    assert.deepInclude(thrown(() => appended(log, start, note("x"))), { _tag: "LogUnavailable" })
    assert.strictEqual(appended(log, start, created({ runId: run.runId })).seq, 1)
  })

  it("where there is no log to append to", () => {
    const { disk } = written(0)
    const missing = () => append(onDisk(disk), "append", start, { expected: start, at, by, events: [note("x")] })
    assert.deepStrictEqual(thrown(missing), { _tag: "LogMissing" })
  })
})
