// EventLogFile.stream: a log in parts, compared with the log read at once; its memory, its end, and what is shown before a fault.
// The one rule: whatever the log, the stream gives the lines that `read` gives, and fails where it fails.
import * as fs from "node:fs"
import { Effect, Stream, Tracer } from "effect"
import { assert, describe, it } from "vitest"
import { layer, make } from "../../../src/log/EventLog.live.ts"
import { spanLines } from "../../../src/cli/Diagnostics.live.ts"
import { beginning, type Head } from "../../../src/log/StreamKind.ts"
import type { Event } from "../../../src/run/Event.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { nodeFiles } from "../../../src/log/Files.live.ts"
import { sha256 } from "../../../src/platform/Sha256.ts"
import { EventLog, type LogPart } from "../../../src/log/EventLog.ts"
import { logOf } from "../read/audit/writtenRuns.ts"
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

/** The parts of the log after a line, and what the stream failed with. */
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
  it("gives what a read gives, with the head and the end", async () => {
    const head = write(5)
    const { failure, lines, parts } = await streamed()
    const read = await Effect.runPromise(unlocked().read(reviewRun, run.ref()))
    assert.isNull(failure)
    assert.deepEqual(seqs(lines), seqs(read.commits))
    assert.deepEqual(lines.map(({ hash }) => hash).at(-1), head.hash)
    assert.deepEqual(parts.at(-1)?.head, head)
    assert.deepEqual(parts.map(({ end }) => end), [{ torn: 0, anchored: true }])
  })

  it("of a long log comes in parts of bounded size, and one end", async () => {
    write(400, 3_000)
    const { lines, parts } = await streamed()
    assert.deepEqual(seqs(lines), upTo(400))
    assert.isAbove(parts.length, 8)
    for (const part of parts) assert.isAtMost(part.lines.length, 44)
    assert.deepEqual(parts.map(({ end }) => end === null), [...parts.slice(1).map(() => true), false])
    assert.deepEqual(parts.map(({ head }) => head.seq), parts.map((part) => part.lines.at(-1)?.seq ?? 0))
  })

  it("is one span, however long the log is", async () => {
    write(400, 3_000)
    const spans: Array<string> = []
    const parts = await Effect.runPromise(
      Stream.runCount(unlocked().stream(reviewRun, run.ref(), beginning)).pipe(
        Effect.provideService(Tracer.Tracer, spanLines((line) => void spans.push(JSON.parse(line).span), 7))
      )
    )
    assert.isAbove(parts, 8)
    assert.deepEqual(spans, ["EventLog.stream"])
  })

  it("takes lines of the greatest length", async () => {
    write(9, 65_000)
    assert.deepEqual(seqs((await streamed()).lines), upTo(9))
  })

  it("begins after any line, known from before or not", async () => {
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

  it("goes on where it ended, with what was appended since", async () => {
    const log = unlocked()
    const head = await Effect.runPromise(log.create(reviewRun, run.ref(), [created()]))
    assert.deepEqual(seqs((await streamed(beginning, log)).lines), [1])
    assert.deepEqual((await streamed(head, log)).lines, [])
    const next = await Effect.runPromise(log.append(reviewRun, run.ref(), head, [note("2")]))
    const { lines, parts } = await streamed(head, log)
    assert.deepEqual(seqs(lines), [2])
    assert.deepEqual(parts.at(-1)?.head, next)
  })

  it("says what is torn behind it, and whether an anchor was there", async () => {
    write(3)
    fs.appendFileSync(run.file("manifest.jsonl"), "torn")
    assert.deepEqual((await streamed()).parts.at(-1)?.end, { torn: 4, anchored: true })
    fs.rmSync(run.file("head.json"))
    assert.deepEqual((await streamed()).parts.at(-1)?.end, { torn: 4, anchored: false })
  })

  it("of a long torn tail is over before it", async () => {
    write(3)
    fs.appendFileSync(run.file("manifest.jsonl"), "t".repeat(3_000_000))
    const { failure, lines, parts } = await streamed()
    assert.isNull(failure)
    assert.deepEqual(seqs(lines), [1, 2, 3])
    assert.deepEqual(parts.at(-1)?.end, { torn: 3_000_000, anchored: true })
  })

  it("holds one descriptor while it goes, and none behind it", async () => {
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

  it("fails as a read fails: cut, rewritten, missing, too new", async () => {
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

  it("refuses to begin after a line that is not there, or is another", async () => {
    const head = write(3)
    const other = { seq: 3, hash: "0".repeat(64) }
    const failureAfter = async (after: Head) => ({ ...(await streamed(after)).failure })
    assert.deepInclude(await failureAfter({ ...head, seq: 9 }), { _tag: "LogRewound", kind: "rolled back" })
    assert.deepInclude(await failureAfter(other), { _tag: "LogRewound", kind: "rewritten" })
  })

  it("is the live layer's too", async () => {
    write(3)
    const parts = await Effect.runPromise(
      EventLog.use((log) => Stream.runCollect(log.stream(reviewRun, run.ref(), beginning))).pipe(Effect.provide(layer))
    )
    assert.deepEqual(seqs(parts.flatMap(({ lines }) => lines)), [1, 2, 3])
  })
})
