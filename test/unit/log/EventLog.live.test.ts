// EventLog: the log in files: the laws of every log, and modes, the anchor and durability of files.
// A step reads exactly what was acknowledged, in order, each line once.
import { Effect } from "effect"
import * as fs from "node:fs"
import { assert, describe, it } from "vitest"
import { append, commit, layer } from "../../../src/log/EventLog.live.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import type { Files } from "../../../src/log/Files.live.ts"
import { start } from "../../../src/log/LogFile.live.ts"
import type { Head } from "../../../src/log/StreamKind.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { eventLogLaws } from "../fleet/eventLogLaws.ts"
import { appended, at, by, onDisk, run, thrown, written } from "./diskLog.ts"
import { fails } from "./faultyFiles.ts"
import { created, note, notes } from "./samples.ts"
import { outcome, temporaryRun, unlocked, writeLines } from "./temporaryLog.ts"

describe("The live event log on a real file system", () => {
  const run = temporaryRun()

  const go = <A, E>(use: (log: EventLog["Service"]) => Effect.Effect<A, E>): Promise<A> =>
    Effect.runPromise(EventLog.use(use).pipe(Effect.provide(layer)))

  describe("EventLogFile", () => {
    eventLogLaws(layer, run.ref)

    it("is private to the user", async () => {
      await go((log) => writeLines(log, run.ref(), 2))
      assert.strictEqual(fs.statSync(run.dir()).mode & 0o777, 0o700)
      assert.deepStrictEqual(fs.readdirSync(run.dir()).sort(), ["head.json", "lock", "manifest.jsonl"])
      for (const name of fs.readdirSync(run.dir())) assert.strictEqual(fs.statSync(run.file(name)).mode & 0o777, 0o600)
    })

    it("anchors the last line in head.json", async () => {
      const heads = await go((log) => writeLines(log, run.ref(), 3))
      const anchor = JSON.parse(fs.readFileSync(run.file("head.json"), "utf8"))
      assert.deepStrictEqual(anchor, { ...heads[2], offset: run.bytes().length })
    })

    describe("readFrom", () => {
      const open = async () => {
        const heads = await Effect.runPromise(writeLines(unlocked(), run.ref(), 3))
        return { heads, last: heads[2] ?? assert.fail("no last line") }
      }

      it("follows another writer", async () => {
        const { last } = await open()
        const [writer, follower] = [unlocked(), unlocked()]
        const seen = await Effect.runPromise(Effect.gen(function*() {
          let head = (yield* follower.read(reviewRun, run.ref())).head
          const all: Array<string> = []
          let written = last
          for (const text of ["4", "5", "6"]) {
            written = yield* writer.append(reviewRun, run.ref(), written, [note(text)])
            const more = yield* follower.readFrom(reviewRun, run.ref(), head)
            all.push(...notes(more))
            head = more.head
            assert.deepStrictEqual((yield* follower.readFrom(reviewRun, run.ref(), head)).commits, [])
          }
          return all
        }))
        assert.deepStrictEqual(seen, ["4", "5", "6"])
      })

      it("notices that the remembered place is gone", async () => {
        const { heads, last } = await open()
        const log = unlocked()
        await Effect.runPromise(log.read(reviewRun, run.ref()))
        fs.rmSync(run.dir(), { recursive: true })
        await Effect.runPromise(writeLines(unlocked(), run.ref(), 3, "ff00"))
        const rewritten = { _tag: "LogRewound", kind: "rewritten" }
        assert.deepStrictEqual(await outcome(log.readFrom(reviewRun, run.ref(), last)), rewritten)
        assert.deepStrictEqual(await outcome(log.append(reviewRun, run.ref(), last, [note("4")])), rewritten)
        assert.deepStrictEqual(
          await outcome(log.append(reviewRun, run.ref(), heads[0] ?? last, [note("2")])),
          rewritten
        )
      })
    })
  })
})

describe("a line is appended", () => {
  it("even if only the head is known", () => {
    const { end, log, text } = written(2)
    const next = append(log, "append", start, { expected: end, at, by, events: [note("3")] })
    assert.strictEqual(next.seq, 3)
    assert.include(text(), '"signal":"3"')
  })

  it("without reading the known part of the log again", () => {
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
})

describe("a log is read", () => {
  it("a second time if it looks damaged, because a writer may be cutting a torn tail", async () => {
    const { disk } = written(3)
    let reads = 0
    const read = (fd: number, into: Uint8Array, position: number) => {
      const count = disk.files.read(fd, into, position)
      // The first read is for the anchor, the second for the log.
      if (++reads === 2) into[40] = 0
      return count
    }
    const { commits } = await Effect.runPromise(unlocked({ ...disk.files, read }).read(reviewRun, run))
    assert.deepStrictEqual(commits.map(({ seq }) => seq), [1, 2, 3])
  })
})

describe("a line is refused", () => {
  it("if the line before it is missing or different in the log", () => {
    const { end, log } = written(2)
    const from = (expected: Head) =>
      thrown(() => append(log, "append", start, { expected, at, by, events: [note("x")] }))
    assert.deepInclude(from({ ...end, seq: 3 }), { _tag: "LogRewound", kind: "rolled back" })
    assert.deepInclude(from({ ...end, hash: "0".repeat(64) }), { _tag: "LogRewound", kind: "rewritten" })
  })

  it("if it is the first line and does not create the log", () => {
    const { log } = written(0)
    assert.deepInclude(thrown(() => appended(log, start, note("x"))), { _tag: "LogUnavailable" })
    assert.strictEqual(appended(log, start, created({ runId: run.runId })).seq, 1)
  })
})

describe("a commit", () => {
  const line = new TextEncoder().encode("a line\n")

  /** Commits the line to a log of one line, with `change` applied to the files; returns the calls. */
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

  describe("a committed line", () => {
    it("has its anchor written beside the old one first, and renamed over it last", () => {
      const { anchor, calls, run, text } = committed()
      run()
      assert.deepStrictEqual(calls, ["open", "write", "write", "datasync", "rename"])
      assert.match(text(), /a line\n$/)
      assert.strictEqual(anchor().seq, 2)
    })

    it("has its directories made durable once, if no anchor shows that they are", () => {
      const { calls, run } = committed(() => ({}), false)
      run()
      assert.isAbove(calls.filter((call) => call === "syncDirectory").length, 2)
      assert.isBelow(calls.indexOf("datasync"), calls.indexOf("syncDirectory"))
      assert.strictEqual(calls.at(-1), "rename")
    })
  })

  describe("a failed line", () => {
    it("fails if a private directory cannot be synced, but not for the directory of another user", () => {
      const { run } = committed(fails("syncDirectory", "EIO"), false)
      assert.deepStrictEqual(thrown(run), { code: "EIO" })
      assert.deepStrictEqual(thrown(committed(fails("syncDirectory", "EACCES"), false).run), { code: "EACCES" })
      const shared = committed((files) => ({
        facts: (path) => ({ ...files.facts(path), mode: 0o777 }),
        ...fails("syncDirectory", "EACCES")(files)
      }), false)
      shared.run()
      assert.match(shared.text(), /a line\n$/)
    })
  })
})
