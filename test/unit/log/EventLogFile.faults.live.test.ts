// Failing file calls: all or nothing, no acknowledgement, and a failed sync is never tried again.
// The one rule: after a failure the log is byte for byte what it was, and the next append works.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import type { Files } from "../../../src/log/Files.live.ts"
import { maxLineBytes } from "../../../src/log/Frame.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { Disk } from "./disk.ts"
import { fails, systemError } from "./faultyFiles.ts"
import { fileOf, onlyRun } from "./onlyRun.ts"
import { created, note, notes } from "./samples.ts"
import { outcome, unlocked, writeLines } from "./temporaryLog.ts"

const run = onlyRun("/state")
const log = fileOf("/state", "manifest.jsonl")

/** A disk with two lines, the head of the second, and a record of every call made from now on. */
const prepared = async () => {
  const disk = new Disk()
  const heads = await Effect.runPromise(writeLines(unlocked(disk.files), run, 2))
  const head = heads[1] ?? assert.fail("no second line")
  const calls: Array<keyof Files> = []
  disk.onCall = (call) => calls.push(call)
  return { disk, head, calls }
}

/** Appends with `files` on the way to the disk, which fail, and then without them. */
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
  it("takes back a short write, which is how a full disk looks", async () => {
    for (const part of [0, 1, 50]) {
      const calls = await failing(
        // The anchor, which is small, still goes.
        (files) => ({ write: (fd, bytes) => files.write(fd, bytes.length < 200 ? bytes : bytes.subarray(0, part)) }),
        /only \d+ of \d+ bytes could be written/
      )
      assert.include(calls, "truncate")
    }
  })

  it("meets a full disk at the anchor before it has touched the log", async () => {
    const calls = await failing(
      (files) => ({ write: (fd, bytes) => files.write(fd, bytes.subarray(0, 20)) }),
      /only 20 of \d+ bytes/
    )
    assert.notInclude(calls, "truncate")
  })

  it("reports the system's words", async () => {
    await failing(fails("write", "ENOSPC", 2), /the disk is full \(ENOSPC: call\)/)
    await failing(fails("write", "EIO", 2), /input\/output error \(EIO: call\)/)
    await failing(fails("write", "EFBIG", 2), /file size limit/)
    await failing(fails("write", "EDQUOT", 1), /quota/)
  })

  it("never syncs again after a sync has failed", async () => {
    let syncs = 0
    await failing(() => ({
      datasync: () => {
        syncs++
        throw systemError("EIO")
      }
    }), /EIO/)
    assert.strictEqual(syncs, 1)
  })

  it("takes back a line whose anchor could not be put in place", async () => {
    const calls = await failing(fails("rename", "EIO"), /EIO/)
    assert.deepStrictEqual(calls.slice(-2), ["truncate", "datasync"])
  })

  it("leaves at most one line more when nothing can be taken back", async () => {
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

  it("refuses a line that is larger than a line may be, and says so", async () => {
    const { calls, disk, head } = await prepared()
    const said = await outcome(unlocked(disk.files).append(reviewRun, run, head, [note("x".repeat(maxLineBytes))]))
    assert.nestedPropertyVal(said, "reason._tag", "LineTooLong")
    assert.notInclude(calls, "write")
  })

  it("leaves a defect a defect", async () => {
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
  it("leaves nothing that the next one trips over", async () => {
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

  it("is refused where a run is already", async () => {
    const { disk } = await prepared()
    assert.deepStrictEqual(await outcome(unlocked(disk.files).create(reviewRun, run, [created()])), {
      _tag: "LogConflict",
      expected: 0,
      actual: 2
    })
  })
})
