// Scan: each line of an open log verified in turn; what follows the last newline is torn, and nothing is skipped.
import { assert, describe, it } from "vitest"
import { type Anchor, start } from "../../../src/log/LogFile.live.ts"
import { endsAt, scan } from "../../../src/log/LogRead.live.ts"
import { maxLineBytes } from "../../../src/log/Frame.ts"
import { appended, thrown, written } from "./diskLog.ts"
import { note } from "./samples.ts"

const bytes = (text: string) => Buffer.from(text)

/** A log of three lines with `change` made to its bytes, scanned against an anchor. */
const scanned = (
  change: (log: Buffer, ends: ReadonlyArray<Anchor>) => Uint8Array = (log) => log,
  anchor: Anchor | null = null
) => {
  const { disk, ends, log, put, see } = written(3)
  put(change(Buffer.from(see()), ends))
  const seen: Array<readonly [seq: number, begin: number | undefined]> = []
  const fd = disk.files.open(log.names.log, "read")
  const run = (from = start) => scan(log, fd, from, anchor, (line, begin) => seen.push([line.seq, begin.offset]))
  return { run, seen, ends, fd, files: disk.files }
}
const third = () => written(3).end

describe("a scan", () => {
  it("hands each line on with the place it begins at, and says where the last one ends", () => {
    const { ends, run, seen } = scanned()
    assert.deepStrictEqual(run(), { end: ends[3], torn: 0 })
    assert.deepStrictEqual(seen, [[1, 0], [2, ends[1]?.offset], [3, ends[2]?.offset]])
  })

  it("begins behind a place that was verified before", () => {
    const { ends, run, seen } = scanned()
    run(ends[2])
    assert.deepStrictEqual(seen.map(([seq]) => seq), [3])
  })

  it("joins the parts of a line that two reads bring, and mixes no two scans", () => {
    const { disk, end, log } = written(1)
    let last = end
    for (let i = 2; i <= 60; i++) last = appended(log, last, note(`${i} ${"\u00e9".repeat(20_000 + i)}`))
    const fd = disk.files.open(log.names.log, "read")
    for (let round = 0; round < 2; round++) {
      const read: Array<unknown> = []
      assert.deepStrictEqual(scan(log, fd, start, null, ({ events }) => read.push(events[0])), { end: last, torn: 0 })
      assert.deepStrictEqual(
        read.slice(1),
        read.slice(1).map((_, i) => note(`${i + 2} ${"\u00e9".repeat(20_002 + i)}`))
      )
      assert.lengthOf(read, 60)
    }
  })

  it("takes what no newline ends for torn, however long it is", () => {
    for (const tail of ['{"v":1', "x".repeat(3 * maxLineBytes)]) {
      const { run, seen } = scanned((log) => Buffer.concat([log, bytes(tail)]))
      assert.strictEqual(run().torn, tail.length)
      assert.lengthOf(seen, 3)
    }
  })

  it("takes the beginning of a line for torn where its newline stands alone, as a disk may have kept it", () => {
    const { run } = scanned((log) => Buffer.concat([log, Buffer.alloc(20), bytes("\n")]))
    assert.strictEqual(run().torn, 21)
  })
})

describe("what is wrong with a log", () => {
  const wrong: ReadonlyArray<readonly [string, (log: Buffer, ends: ReadonlyArray<Anchor>) => Uint8Array, object]> = [
    ["a byte that was changed", (log, ends) => {
      log.writeUInt8(log.readUInt8((ends[1]?.offset ?? 0) + 30) ^ 1, (ends[1]?.offset ?? 0) + 30)
      return log
    }, { _tag: "LogDamaged", line: 2 }],
    [
      "a line that is missing",
      (log, ends) => Buffer.concat([log.subarray(0, ends[1]?.offset), log.subarray(ends[2]?.offset)]),
      {
        _tag: "LogDamaged",
        line: 2
      }
    ],
    [
      "a line that stands twice",
      (log, ends) => Buffer.concat([log.subarray(0, ends[2]?.offset), log.subarray(ends[1]?.offset)]),
      {
        _tag: "LogDamaged",
        line: 3,
        kind: "duplicate"
      }
    ],
    [
      "a line that no line can be as long as",
      (log) => Buffer.concat([log, bytes(`${"x".repeat(2 * 1024 * 1024)}\n{}`)]),
      {
        _tag: "LogDamaged",
        line: 4,
        kind: "too long"
      }
    ]
  ]
  it.each(wrong)(
    "is refused: %s",
    (_, change, expected) => assert.deepInclude(thrown(() => scanned(change).run()), expected)
  )
})

describe("an anchor", () => {
  it("that the log reaches says nothing against it", () => {
    const { run } = scanned(undefined, third())
    assert.strictEqual(run().end.seq, 3)
  })

  it("shows that lines were cut at a border, or rewritten with valid hashes", () => {
    assert.deepInclude(thrown(() => scanned((log, ends) => log.subarray(0, ends[2]?.offset), third()).run()), {
      _tag: "LogRewound",
      kind: "rolled back"
    })
    assert.deepInclude(thrown(() => scanned(undefined, { ...third(), hash: "0".repeat(64) }).run()), {
      _tag: "LogRewound",
      kind: "rewritten"
    })
  })

  it("shows that a line without its newline was acknowledged with it", () =>
    assert.deepInclude(
      thrown(() => scanned((log) => Buffer.concat([log.subarray(0, -1), bytes("x")]), third()).run()),
      {
        _tag: "LogDamaged",
        kind: "no newline",
        line: 3
      }
    ))
})

describe("a place", () => {
  it("is where a line of that hash ends", () => {
    const { ends: [, first = start], fd, files } = scanned()
    assert.isTrue(endsAt(files, fd, start))
    assert.isTrue(endsAt(files, fd, first))
    assert.isFalse(endsAt(files, fd, { ...first, offset: first.offset + 1 }))
    assert.isFalse(endsAt(files, fd, { ...first, hash: "0".repeat(64) }))
    assert.isFalse(endsAt(files, fd, { ...first, offset: 10_000 }))
  })
})
