// The live event log on a real file system: committing, following, conflicts, modes.
// The one rule: what a step reads is exactly what was acknowledged, in order, each line once.
import * as fs from "node:fs"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe, it } from "vitest"
import { layer } from "../../../../src/adapters/log/EventLogFile.ts"
import { beginning } from "../../../../src/core/log/Head.ts"
import { reviewRun } from "../../../../src/core/run/ReviewRun.ts"
import { EventLog } from "../../../../src/services/EventLog.ts"
import { created, note, notes } from "./samples.ts"
import { outcome, temporaryRun, unlocked, writeLines } from "./temporaryLog.ts"

const run = temporaryRun()

const go = <A, E>(use: (log: EventLog["Service"]) => Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(EventLog.use(use).pipe(Effect.provide(layer)))

describe("EventLogFile", () => {
  it("reads what it committed, in order", async () => {
    const contents = await go((log) =>
      Effect.gen(function*() {
        const first = yield* log.create(reviewRun, run.ref(), [created()])
        const head = yield* log.append(reviewRun, run.ref(), first, [note("2a"), note("2b")])
        const contents = yield* log.read(reviewRun, run.ref())
        assert.deepStrictEqual(contents.head, head)
        return contents
      })
    )
    assert.deepStrictEqual(contents.commits.map(({ events, seq }) => ({ seq, events })), [
      { seq: 1, events: [created()] },
      { seq: 2, events: [note("2a"), note("2b")] }
    ])
    assert.deepInclude(contents, { torn: 0 })
    assert.strictEqual(contents.head.seq, 2)
  })

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

  it("lets exactly one of two decisions from the same head commit", async () => {
    const exits = await go((log) =>
      Effect.gen(function*() {
        const first = yield* log.create(reviewRun, run.ref(), [created()])
        const append = (text: string) => Effect.exit(log.append(reviewRun, run.ref(), first, [note(text)]))
        return yield* Effect.all([append("a"), append("b"), append("c")], { concurrency: 3 })
      })
    )
    assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
    for (const exit of exits.filter(Exit.isFailure)) {
      assert.deepStrictEqual(await outcome(Effect.failCause(exit.cause)), {
        _tag: "LogConflict",
        expected: 1,
        actual: 2
      })
    }
    assert.strictEqual(run.lines().length, 2)
  })

  it("lets exactly one of many creators create", async () => {
    const exits = await go((log) =>
      Effect.all(Array.from({ length: 5 }, () => Effect.exit(log.create(reviewRun, run.ref(), [created()]))), {
        concurrency: 5
      })
    )
    assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
    assert.strictEqual(run.lines().length, 1)
  })

  it("cannot append to a run that is not there", async () =>
    assert.deepInclude(await outcome(unlocked().append(reviewRun, run.ref(), beginning, [note("2")])), {
      _tag: "LogMissing"
    }))

  it("takes the time from the clock, and the order from the sequence when the clock goes back", async () => {
    const log = unlocked()
    const contents = await Effect.runPromise(
      Effect.gen(function*() {
        yield* TestClock.setTime(5_000)
        const first = yield* log.create(reviewRun, run.ref(), [created()])
        yield* TestClock.setTime(2_000)
        yield* log.append(reviewRun, run.ref(), first, [note("2")])
        return yield* log.read(reviewRun, run.ref())
      }).pipe(Effect.provide(TestClock.layer()))
    )
    assert.deepStrictEqual(contents.commits.map(({ at }) => at), [
      "1970-01-01T00:00:05.000Z",
      "1970-01-01T00:00:02.000Z"
    ])
  })

  describe("readFrom", () => {
    const open = async () => {
      const heads = await Effect.runPromise(writeLines(unlocked(), run.ref(), 3))
      return { heads, last: heads[2] ?? assert.fail("no last line") }
    }

    it("gives each line after a head once, whether the place is remembered or not", async () => {
      const { heads, last } = await open()
      const remembering = unlocked()
      for (const log of [unlocked(), remembering]) {
        await Effect.runPromise(remembering.read(reviewRun, run.ref()))
        for (const [i, head] of [beginning, ...heads].entries()) {
          const contents = await Effect.runPromise(log.readFrom(reviewRun, run.ref(), head))
          assert.deepStrictEqual(contents.commits.map(({ seq }) => seq), [1, 2, 3].slice(i))
          assert.deepStrictEqual(contents.head, last)
        }
      }
    })

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

    it("refuses a head that the log has not reached, or that has another hash in it", async () => {
      const { last } = await open()
      const log = unlocked()
      assert.deepStrictEqual(await outcome(log.readFrom(reviewRun, run.ref(), { ...last, seq: 4 })), {
        _tag: "LogRewound",
        kind: "rolled back"
      })
      assert.deepStrictEqual(await outcome(log.readFrom(reviewRun, run.ref(), { ...last, seq: 2 })), {
        _tag: "LogRewound",
        kind: "rewritten"
      })
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
