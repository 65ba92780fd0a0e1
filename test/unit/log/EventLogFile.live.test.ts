// The live event log on a real file system: it keeps the laws of every log, and what only files have: modes, the anchor.
// The one rule: what a step reads is exactly what was acknowledged, in order, each line once.
import * as fs from "node:fs"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { layer } from "../../../src/log/EventLog.live.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { eventLogLaws } from "../fleet/eventLogLaws.ts"
import { note, notes } from "./samples.ts"
import { outcome, temporaryRun, unlocked, writeLines } from "./temporaryLog.ts"

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
      assert.deepStrictEqual(await outcome(log.append(reviewRun, run.ref(), heads[0] ?? last, [note("2")])), rewritten)
    })
  })
})
