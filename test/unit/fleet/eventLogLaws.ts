// eventLogLaws: what every event log keeps, whatever it lies in: the same suite for files, memory and a database.
// A law is stated over what the port gives, so that none of them is about one implementation.
import { Clock, Effect, Exit, type Layer, Stream } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { beginning, type Head, type TaggedEvent } from "../../../src/log/StreamKind.ts"
import type { Event } from "../../../src/run/Event.ts"
import type { RunRef } from "../../../src/log/Refs.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { EventLog, type LogPart } from "../../../src/log/EventLog.ts"
import { layer as memory } from "../../../src/testing/memory/EventLog.ts"
import { created, note, notes, reviewSample, type Sample, shoppingSample, textsOf } from "../log/samples.ts"
import { outcome, writeLines } from "../log/temporaryLog.ts"

type Log = EventLog["Service"]

const seqs = (some: ReadonlyArray<{ readonly seq: number }>): ReadonlyArray<number> => some.map(({ seq }) => seq)
const upTo = (count: number, from = 1): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, count - from + 1) }, (_, i) => from + i)
const linesOf = (parts: ReadonlyArray<LogPart>) => parts.flatMap(({ lines }) => lines)
const elsewhere = "0".repeat(64)

/** Runs an effect at a moment. Its pauses take time, because a lock that is held for an instant is waited for. */
const at = <A, E>(millis: number, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Clock.Clock, (clock) => {
    const nanos = BigInt(millis) * 1_000_000n
    return Effect.provideService(effect, Clock.Clock, {
      currentTimeMillisUnsafe: () => millis,
      currentTimeMillis: Effect.succeed(millis),
      currentTimeNanosUnsafe: () => nanos,
      currentTimeNanos: Effect.succeed(nanos),
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: clock.monotonicTimeNanos,
      sleep: (duration) => clock.sleep(duration)
    })
  })

/** The laws. `layer` may be built anew for each test; `run` is a run whose logs no test has begun. */
export const eventLogLaws = (layer: Layer.Layer<EventLog>, run: () => RunRef): void => {
  const go = <A, E>(use: (log: Log) => Effect.Effect<A, E>): Promise<A> =>
    Effect.runPromise(EventLog.use(use).pipe(Effect.provide(layer)))
  const refused = <A, E>(use: (log: Log) => Effect.Effect<A, E>): Promise<unknown> =>
    outcome(EventLog.use(use).pipe(Effect.provide(layer)))
  /** Fails as `use` does on a log of three lines. */
  const after3 = <A, E>(use: (log: Log, ref: RunRef, heads: ReadonlyArray<Head>) => Effect.Effect<A, E>) =>
    refused((log) => {
      const ref = run()
      return Effect.flatMap(Effect.orDie(writeLines(log, ref, 3)), (heads) => use(log, ref, heads))
    })
  const headAt = (heads: ReadonlyArray<Head>, seq: number): Head => heads[seq - 1] ?? assert.fail(`no line ${seq}`)

  const commits = <E extends TaggedEvent, S>(sample: Sample<E, S>) => async () => {
    const { kind } = sample
    const ref = run()
    const read = await go((log) =>
      Effect.gen(function*() {
        const first = yield* log.create(kind, ref, [sample.begun])
        const head = yield* log.append(kind, ref, first, [sample.note("2a"), sample.note("2b")])
        const read = yield* log.read(kind, ref)
        assert.deepStrictEqual(read.head, head)
        return read
      })
    )
    assert.deepStrictEqual(seqs(read.commits), [1, 2])
    assert.deepStrictEqual(read.commits[0]?.events, [sample.begun])
    assert.deepStrictEqual(textsOf(sample, read), ["2a", "2b"])
    assert.deepInclude(read, { torn: 0 })
  }

  describe("a log", () => {
    it("of reviews gives back what was committed, numbered from 1", commits(reviewSample))
    it("of any kind gives back what was committed, numbered from 1", commits(shoppingSample))

    it("lets exactly one of several decisions from the same head commit", async () => {
      const ref = run()
      const [exits, read] = await go((log) =>
        Effect.gen(function*() {
          const first = yield* log.create(reviewRun, ref, [created()])
          const append = (text: string) => Effect.exit(log.append(reviewRun, ref, first, [note(text)]))
          const exits = yield* Effect.forEach(["a", "b", "c"], append, { concurrency: 3 })
          return [exits, yield* log.read(reviewRun, ref)] as const
        })
      )
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
      for (const exit of exits.filter(Exit.isFailure)) {
        const conflict = { _tag: "LogConflict", expected: 1, actual: 2 }
        assert.deepStrictEqual(await outcome(Effect.failCause(exit.cause)), conflict)
      }
      assert.lengthOf(read.commits, 2)
    })

    it("lets exactly one of many creators create", async () => {
      const ref = run()
      const [exits, read] = await go((log) =>
        Effect.all([
          Effect.forEach(upTo(5), () => Effect.exit(log.create(reviewRun, ref, [created()])), { concurrency: 5 }),
          log.read(reviewRun, ref)
        ])
      )
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
      assert.lengthOf(read.commits, 1)
    })

    it("takes the time from the clock, and the order from the sequence when the clock goes back", async () => {
      const ref = run()
      const read = await go((log) =>
        Effect.gen(function*() {
          const first = yield* at(5_000, log.create(reviewRun, ref, [created()]))
          yield* at(2_000, log.append(reviewRun, ref, first, [note("2")]))
          return yield* log.read(reviewRun, ref)
        })
      )
      assert.deepStrictEqual(read.commits.map(({ at }) => at), ["1970-01-01T00:00:05.000Z", "1970-01-01T00:00:02.000Z"])
    })

    it("is its run's and its kind's alone", async () => {
      const ref = run()
      const others = [{ ...ref, runId: `${ref.runId}1` }, { ...ref, targetKey: "other" }, { ...ref, repoId: "other" }]
      const found = await go((log) =>
        Effect.gen(function*() {
          yield* log.create(reviewRun, ref, [created()])
          yield* log.create(shoppingSample.kind, ref, [shoppingSample.begun])
          const [review] = (yield* log.read(reviewRun, ref)).commits
          assert.deepStrictEqual(review?.events, [created()])
          return yield* Effect.forEach(others, (other) => Effect.flip(log.read(reviewRun, other)))
        })
      )
      assert.deepStrictEqual(found.map(({ _tag }) => _tag), others.map(() => "LogMissing"))
    })
  })

  describe("what follows a head", () => {
    it("is each line once, from any head", async () => {
      const ref = run()
      const [heads, found] = await go((log) =>
        Effect.gen(function*() {
          const heads = yield* writeLines(log, ref, 3)
          const from = (head: Head) => log.readFrom(reviewRun, ref, head)
          return [heads, yield* Effect.forEach([beginning, ...heads], from)] as const
        })
      )
      assert.deepStrictEqual(found.map((one) => seqs(one.commits)), [[1, 2, 3], [2, 3], [3], []])
      assert.deepStrictEqual(found.map((one) => one.head), found.map(() => headAt(heads, 3)))
    })

    it("is what others append meanwhile", async () => {
      const ref = run()
      const seen = await go((log) =>
        Effect.gen(function*() {
          let head = yield* log.create(reviewRun, ref, [created()])
          const all: Array<string> = []
          for (const text of ["2", "3", "4"]) {
            const written = yield* log.append(reviewRun, ref, head, [note(text)])
            const more = yield* log.readFrom(reviewRun, ref, head)
            all.push(...notes(more))
            head = more.head
            assert.deepStrictEqual(head, written)
            assert.deepStrictEqual((yield* log.readFrom(reviewRun, ref, head)).commits, [])
          }
          return all
        })
      )
      assert.deepStrictEqual(seen, ["2", "3", "4"])
    })
  })

  describe("a stream", () => {
    const streamed = (log: Log, ref: RunRef, after: Head = beginning) =>
      Stream.runCollect(log.stream(reviewRun, ref, after))

    it("gives what a read gives, with the hashes, the head and one end", async () => {
      const ref = run()
      const [read, parts, last] = await go((log) =>
        Effect.gen(function*() {
          const heads = yield* writeLines(log, ref, 5)
          return [yield* log.read(reviewRun, ref), yield* streamed(log, ref), headAt(heads, 5)] as const
        })
      )
      const lines = linesOf(parts)
      assert.deepStrictEqual(seqs(lines), seqs(read.commits))
      assert.deepStrictEqual(lines.slice(1).map(({ prev }) => prev), lines.slice(0, -1).map(({ hash }) => hash))
      assert.deepStrictEqual(parts.at(-1)?.head, last)
      assert.deepStrictEqual(parts.at(-1)?.end, { torn: 0, anchored: true })
      assert.deepStrictEqual(parts.slice(0, -1).filter(({ end }) => end !== null), [])
    })

    it("begins after any line, and continues where it ended", async () => {
      const ref = run()
      await go((log) =>
        Effect.gen(function*() {
          const heads = yield* writeLines(log, ref, 4)
          for (const [i, head] of [beginning, ...heads].entries()) {
            assert.deepStrictEqual(seqs(linesOf(yield* streamed(log, ref, head))), upTo(4, i + 1))
          }
          yield* log.append(reviewRun, ref, headAt(heads, 4), [note("5")])
          assert.deepStrictEqual(seqs(linesOf(yield* streamed(log, ref, headAt(heads, 4)))), [5])
        })
      )
    })
  })

  describe("a refusal", () => {
    it("meets who reads, streams or appends where there is no log", async () => {
      const ref = run()
      const missing = { _tag: "LogMissing" }
      assert.deepStrictEqual(await refused((log) => log.read(reviewRun, ref)), missing)
      assert.deepStrictEqual(await refused((log) => log.readFrom(reviewRun, ref, beginning)), missing)
      assert.deepStrictEqual(
        await refused((log) => Stream.runDrain(log.stream(reviewRun, ref, beginning))),
        missing
      )
      assert.deepStrictEqual(await refused((log) => log.append(reviewRun, ref, beginning, [note("1")])), missing)
    })

    it("meets who decided from a head that others have passed", async () => {
      const conflict = { _tag: "LogConflict", expected: 1, actual: 3 }
      assert.deepStrictEqual(
        await after3((log, ref, heads) => log.append(reviewRun, ref, headAt(heads, 1), [note("b")])),
        conflict
      )
    })

    it("meets who begins a log that is there", async () =>
      assert.deepStrictEqual(
        await after3((log, ref) => log.create(reviewRun, ref, [created()])),
        { _tag: "LogConflict", expected: 0, actual: 3 }
      ))

    const uses = {
      append: (log: Log, ref: RunRef, head: Head) => Effect.asVoid(log.append(reviewRun, ref, head, [note("b")])),
      readFrom: (log: Log, ref: RunRef, head: Head) => Effect.asVoid(log.readFrom(reviewRun, ref, head)),
      stream: (log: Log, ref: RunRef, head: Head) => Stream.runDrain(log.stream(reviewRun, ref, head))
    }
    it.each(Object.entries(uses))("meets %s from a head that was never there", async (_, use) => {
      const rewritten = { _tag: "LogRewound", kind: "rewritten" }
      const at = (head: Head, seq: number): Head => ({ ...head, seq })
      assert.deepStrictEqual(
        await after3((log, ref, heads) =>
          Effect.gen(function*() {
            const last = headAt(heads, 3)
            const said = [at(last, 4), at(last, 2), { seq: 3, hash: elsewhere }, { seq: 1, hash: elsewhere }]
            const found = yield* Effect.forEach(said, (head) => Effect.promise(() => outcome(use(log, ref, head))))
            assert.deepStrictEqual((yield* log.read(reviewRun, ref)).head, last)
            return found
          })
        ),
        [{ _tag: "LogRewound", kind: "rolled back" }, rewritten, rewritten, rewritten]
      )
    })

    it("meets a first line that begins no log, and a line that is too long, and leaves nothing", async () => {
      const ref = run()
      assert.deepInclude(await refused((log) => log.create(reviewRun, ref, [note("a")])), { _tag: "LogUnavailable" })
      const long = await refused((log) =>
        Effect.gen(function*() {
          const first = yield* Effect.orDie(log.create(reviewRun, ref, [created()]))
          const long = yield* Effect.flip(log.append(reviewRun, ref, first, [note("x".repeat(70_000))]))
          assert.deepStrictEqual((yield* log.read(reviewRun, ref)).head, first)
          return yield* long
        })
      )
      assert.deepInclude(long, { _tag: "LogUnavailable" })
    })
  })
}

/** What a caller may do: act on the newest head it knows, or on an older one, or on one that never was. */
const command = fc.oneof(
  fc.record({ do: fc.constant("create" as const) }),
  fc.record({ do: fc.constant("append" as const), back: fc.nat({ max: 2 }), forged: fc.boolean() }),
  fc.record({ do: fc.constant("follow" as const), back: fc.nat({ max: 2 }), forged: fc.boolean() })
)
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never

const play = async (log: Log, run: RunRef, commands: ReadonlyArray<Command>) => {
  const heads: Array<Head> = [beginning]
  const said: Array<unknown> = []
  const known = ({ back, forged }: { readonly back: number; readonly forged: boolean }): Head => {
    const head = heads[Math.max(0, heads.length - 1 - back)] ?? beginning
    return forged ? { seq: head.seq + back, hash: elsewhere } : head
  }
  const commit = async (effect: ReturnType<typeof log.create>) => {
    const result = await outcome(Effect.tap(effect, (head) => Effect.sync(() => heads.push(head))))
    said.push(typeof result === "object" && result !== null && "_tag" in result ? result : "committed")
  }
  for (const [i, one] of commands.entries()) {
    const events: ReadonlyArray<Event> = [note(String(i))]
    if (one.do === "create") await commit(log.create(reviewRun, run, [created(), ...events]))
    else if (one.do === "append") await commit(log.append(reviewRun, run, known(one), events))
    else said.push(await outcome(Effect.map(log.readFrom(reviewRun, run, known(one)), notes)))
  }
  return said
}

/** Whatever callers do, a log answers as the one in memory does. `fresh` is an empty log, and a run of it. */
export const answersAsMemory = (fresh: () => { readonly log: Log; readonly run: RunRef }): Promise<void> =>
  fc.assert(fc.asyncProperty(fc.array(command, { maxLength: 12 }), async (commands) => {
    const { log, run } = fresh()
    const inMemory = await Effect.runPromise(EventLog.pipe(Effect.provide(memory)))
    assert.deepStrictEqual(await play(log, run, commands), await play(inMemory, run, commands))
  }))
