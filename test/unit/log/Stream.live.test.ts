// Stream: a log in bounded parts, each verified to its end before it is handed on.
import { Effect, Stream } from "effect"
import { assert, describe, it } from "vitest"
import { type Anchor, type LogFile, start } from "../../../src/log/LogFile.live.ts"
import { stream } from "../../../src/log/LogRead.live.ts"
import { maxLineBytes } from "../../../src/log/Frame.ts"
import type { Event } from "../../../src/run/Event.ts"
import type { LogPart } from "../../../src/log/EventLog.ts"
import { appended, onDisk, written } from "./diskLog.ts"
import { systemError } from "./faultyFiles.ts"
import { note } from "./samples.ts"

const beginning = { seq: 0, hash: "" }

/** All parts of a stream, the places it has reached, and the tag of its failure. */
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

/** A log of lines so long that a part holds few of them. */
const long = () => {
  const { end, ...rest } = written(1)
  let last = end
  for (let i = 2; i <= 8; i++) last = appended(rest.log, last, note(`${i}${"x".repeat(maxLineBytes / 2)}`))
  return { ...rest, end: last }
}

describe("a stream", () => {
  it("of a short log is one part with an end", async () => {
    const { end, log } = written(3)
    const { failure, parts, reached, seqs } = await streamed(log)
    assert.deepStrictEqual([failure, seqs, parts.length], [null, [1, 2, 3], 1])
    assert.deepStrictEqual(parts[0]?.end, { torn: 0, anchored: true })
    assert.deepStrictEqual(reached, [end])
  })

  it("of a long one is several parts, of which the last alone has an end", async () => {
    const { end, log } = long()
    const { parts, reached, seqs } = await streamed(log)
    assert.deepStrictEqual(seqs, [1, 2, 3, 4, 5, 6, 7, 8])
    assert.isAbove(parts.length, 1)
    assert.deepStrictEqual(parts.map((part) => part.end !== null), parts.map((_, i) => i === parts.length - 1))
    assert.deepStrictEqual(reached.at(-1), end)
  })

  it("begins behind a line, at its place or from the beginning", async () => {
    const { ends: [, , second = start], log } = written(4)
    assert.deepStrictEqual((await streamed(log, second, second)).seqs, [3, 4])
    assert.deepStrictEqual((await streamed(log, second)).seqs, [3, 4])
    assert.strictEqual((await streamed(log, { seq: 2, hash: "x" })).failure, "LogRewound")
    assert.strictEqual((await streamed(log, { seq: 9, hash: "x" })).failure, "LogRewound")
  })

  it("tells of a torn tail, and that no anchor is there", async () => {
    const { log, put, see } = written(2)
    put(Buffer.concat([see(), Buffer.from("{")]))
    const { parts } = await streamed({ ...log, names: { ...log.names, head: `${log.names.directory}/none` } })
    assert.deepStrictEqual(parts.at(-1)?.end, { torn: 1, anchored: false })
  })

  it("closes its file, also where it fails", async () => {
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
  it("gives the lines before the damage, and then fails", async () => {
    const { ends, log, put, see } = written(3)
    const bytes = Buffer.from(see())
    bytes.writeUInt8(bytes.readUInt8((ends[2]?.offset ?? 0) + 30) ^ 1, (ends[2]?.offset ?? 0) + 30)
    put(bytes)
    const { failure, parts, seqs } = await streamed(log)
    assert.deepStrictEqual([failure, seqs], ["LogDamaged", [1, 2]])
    assert.isNull(parts.at(-1)?.end)
  })

  it("that is not there fails at once", async () =>
    assert.strictEqual((await streamed(written(0).log)).failure, "LogMissing"))

  it("gives nothing twice where a damage was seen only once, as beside a repair", async () => {
    const { disk, log } = written(3)
    let reads = 0
    const flicker = onDisk(disk, {
      read: (fd, into, position) => {
        const count = disk.files.read(fd, into, position)
        // The first read is the anchor's, the second one the log's.
        if (++reads === 2) into[40] = 0
        return count
      }
    })
    const { failure, seqs } = await streamed({ ...flicker, names: log.names })
    assert.deepStrictEqual([failure, seqs], [null, [1, 2, 3]])
  })
})
