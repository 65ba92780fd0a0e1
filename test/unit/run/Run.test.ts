// Run: commits on the head that was decided from, lost races, and the attempts of the current batch.
import { Effect, Layer, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { attemptOf, commit, openAttempts, preview, refresh, type Run, transact } from "../../../src/run/Run.ts"
import { EventLog, LogConflict, LogMissing } from "../../../src/log/EventLog.ts"
import { Memory } from "../../../src/testing.ts"
import { batchStarted, finished, opened as batchOpened, runRef, started } from "./events.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { byAnother, lines, onMachine, opened } from "./opened.ts"

const status = ({ manifest: { batch } }: Run) => batch._tag === "Started" ? batch.slots.map(({ _tag }) => _tag) : []

describe("commit", () => {
  it("returns the run with the committed events, at its new head", async () => {
    const { run, read } = await onMachine(Effect.gen(function*() {
      const run = yield* commit(yield* opened([batchStarted()]), [started()])
      return { run, read: yield* EventLog.use((log) => log.read(reviewRun, run.ref)) }
    }))
    assert.deepStrictEqual(status(run), ["Running", "Queued"])
    assert.deepStrictEqual(run.head, read.head)
  })

  it("fails with LogConflict and changes nothing if another process was first", async () => {
    const { error, written } = await onMachine(Effect.gen(function*() {
      const run = yield* opened()
      yield* byAnother(run, [batchStarted()])
      return { error: yield* Effect.flip(commit(run, [batchOpened("medium", 1)])), written: yield* lines }
    }))
    assert.instanceOf(error, LogConflict)
    assert.deepStrictEqual(written, [[batchStarted()]])
  })

  it("succeeds with the written events if the durable line cannot be read back", async () => {
    const unreadable = Layer.effect(
      EventLog,
      Effect.map(
        EventLog,
        (log) => EventLog.of({ ...log, readFrom: () => Effect.fail(new LogMissing({ path: "/gone" })) })
      )
    ).pipe(
      Layer.provide(Memory.eventLog)
    )
    const run = await onMachine(
      Effect.flatMap(opened([batchStarted()]), (run) => commit(run, [started()])),
      { eventLog: unreadable }
    )
    assert.deepStrictEqual([run.head.seq, ...status(run)], [3, "Running", "Queued"])
  })
})

describe("refresh", () => {
  it("reads what others committed, and returns the same run if there is nothing new", async () => {
    const [same, next] = await onMachine(Effect.gen(function*() {
      const run = yield* opened([batchStarted()])
      const same = (yield* refresh(run)) === run
      yield* byAnother(run, [started(), started({ slot: 2, id: "id-2" })])
      return [same, yield* refresh(run)] as const
    }))
    assert.isTrue(same)
    assert.deepStrictEqual([next.head.seq, ...status(next)], [3, "Running", "Running"])
  })
})

describe("preview", () => {
  it("is the manifest with uncommitted events", async () => {
    const [manifest, written] = await onMachine(Effect.gen(function*() {
      const run = yield* opened([batchStarted()])
      return [preview(run, [started()]), yield* lines] as const
    }))
    assert.strictEqual(manifest.batch._tag === "Started" ? manifest.batch.slots[0]?._tag : "", "Running")
    assert.lengthOf(written, 1)
  })
})

describe("transact", () => {
  /** Decides on a run while a rival commits first for the first `losses` times. */
  const against = (losses: number) =>
    Effect.gen(function*() {
      const run = yield* opened()
      const seen = yield* Ref.make<ReadonlyArray<number>>([])
      const result = yield* transact(
        run,
        Effect.fnUntraced(function*(read) {
          const times = yield* Ref.updateAndGet(seen, (heads) => [...heads, read.head.seq])
          if (times.length <= losses) yield* byAnother(read, [batchOpened("low", read.manifest.batch_number + 1)])
          return yield* commit(read, [batchOpened("medium", 1)])
        })
      )
      return { result, seen: yield* Ref.get(seen), written: yield* lines }
    })

  it("decides once, from the given run, if nobody else commits", async () => {
    const { result, seen, written } = await onMachine(against(0))
    assert.deepStrictEqual([seen, result.manifest.current_level], [[1], "medium"])
    assert.lengthOf(written, 1)
  })

  it("decides again after each lost race, and commits once", async () => {
    const { result, seen, written } = await onMachine(against(3))
    assert.deepStrictEqual([seen, result.head.seq], [[1, 2, 3, 4], 5])
    assert.lengthOf(written.flat().filter((event) => event._tag === "BatchOpened" && event.level === "medium"), 1)
  })

  it("can lose any number of races with constant memory", async () => {
    const run: Run = await onMachine(opened())
    const unmoved = Layer.mock(EventLog)({
      readFrom: () => Effect.succeed({ commits: [], head: run.head, torn: 0 })
    })
    let losses = 0
    const decide = () =>
      Effect.suspend(() =>
        losses++ < 20_000
          ? Effect.fail(new LogConflict({ path: "/log", expected: 1, actual: 2 }))
          : Effect.succeed("won")
      )
    assert.strictEqual(await Effect.runPromise(Effect.provide(transact(run, decide), unmoved)), "won")
  })

  it("passes every other failure on without a new decision", async () => {
    let decided = 0
    const error = await onMachine(Effect.gen(function*() {
      const run = yield* opened()
      return yield* Effect.flip(transact(run, () => {
        decided++
        return Effect.fail(new LogMissing({ path: "/log" }))
      }))
    }))
    assert.deepStrictEqual([error._tag, decided], ["LogMissing", 1])
  })

  it("fails if the winner's line cannot be read", async () => {
    const error = await onMachine(Effect.gen(function*() {
      const run = yield* opened()
      const lost = Effect.fail(new LogConflict({ path: "/log", expected: 1, actual: 2 }))
      return yield* Effect.flip(transact({ ...run, ref: { ...runRef(), runId: "another" } }, () => lost))
    }))
    assert.strictEqual(error._tag, "LogMissing")
  })
})

describe("an attempt", () => {
  const at = async () => {
    const run = await onMachine(opened(
      [batchStarted(), started(), started({ slot: 2, id: "id-2" })],
      [finished("Clean")]
    ))
    const { batch } = run.manifest
    return batch._tag === "Started" ? { run, batch } : assert.fail("the batch has not been started")
  }

  it("of a running slot is the one that its last start recorded", async () => {
    const { run } = await at()
    assert.deepStrictEqual(openAttempts(run).map(({ attempt, id, level, slot }) => ({ attempt, id, level, slot })), [
      { attempt: 1, id: "id-2", level: "low", slot: 2 }
    ])
  })

  it("has its own places: no other slot or attempt shares them", async () => {
    const { batch, run } = await at()
    const [first, second] = batch.slots
    if (first === undefined || second === undefined) return assert.fail("two slots")
    const places = [attemptOf(run, first, 1, "a"), attemptOf(run, first, 2, "b"), attemptOf(run, second, 1, "c")]
    assert.lengthOf([...new Set(places.map((attempt) => JSON.stringify({ ...attempt, id: "" })))], 3)
  })
})
