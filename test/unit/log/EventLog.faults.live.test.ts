// EventLog.faults: failing file calls and torn tails: all or nothing, never acknowledged, and the evidence is kept.
// After a failure the log has the same bytes as before, and the next append works.
import { Effect } from "effect"
import * as fs from "node:fs"
import { assert, describe, it } from "vitest"
import { cutTail, unrecordedRepairs } from "../../../src/log/EventLog.live.ts"
import { type Files, nodeFiles } from "../../../src/log/Files.live.ts"
import { maxLineBytes } from "../../../src/log/Frame.ts"
import { sha256 } from "../../../src/platform/Sha256.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { Disk } from "./disk.ts"
import { onDisk, thrown, written } from "./diskLog.ts"
import { fails, systemError } from "./faultyFiles.ts"
import { fileOf, onlyRun } from "./onlyRun.ts"
import { created, note, notes, repairs } from "./samples.ts"
import { outcome, temporaryRun, unlocked, writeLines } from "./temporaryLog.ts"

const run = onlyRun("/state")
const log = fileOf("/state", "manifest.jsonl")

/** A disk with two lines, the head of the second, and a record of all later calls. */
const prepared = async () => {
  const disk = new Disk()
  const heads = await Effect.runPromise(writeLines(unlocked(disk.files), run, 2))
  const head = heads[1] ?? assert.fail("no second line")
  const calls: Array<keyof Files> = []
  disk.onCall = (call) => calls.push(call)
  return { disk, head, calls }
}

/** Appends through `files`, which fail, and then without them. */
const failing = async (change: (files: Files) => Partial<Files>, expected: RegExp) => {
  const { calls, disk, head } = await prepared()
  const before = disk.see(log)
  const failed = unlocked({ ...disk.files, ...change(disk.files) }).append(reviewRun, run, head, [note("never")])
  const { _tag, message } = await Effect.runPromise(Effect.flip(failed))
  assert.strictEqual(_tag, "LogUnavailable")
  assert.match(message, expected)
  assert.deepStrictEqual(disk.see(log), before)
  const during = [...calls]
  const after = await Effect.runPromise(
    Effect.andThen(
      unlocked(disk.files).append(reviewRun, run, head, [note("next")]),
      unlocked(disk.files).read(reviewRun, run)
    )
  )
  assert.deepStrictEqual(notes(after), ["2", "next"])
  return during
}

describe("a failing append", () => {
  it("takes back a short write, as on a full disk", async () => {
    for (const part of [0, 1, 50]) {
      const calls = await failing(
        // The anchor is small and still fits.
        (files) => ({ write: (fd, bytes) => files.write(fd, bytes.length < 200 ? bytes : bytes.subarray(0, part)) }),
        /only \d+ of \d+ bytes could be written/
      )
      assert.include(calls, "truncate")
    }
  })

  it("notices a full disk at the anchor, before it touches the log", async () => {
    const calls = await failing(
      (files) => ({ write: (fd, bytes) => files.write(fd, bytes.subarray(0, 20)) }),
      /only 20 of \d+ bytes/
    )
    assert.notInclude(calls, "truncate")
  })

  it("reports the error of the system", async () => {
    await failing(fails("write", "ENOSPC", 2), /the disk is full \(ENOSPC: call\)/)
    await failing(fails("write", "EIO", 2), /input\/output error \(EIO: call\)/)
    await failing(fails("write", "EFBIG", 2), /file size limit/)
    await failing(fails("write", "EDQUOT", 1), /quota/)
  })

  it("does not sync again after a failed sync", async () => {
    let syncs = 0
    await failing(() => ({
      datasync: () => {
        syncs++
        throw systemError("EIO")
      }
    }), /EIO/)
    assert.strictEqual(syncs, 1)
  })

  it("takes back a line if its anchor could not be written", async () => {
    const calls = await failing(fails("rename", "EIO"), /EIO/)
    assert.deepStrictEqual(calls.slice(-2), ["truncate", "datasync"])
  })

  it("leaves at most one extra line if nothing can be taken back", async () => {
    const { disk, head } = await prepared()
    const broken = { ...disk.files, ...fails("datasync", "EIO")(disk.files), ...fails("truncate", "EIO")(disk.files) }
    assert.deepInclude(await outcome(unlocked(broken).append(reviewRun, run, head, [note("unacknowledged")])), {
      _tag: "LogUnavailable"
    })
    const contents = await Effect.runPromise(unlocked(disk.files).read(reviewRun, run))
    assert.deepStrictEqual(notes(contents), ["2", "unacknowledged"])
    await Effect.runPromise(unlocked(disk.files).append(reviewRun, run, contents.head, [note("next")]))
  })

  it("cuts nothing from a torn tail while the disk is full", async () => {
    const { disk, head } = await prepared()
    const fd = disk.files.open(log, "append")
    disk.files.write(fd, Buffer.from("torn"))
    const before = disk.see(log)
    const full = unlocked({ ...disk.files, ...fails("write", "ENOSPC")(disk.files) })
    assert.deepInclude(await outcome(full.append(reviewRun, run, head, [note("never")])), { _tag: "LogUnavailable" })
    assert.deepStrictEqual(disk.see(log), before)
  })

  it("refuses a line that is too long", async () => {
    const { calls, disk, head } = await prepared()
    const said = await outcome(unlocked(disk.files).append(reviewRun, run, head, [note("x".repeat(maxLineBytes))]))
    assert.nestedPropertyVal(said, "reason._tag", "LineTooLong")
    assert.notInclude(calls, "write")
  })

  it("does not hide a bug", async () => {
    const { disk, head } = await prepared()
    const broken = unlocked({
      ...disk.files,
      write: () => {
        throw new TypeError("a bug")
      }
    })
    const exit = await Effect.runPromiseExit(broken.append(reviewRun, run, head, [note("never")]))
    assert.match(JSON.stringify(exit), /"Die"/)
  })
})

describe("a failing creation", () => {
  it("leaves nothing that breaks the next one", async () => {
    for (const call of ["write", "datasync", "rename"] as const) {
      for (const nth of [1, 2]) {
        const disk = new Disk()
        const broken = unlocked({ ...disk.files, ...fails(call, "ENOSPC", nth)(disk.files) })
        const said = await outcome(broken.create(reviewRun, run, [created()]))
        const failed = JSON.stringify(said).includes("LogUnavailable")
        assert.strictEqual(failed, call === "write" || nth === 1)
        if (failed) await Effect.runPromise(unlocked(disk.files).create(reviewRun, run, [created()]))
        const contents = await Effect.runPromise(unlocked(disk.files).read(reviewRun, run))
        assert.deepInclude(contents, { torn: 0 })
        assert.deepStrictEqual(contents.commits.map(({ seq }) => seq), [1])
      }
    }
  })

  it("is refused if the run exists", async () => {
    const { disk } = await prepared()
    assert.deepStrictEqual(await outcome(unlocked(disk.files).create(reviewRun, run, [created()])), {
      _tag: "LogConflict",
      expected: 0,
      actual: 2
    })
  })
})

describe("a log with a torn tail", () => {
  const run = temporaryRun()

  /** A log of two acknowledged lines and then `tail`, as a writer leaves it that was killed during the third. */
  const withTail = async (tail: Uint8Array) => {
    fs.rmSync(run.dir(), { recursive: true, force: true })
    const [earlier, head] = await Effect.runPromise(writeLines(unlocked(), run.ref(), 2))
    if (earlier === undefined || head === undefined) return assert.fail("no two lines")
    const end = run.bytes().length
    fs.appendFileSync(run.file("manifest.jsonl"), tail)
    return { earlier, head, end }
  }

  /** The disk of a run with two lines and its last head, and the third line of a later writer. */
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
    it("of any length without its newline is cut by the next writer", async () => {
      const run = await twoLines()
      for (let length = 1; length < run.line.length; length++) await recovers(run, run.line.subarray(0, length))
    })

    it("may be a hole of NULs, with or without a newline", async () => {
      const run = await twoLines()
      const { line } = run
      await recovers(run, new Uint8Array(4096))
      await recovers(run, filled(line, 0, line.length))
      await recovers(run, filled(line, 0, 100))
      await recovers(run, filled(line, 100, 200))
      await recovers(run, filled(line, 100, line.length - 1))
      await recovers(run, Buffer.concat([new Uint8Array(4096), line]))
    })

    it("may be longer than any line", async () =>
      recovers(await twoLines(), new Uint8Array(3 * 1024 * 1024).fill(0x20)))

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

    it("is not cut if its evidence cannot be kept", async () => {
      const { end, head } = await withTail(Buffer.from("torn"))
      fs.writeFileSync(run.file("torn"), "in the way")
      const log = unlocked()
      const said = await outcome(log.append(reviewRun, run.ref(), head, [note("next")]))
      assert.deepInclude(said, { _tag: "LogUnavailable" })
      assert.strictEqual(run.bytes().length, end + 4)
    })

    for (const call of ["truncate", "datasync"] as const) {
      it(`is recorded by the next line even if the writer that cut it died at ${call}`, async () => {
        const { head } = await withTail(Buffer.from("torn"))
        let calls = 0
        const dying = unlocked({
          ...nodeFiles,
          [call]: (fd: number, size: number) => {
            // The first datasync is for the evidence, the second for the cut.
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

    it("does not hide a stale decision", async () => {
      const { earlier } = await withTail(Buffer.from("torn"))
      assert.deepStrictEqual(await outcome(unlocked().append(reviewRun, run.ref(), earlier, [note("stale")])), {
        _tag: "LogConflict",
        expected: 1,
        actual: 2
      })
    })
  })
})

describe("cutting a tail", () => {
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
  })

  describe("a repair", () => {
    it("is unrecorded while the next line would begin where it cut", () => {
      const { cut, end, files, log } = torn()
      assert.deepStrictEqual(unrecordedRepairs(files, log.names, end.offset), [])
      cut()
      assert.deepStrictEqual(unrecordedRepairs(files, log.names, end.offset), [
        { _tag: "TailRepaired", offset: end.offset, bytes: tail.length, kept: `torn/${end.offset}${kept}` }
      ])
      assert.deepStrictEqual(unrecordedRepairs(files, log.names, end.offset + 1), [])
    })

    it("of another offset with the same first digits does not count", () => {
      const { cut, end, files, log } = torn()
      cut()
      assert.deepStrictEqual(unrecordedRepairs(files, log.names, Math.floor(end.offset / 10)), [])
    })

    it("is not missing if the directory cannot be listed", () => {
      const { files, log } = torn(() => ({
        list: () => {
          throw systemError("EACCES")
        }
      }))
      assert.deepStrictEqual(thrown(() => unrecordedRepairs(files, log.names, 0)), { code: "EACCES" })
    })
  })
})
