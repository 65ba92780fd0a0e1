// Torn tails: readers report them, the next writer cuts them, keeps the evidence and says so.
// The one rule: bytes that were never acknowledged may go; they go into torn/, and no acknowledged line with them.
import * as fs from "node:fs"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { nodeFiles } from "../../../src/log/Files.live.ts"
import { Disk } from "./disk.ts"
import { fileOf, onlyRun } from "./onlyRun.ts"
import { note, notes, repairs } from "./samples.ts"
import { outcome, temporaryRun, unlocked, writeLines } from "./temporaryLog.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"

const run = temporaryRun()

/** A log of two acknowledged lines and then `tail`, as a writer killed in the middle of a third leaves it. */
const withTail = async (tail: Uint8Array) => {
  fs.rmSync(run.dir(), { recursive: true, force: true })
  const [earlier, head] = await Effect.runPromise(writeLines(unlocked(), run.ref(), 2))
  if (earlier === undefined || head === undefined) return assert.fail("no two lines")
  const end = run.bytes().length
  fs.appendFileSync(run.file("manifest.jsonl"), tail)
  return { earlier, head, end }
}

const log = fileOf("/state", "manifest.jsonl")

/** The disk of a run with two lines and its last head, and the third line that a later writer would have added. */
const twoLines = async () => {
  const disk = new Disk()
  const heads = await Effect.runPromise(writeLines(unlocked(disk.files), onlyRun("/state"), 3))
  const all = disk.see(log) ?? assert.fail("no log")
  const end = all.lastIndexOf(10, all.length - 2) + 1
  const head = heads[1] ?? assert.fail("no second line")
  const offset = JSON.stringify({ seq: head.seq, offset: end, hash: head.hash })
  const withTail = (tail: Uint8Array) =>
    Disk.of(
      new Map([
        [log, Buffer.concat([all.subarray(0, end), tail])],
        [fileOf("/state", "head.json"), Buffer.from(offset)]
      ])
    )
  return { end, head, line: all.subarray(end), withTail }
}

const recovers = async ({ end, head, withTail }: Awaited<ReturnType<typeof twoLines>>, tail: Uint8Array) => {
  const disk = withTail(tail)
  const before = await Effect.runPromise(unlocked(disk.files).read(reviewRun, onlyRun("/state")))
  assert.deepInclude(before, { head, torn: tail.length })
  assert.strictEqual(disk.see(log)?.length, end + tail.length, "a reader repairs nothing")
  const after = await Effect.runPromise(
    Effect.andThen(
      unlocked(disk.files).append(reviewRun, onlyRun("/state"), head, [note("next")]),
      unlocked(disk.files).read(reviewRun, onlyRun("/state"))
    )
  )
  assert.deepStrictEqual(notes(after), ["2", "next"])
  assert.strictEqual(after.torn, 0)
  const [repair, ...more] = repairs(after)
  assert.deepStrictEqual(more, [])
  assert.deepInclude(repair, { offset: end, bytes: tail.length })
  assert.isTrue(Buffer.from(tail).equals(disk.see(fileOf("/state", repair?.kept)) ?? assert.fail("no evidence")))
}

const filled = (line: Uint8Array, from: number, to: number): Uint8Array => Uint8Array.from(line).fill(0, from, to)

describe("a torn tail", () => {
  it("of every length of a line, its newline missing, is cut by the next writer", async () => {
    const run = await twoLines()
    for (let length = 1; length < run.line.length; length++) await recovers(run, run.line.subarray(0, length))
  })

  it("may be a hole of NULs, with or without the line's end", async () => {
    const run = await twoLines()
    const { line } = run
    await recovers(run, new Uint8Array(4096))
    await recovers(run, filled(line, 0, line.length))
    await recovers(run, filled(line, 0, 100))
    await recovers(run, filled(line, 100, 200))
    await recovers(run, filled(line, 100, line.length - 1))
    await recovers(run, Buffer.concat([new Uint8Array(4096), line]))
  })

  it("may be longer than any line", async () => recovers(await twoLines(), new Uint8Array(3 * 1024 * 1024).fill(0x20)))

  it("of a run that was being created leaves a log that can be created again", async () => {
    await Effect.runPromise(writeLines(unlocked(), run.ref(), 1))
    const line = run.bytes()
    for (const length of [0, 1, 80, line.length - 1]) {
      fs.rmSync(run.dir(), { recursive: true })
      fs.mkdirSync(run.dir())
      run.write(line.subarray(0, length))
      const empty = await Effect.runPromise(unlocked().read(reviewRun, run.ref()))
      assert.deepStrictEqual(empty, { commits: [], head: { seq: 0, hash: "" }, torn: length })
      await Effect.runPromise(writeLines(unlocked(), run.ref(), 2))
      const whole = await Effect.runPromise(unlocked().read(reviewRun, run.ref()))
      assert.strictEqual(repairs(whole).length, length === 0 ? 0 : 1)
    }
  })

  it("is not cut when its evidence cannot be kept", async () => {
    const { end, head } = await withTail(Buffer.from("torn"))
    fs.writeFileSync(run.file("torn"), "in the way")
    const log = unlocked()
    const said = await outcome(log.append(reviewRun, run.ref(), head, [note("next")]))
    assert.deepInclude(said, { _tag: "LogUnavailable" })
    assert.strictEqual(run.bytes().length, end + 4)
  })

  for (const call of ["truncate", "datasync"] as const) {
    it(`is told of by the next line also when the writer that cut it died at ${call}`, async () => {
      const { head } = await withTail(Buffer.from("torn"))
      let calls = 0
      const dying = unlocked({
        ...nodeFiles,
        [call]: (fd: number, size: number) => {
          // The first datasync is that of the evidence, the second that of the cut.
          if (++calls === (call === "datasync" ? 2 : 1)) throw new Error("killed")
          nodeFiles[call](fd, size)
        }
      })
      const died = await Effect.runPromiseExit(dying.append(reviewRun, run.ref(), head, [note("never")]))
      assert.strictEqual(died._tag, "Failure")
      const after = await Effect.runPromise(
        Effect.andThen(
          unlocked().append(reviewRun, run.ref(), head, [note("next")]),
          unlocked().read(reviewRun, run.ref())
        )
      )
      assert.deepStrictEqual(notes(after), ["2", "next"])
      assert.deepStrictEqual(repairs(after).map(({ bytes }) => bytes), [4])
      assert.strictEqual(fs.readdirSync(run.file("torn")).length, 1)
    })
  }

  it("does not hide that its decision is stale", async () => {
    const { earlier } = await withTail(Buffer.from("torn"))
    assert.deepStrictEqual(await outcome(unlocked().append(reviewRun, run.ref(), earlier, [note("stale")])), {
      _tag: "LogConflict",
      expected: 1,
      actual: 2
    })
  })
})
