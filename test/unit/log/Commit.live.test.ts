// Commit: in which order a line is made durable, and how it is taken back.
import { assert, describe, it } from "vitest"
import { commit } from "../../../src/log/EventLog.live.ts"
import type { Files } from "../../../src/log/Files.live.ts"
import { onDisk, thrown, written } from "./diskLog.ts"
import { fails, systemError } from "./faultyFiles.ts"

const line = new TextEncoder().encode("a line\n")

/** Commits the line to a log of one line, with `change` between it and the disk; gives the calls that were made. */
const committed = (change: (files: Files) => Partial<Files> = () => ({}), anchored = true) => {
  const { disk, end, log, text } = written(1)
  const { names } = log
  const { files } = onDisk(disk, change(disk.files))
  const fd = files.open(names.log, "append")
  const calls: Array<keyof Files> = []
  disk.onCall = (call) => calls.push(call)
  const next = { seq: 2, hash: "b".repeat(64), offset: end.offset + line.length }
  const run = () => commit(files, { names, fd, end, anchored }, line, next)
  const anchor = () => JSON.parse(new TextDecoder().decode(disk.see(names.head) ?? undefined))
  return { run, calls, text, anchor, end }
}

describe("a line that is committed", () => {
  it("has its anchor written beside the old one first, and put in its place last", () => {
    const { anchor, calls, run, text } = committed()
    run()
    assert.deepStrictEqual(calls, ["open", "write", "write", "datasync", "rename"])
    assert.match(text(), /a line\n$/)
    assert.strictEqual(anchor().seq, 2)
  })

  it("has its directories made durable once, when no anchor shows that they are", () => {
    const { calls, run } = committed(() => ({}), false)
    run()
    assert.isAbove(calls.filter((call) => call === "syncDirectory").length, 2)
    assert.isBelow(calls.indexOf("datasync"), calls.indexOf("syncDirectory"))
    assert.strictEqual(calls.at(-1), "rename")
  })
})

describe("a line that fails", () => {
  it.each([
    ["the disk is full for its anchor", fails("write", "ENOSPC")],
    ["the disk is full for the line", fails("write", "ENOSPC", 2)],
    ["it cannot be synced", fails("datasync", "EIO")],
    ["its anchor cannot be put in place", fails("rename", "EIO")]
  ])("is taken back whole: %s", (_, change) => {
    const { anchor, run, text } = committed(change)
    const before = text()
    assert.match(String(thrown(run)["code"]), /^E/)
    assert.strictEqual(text(), before)
    assert.strictEqual(anchor().seq, 1)
  })

  it("is never synced again after a sync has failed", () => {
    let syncs = 0
    const { run } = committed(() => ({
      datasync: () => {
        syncs++
        throw systemError("EIO")
      }
    }))
    thrown(run)
    assert.strictEqual(syncs, 1)
  })

  it("is a short write, too", () => {
    const { run, text } = committed((files) => ({ write: (fd, bytes) => files.write(fd, bytes.subarray(0, 3)) }))
    const before = text()
    assert.deepInclude(thrown(run), { _tag: "LogUnavailable" })
    assert.strictEqual(text(), before)
  })

  it("fails for a private directory that cannot be synced, and passes over one of others", () => {
    const { run } = committed(fails("syncDirectory", "EIO"), false)
    assert.deepStrictEqual(thrown(run), { code: "EIO" })
    const shared = committed((files) => ({
      facts: (path) => ({ ...files.facts(path), mode: 0o777 }),
      ...fails("syncDirectory", "EACCES")(files)
    }), false)
    shared.run()
    assert.match(shared.text(), /a line\n$/)
  })
})
