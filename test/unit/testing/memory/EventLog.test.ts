// EventLog: the log in memory refuses what the real one refuses for its meaning, and numbers its lines as that does.
import { Effect, Stream } from "effect"
import { assert, describe, it } from "vitest"
import { beginning } from "../../../../src/core/log/Head.ts"
import type { Event } from "../../../../src/core/run/Event.ts"
import { reviewRun } from "../../../../src/core/run/ReviewRun.ts"
import { EventLog } from "../../../../src/services/EventLog.ts"
import { layer } from "../../../../src/testing/memory/EventLog.ts"
import { created, runRef } from "../../core/run/events.ts"

const run = runRef()
const other = { ...run, runId: "20300101T000002Z-000000001-p1" }
const note = (signal: string): Event => ({ _tag: "StepAborted", signal })

const inMemory = <A, E>(use: (log: EventLog["Service"]) => Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Effect.provide(EventLog.use(use), layer))
const refused = <A>(use: (log: EventLog["Service"]) => Effect.Effect<A, { readonly _tag: string }>) =>
  inMemory((log) => Effect.map(Effect.flip(use(log)), ({ _tag }) => _tag))

describe("a log in memory", () => {
  it("numbers its lines from 1 and gives them back as they were committed", async () => {
    const { commits, head } = await inMemory((log) =>
      Effect.gen(function*() {
        const first = yield* log.create(reviewRun, run, [created()])
        yield* log.append(reviewRun, run, first, [note("a"), note("b")])
        return yield* log.read(reviewRun, run)
      })
    )
    assert.deepStrictEqual(commits.map(({ events, seq }) => [seq, events]), [[1, [created()]], [2, [
      note("a"),
      note("b")
    ]]])
    assert.strictEqual(head.seq, 2)
  })

  it("gives the lines behind a head, and a stream of them with their hashes", async () => {
    const [later, parts, first] = await inMemory((log) =>
      Effect.gen(function*() {
        const first = yield* log.create(reviewRun, run, [created()])
        yield* log.append(reviewRun, run, first, [note("a")])
        return [
          yield* log.readFrom(reviewRun, run, first),
          yield* Stream.runCollect(log.stream(reviewRun, run, beginning)),
          first
        ] as const
      })
    )
    assert.deepStrictEqual(later.commits.map(({ seq }) => seq), [2])
    const lines = parts.flatMap(({ lines }) => lines)
    assert.strictEqual(lines[0]?.hash, first.hash)
    assert.strictEqual(lines[1]?.prev, first.hash)
    assert.deepStrictEqual(parts.at(-1)?.head, later.head)
  })

  it("tells runs apart", async () =>
    assert.strictEqual(
      await refused((log) => Effect.andThen(log.create(reviewRun, run, [created()]), log.read(reviewRun, other))),
      "LogMissing"
    ))
})

describe("what the real log refuses", () => {
  it("is refused: a log that is not there, and one that does not begin with its creation", async () => {
    assert.strictEqual(await refused((log) => log.append(reviewRun, run, beginning, [note("a")])), "LogMissing")
    assert.strictEqual(await refused((log) => log.create(reviewRun, run, [note("a")])), "LogUnavailable")
  })

  it("is refused: a position that others have passed, one that was never reached, and one of another history", async () => {
    const after = (
      use: (
        log: EventLog["Service"],
        first: { seq: number; hash: string }
      ) => Effect.Effect<unknown, { readonly _tag: string }>
    ) =>
      refused((log) =>
        Effect.flatMap(Effect.orDie(log.create(reviewRun, run, [created()])), (first) => use(log, first))
      )
    assert.strictEqual(
      await after((log, first) =>
        Effect.andThen(
          Effect.orDie(log.append(reviewRun, run, first, [note("a")])),
          log.append(reviewRun, run, first, [note("b")])
        )
      ),
      "LogConflict"
    )
    assert.strictEqual(
      await after((log) => log.append(reviewRun, run, { seq: 2, hash: "x" }, [note("a")])),
      "LogRewound"
    )
    assert.strictEqual(await after((log) => log.readFrom(reviewRun, run, { seq: 1, hash: "x" })), "LogRewound")
    assert.strictEqual(await after((log) => log.create(reviewRun, run, [created()])), "LogConflict")
  })
})
