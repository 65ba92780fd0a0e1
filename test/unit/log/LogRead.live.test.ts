// LogRead: a log as commits or in parts, each line verified, without a lock and without a repair.
// A stream gives the lines that a read gives, and fails where a read fails, for any log.
import { Effect, Stream } from "effect"
import * as fs from "node:fs"
import { assert, describe, it } from "vitest"
import { make } from "../../../src/log/EventLog.live.ts"
import type { LogPart } from "../../../src/log/EventLog.ts"
import { nodeFiles } from "../../../src/log/Files.live.ts"
import { type Anchor, type LogFile, start } from "../../../src/log/LogFile.live.ts"
import { endsAt, readAfter, readAfterHead, scan, stream } from "../../../src/log/LogRead.live.ts"
import { beginning, type Head } from "../../../src/log/StreamKind.ts"
import { sha256 } from "../../../src/platform/Sha256.ts"
import type { Event } from "../../../src/run/Event.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { logOf } from "../../support/writtenRuns.ts"
import { appended, onDisk, thrown, written } from "./diskLog.ts"
import { systemError } from "./faultyFiles.ts"
import { created, note } from "./samples.ts"
import { temporaryRun, unlocked } from "./temporaryLog.ts"

const run = temporaryRun()

/** Writes a log of `count` lines, each about `bytes` long. */
const write = (count: number, bytes = 0): Head => {
  const filler = "x".repeat(bytes)
  const lines: Array<ReadonlyArray<Event>> = [[created()]]
  for (let i = 2; i <= count; i++) lines.push([note(`${i}:${filler}`)])
  const { head, text } = logOf(lines)
  fs.mkdirSync(run.dir(), { recursive: true })
  fs.writeFileSync(run.file("manifest.jsonl"), text)
  fs.writeFileSync(run.file("head.json"), JSON.stringify({ ...head, offset: Buffer.byteLength(text) }))
  return head
}

/** The parts of the log after a line, and the failure of the stream. */
const streamed = (after: Head = beginning, log = unlocked()) =>
  Effect.runPromise(Effect.gen(function*() {
    const parts: Array<LogPart> = []
    const failure = yield* log.stream(reviewRun, run.ref(), after).pipe(
      Stream.runForEach((part) => Effect.sync(() => void parts.push(part))),
      Effect.match({ onFailure: (error) => error, onSuccess: () => null })
    )
    return { failure, parts, lines: parts.flatMap(({ lines }) => lines) }
  }))

const seqs = (lines: ReadonlyArray<{ readonly seq: number }>): ReadonlyArray<number> => lines.map(({ seq }) => seq)

const upTo = (count: number, from = 1): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, count - from + 1) }, (_, i) => from + i)

describe("a stream", () => {
  it("of a long log comes in parts of bounded size, with one end", async () => {
    write(400, 3_000)
    const { lines, parts } = await streamed()
    assert.deepEqual(seqs(lines), upTo(400))
    assert.isAbove(parts.length, 8)
    for (const part of parts) assert.isAtMost(part.lines.length, 44)
    assert.deepEqual(parts.map(({ end }) => end === null), [...parts.slice(1).map(() => true), false])
    assert.deepEqual(parts.map(({ head }) => head.seq), parts.map((part) => part.lines.at(-1)?.seq ?? 0))
  })

  it("accepts lines of maximum length", async () => {
    write(9, 65_000)
    assert.deepEqual(seqs((await streamed()).lines), upTo(9))
  })

  it("begins after any line, whether or not its place is known", async () => {
    write(60, 9_000)
    const log = unlocked()
    const all = (await streamed(beginning, log)).lines
    for (const at of [0, 1, 30, 59, 60]) {
      const line = all[at - 1]
      const after = line === undefined ? beginning : { seq: line.seq, hash: line.hash }
      assert.deepEqual(seqs((await streamed(after)).lines), upTo(60, at + 1), `fresh, after ${at}`)
      assert.deepEqual(seqs((await streamed(after, log)).lines), upTo(60, at + 1), `known, after ${at}`)
    }
  })

  it("reports the torn tail, and whether there was an anchor", async () => {
    write(3)
    fs.appendFileSync(run.file("manifest.jsonl"), "torn")
    assert.deepEqual((await streamed()).parts.at(-1)?.end, { torn: 4, anchored: true })
    fs.rmSync(run.file("head.json"))
    assert.deepEqual((await streamed()).parts.at(-1)?.end, { torn: 4, anchored: false })
  })

  it("of a long torn tail ends before it", async () => {
    write(3)
    fs.appendFileSync(run.file("manifest.jsonl"), "t".repeat(3_000_000))
    const { failure, lines, parts } = await streamed()
    assert.isNull(failure)
    assert.deepEqual(seqs(lines), [1, 2, 3])
    assert.deepEqual(parts.at(-1)?.end, { torn: 3_000_000, anchored: true })
  })

  it("holds one descriptor while it runs, and none afterwards", async () => {
    write(400, 3_000)
    let open = 0
    let most = 0
    const log = make({
      files: {
        ...nodeFiles,
        open: (path, mode) => {
          most = Math.max(most, ++open)
          return nodeFiles.open(path, mode)
        },
        close: (fd) => {
          open--
          nodeFiles.close(fd)
        }
      },
      locked: (_, use) => use,
      author: { version: "0.1.0", pid: 7 }
    })
    await streamed(beginning, log)
    assert.deepEqual([open, most], [0, 1])
    await Effect.runPromise(log.stream(reviewRun, run.ref(), beginning).pipe(Stream.take(1), Stream.runDrain))
    assert.strictEqual(open, 0)
  })
})

describe("a stream of a faulty log", () => {
  it("gives every line before the fault, then fails with it", async () => {
    for (const damaged of [2, 30, 100, 399]) {
      write(400, 3_000)
      const lines = run.lines()
      const line = lines[damaged - 1] ?? ""
      fs.writeFileSync(run.file("manifest.jsonl"), lines.with(damaged - 1, line.replace("x", "y")).join(""))
      const { failure, lines: seen, parts } = await streamed()
      assert.deepEqual(seqs(seen), upTo(damaged - 1))
      assert.deepInclude({ ...failure }, { _tag: "LogDamaged", kind: "bad hash", line: damaged })
      assert.isNull(parts.at(-1)?.end)
      assert.strictEqual(parts.at(-1)?.head.seq, damaged - 1)
    }
  })

  it("fails like a read: cut, rewritten, missing, too new", async () => {
    const cases: ReadonlyArray<readonly [string, () => void]> = [
      ["LogRewound", () => fs.writeFileSync(run.file("manifest.jsonl"), run.lines().slice(0, -1).join(""))],
      ["LogRewound", () => fs.writeFileSync(run.file("manifest.jsonl"), logOf([[created()], [note("other")]]).text)],
      ["LogMissing", () => fs.rmSync(run.file("manifest.jsonl"))],
      ["LogTooNew", () => {
        const text = fs.readFileSync(run.file("manifest.jsonl"), "utf8")
        const body = text.split("\n")[0]?.replace('"v":1', '"v":2').slice(0, -75) ?? ""
        fs.writeFileSync(run.file("manifest.jsonl"), `${body},"hash":"${sha256(body)}"}\n`)
      }]
    ]
    for (const [tag, damage] of cases) {
      write(4)
      damage()
      const read = await Effect.runPromise(Effect.flip(unlocked().read(reviewRun, run.ref())))
      const { failure } = await streamed()
      assert.strictEqual(failure?._tag, tag)
      assert.deepEqual({ ...failure }, { ...read })
    }
  })
})

describe("a stream on a disk", () => {
  const beginning = { seq: 0, hash: "" }

  /** All parts of a stream, the places it reached, and the tag of its failure. */
  const streamed = async (log: LogFile<Event>, after = beginning, from = start) => {
    const parts: Array<LogPart> = []
    const reached: Array<Anchor> = []
    const failure = await Effect.runPromise(
      stream(log, after, from, (end) => reached.push(end)).pipe(
        Stream.runForEach((part) => Effect.sync(() => void parts.push(part))),
        Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: () => null })
      )
    )
    return { parts, reached, failure, seqs: parts.flatMap(({ lines }) => lines.map(({ seq }) => seq)) }
  }

  describe("a stream", () => {
    it("closes its file, even if it fails", async () => {
      const { disk } = written(2)
      let open = 0
      const counted = {
        open: (...args: Parameters<typeof disk.files.open>) => (open++, disk.files.open(...args)),
        close: (fd: number) => {
          open--
          disk.files.close(fd)
        }
      }
      await streamed(onDisk(disk, counted))
      await streamed(onDisk(disk, {
        ...counted,
        size: () => {
          throw systemError("EIO")
        }
      }))
      assert.strictEqual(open, 0)
    })
  })

  describe("a stream of a faulty log", () => {
    it("gives nothing twice if damage was seen only once, as beside a repair", async () => {
      const { disk, log } = written(3)
      let reads = 0
      const flicker = onDisk(disk, {
        read: (fd, into, position) => {
          const count = disk.files.read(fd, into, position)
          // The first read is for the anchor, the second for the log.
          if (++reads === 2) into[40] = 0
          return count
        }
      })
      const { failure, seqs } = await streamed({ ...flicker, names: log.names })
      assert.deepStrictEqual([failure, seqs], [null, [1, 2, 3]])
    })
  })
})

describe("a read", () => {
  const seqs = ({ lines }: { readonly lines: ReadonlyArray<{ readonly seq: number }> }) => lines.map(({ seq }) => seq)

  describe("a log is read", () => {
    it("from a verified place, without the bytes before it", () => {
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

    it("from the line of its head, if the place belongs to another file", () => {
      const { ends: [, , second = start], log } = written(3)
      assert.deepStrictEqual(seqs(readAfter(log, { ...second, offset: second.offset - 1 })), [3])
    })
  })

  describe("a log is refused", () => {
    it("if the line of a head is missing or different", () => {
      const { log } = written(2)
      assert.deepInclude(thrown(() => readAfterHead(log, { seq: 3, hash: "x" })), { kind: "rolled back" })
      assert.deepInclude(thrown(() => readAfterHead(log, { seq: 2, hash: "x" })), { kind: "rewritten" })
    })
  })
})

describe("a scan of an open log", () => {
  const bytes = (text: string) => Buffer.from(text)

  /** A log of three lines with `change` applied to its bytes, scanned against an anchor. */
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
    it("passes each line on with the place where it begins, and returns where the last one ends", () => {
      const { ends, run, seen } = scanned()
      assert.deepStrictEqual(run(), { end: ends[3], torn: 0 })
      assert.deepStrictEqual(seen, [[1, 0], [2, ends[1]?.offset], [3, ends[2]?.offset]])
    })

    it("joins the parts of a line from two reads, and does not mix two scans", () => {
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
  })

  describe("an anchor", () => {
    it("shows that a line was acknowledged with the newline that is missing now", () =>
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
    it("is where a line with that hash ends", () => {
      const { ends: [, first = start], fd, files } = scanned()
      assert.isTrue(endsAt(files, fd, start))
      assert.isTrue(endsAt(files, fd, first))
      assert.isFalse(endsAt(files, fd, { ...first, offset: first.offset + 1 }))
      assert.isFalse(endsAt(files, fd, { ...first, hash: "0".repeat(64) }))
      assert.isFalse(endsAt(files, fd, { ...first, offset: 10_000 }))
    })
  })
})
