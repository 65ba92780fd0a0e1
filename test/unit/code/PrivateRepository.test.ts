// PrivateRepository: needed until its run leaves the batch, or has reached its fixed point by it.
import { Effect, Layer, Ref } from "effect"
import { assert, describe, it } from "vitest"
import type { Event } from "../../../src/run/Event.ts"
import type { RunRef } from "../../../src/log/Refs.ts"
import { lostRepository, neededCopy, tidy, tidyOlder } from "../../../src/code/PrivateRepository.ts"
import { type KeptCopy, StoreFailed, RunStore } from "../../../src/run/RunStore.ts"
import { Memory } from "../../../src/testing.ts"
import { batchCompleted, batchStarted, created, finished, runRef, started, stopped, tree } from "../run/events.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { byAnother, onMachine, opened } from "../run/opened.ts"

const isolated = [batchStarted({ isolated: "/private" }), started()]
const at: KeptCopy = { _tag: "At", place: "/private" }
const none: KeptCopy = { _tag: "None" }
const fixedPoint: Event = { _tag: "FixedPointReached", level: "low", batch: 1, ceiling: "low", by: "Reviews" }
const done = [...isolated, finished("Clean"), batchCompleted(tree("a"))]

const neededAfter = (...lines: ReadonlyArray<ReadonlyArray<Event>>) =>
  onMachine(Effect.map(opened(...lines), (run) => neededCopy(run)._tag))

const storeWith = (answers: Partial<RunStore["Service"]>) =>
  Layer.effect(RunStore, Effect.map(RunStore, (store) => RunStore.of({ ...store, ...answers })))

/** A store that records its clearings: which run, and what was to be kept of it. */
const recording = (calls: Ref.Ref<ReadonlyArray<readonly [string, KeptCopy]>>, runs: ReadonlyArray<RunRef> = []) =>
  storeWith({
    withIsolated: () => Effect.succeed(runs),
    clearIsolated: <E, R>(run: RunRef, keep: Effect.Effect<KeptCopy, E, R>) =>
      Effect.flatMap(keep, (kept) => Ref.update(calls, (all) => [...all, [run.runId, kept] as const]))
  })

describe("a private repository is needed", () => {
  it.each<readonly [KeptCopy["_tag"], string, ReadonlyArray<Event>]>([
    ["At", "while reviewers run", isolated],
    ["At", "after a stop, until they are run again", [...isolated, stopped()]],
    ["At", "while an answer is awaited", done],
    ["None", "where the worktree itself is reviewed", [batchStarted(), started()]],
    ["Newest", "where nothing is reviewed yet", []],
    [
      "Newest",
      "after the batch is left",
      [...done, { _tag: "BatchOpened", level: "medium", batch: 1, from: "low", cause: "Advanced" }]
    ],
    ["At", "while a batch continues after an earlier fixed point", [...isolated, fixedPoint]],
    ["None", "after the fixed point", [...done, fixedPoint]]
  ])(
    "%s: %s",
    async (needed, _, events) => assert.strictEqual(await neededAfter(...(events.length === 0 ? [] : [events])), needed)
  )
})

describe("a private repository is lost", () => {
  const gone = Memory.git({ isIsolated: () => Effect.succeed(false) })
  const lost = (git: typeof gone | null, ...events: ReadonlyArray<Event>) =>
    onMachine(Effect.flatMap(opened(events), lostRepository), git === null ? {} : { git })

  it("where it is gone and slots are still to be reviewed in it", async () => {
    assert.strictEqual(await lost(gone, ...isolated), "/private")
    assert.isNull(await lost(null, ...isolated))
    assert.isNull(await lost(gone, batchStarted({ size: 1, isolated: "/private" }), started(), finished("Clean")))
    assert.isNull(await lost(gone, batchStarted(), started()))
  })
})

describe("tidying up", () => {
  it("depends on the log's present contents, whichever process wrote them", async () => {
    const calls = await onMachine(Effect.gen(function*() {
      const calls = yield* Ref.make<ReadonlyArray<readonly [string, KeptCopy]>>([])
      const run = yield* opened(isolated)
      yield* Effect.provide(tidy(run), recording(calls))
      yield* byAnother(run, [{ _tag: "BatchOpened", level: "medium", batch: 1, from: "low", cause: "Advanced" }])
      yield* Effect.provide(tidy(run), recording(calls))
      return yield* Ref.get(calls)
    }))
    assert.deepStrictEqual(calls, [[runRef().runId, at], [runRef().runId, { _tag: "Newest" }]])
  })

  it("clears the older runs of the worktree, and none of another worktree or a newer one", async () => {
    const [old, another, newer] = [
      "20250101T000000Z-000000001-p1",
      "20250101T000000Z-000000002-p1",
      "20990101T000000Z-000000000-p1"
    ]
      .map((runId): RunRef => ({ ...runRef(), runId }))
    const calls = await onMachine(Effect.gen(function*() {
      const calls = yield* Ref.make<ReadonlyArray<readonly [string, KeptCopy]>>([])
      const log = yield* EventLog
      for (const [ref, worktree] of [[old, "/repo"], [another, "/other"], [newer, "/repo"]] as const) {
        if (ref !== undefined) yield* log.create(reviewRun, ref, [created({ runId: ref.runId, worktree })])
      }
      const run = yield* opened(isolated)
      const all = [newer, run.ref, another, old].flatMap((ref) => ref ?? [])
      yield* Effect.provide(tidyOlder(run), recording(calls, all))
      return yield* Ref.get(calls)
    }))
    assert.deepStrictEqual(calls, [[old?.runId ?? "", none]])
  })

  it("keeps the repository of an older run whose step still has reviewers", async () => {
    const old: RunRef = { ...runRef(), runId: "20250101T000000Z-000000001-p1" }
    const calls = await onMachine(Effect.gen(function*() {
      const calls = yield* Ref.make<ReadonlyArray<readonly [string, KeptCopy]>>([])
      yield* (yield* EventLog).create(reviewRun, old, [created({ runId: old.runId }), ...isolated])
      const run = yield* opened(isolated)
      const alive = yield* Ref.make(true)
      const look = () => Effect.map(Ref.get(alive), (reviewersAlive) => ({ changedAt: 0, reviewersAlive }))
      const store = Layer.provideMerge(recording(calls, [old]), storeWith({ look }))
      yield* Effect.provide(tidyOlder(run), store)
      yield* Ref.set(alive, false)
      yield* Effect.provide(tidyOlder(run), store)
      return yield* Ref.get(calls)
    }))
    assert.deepStrictEqual(calls, [[old.runId, at], [old.runId, none]])
  })

  it("is left to later where it fails", () =>
    onMachine(Effect.gen(function*() {
      const failing = () => Effect.fail(new StoreFailed({ path: "/x", reason: { _tag: "NotARun" } }))
      const broken = storeWith({ clearIsolated: failing, withIsolated: failing })
      const run = yield* opened(isolated)
      yield* Effect.provide(Effect.andThen(tidy(run), tidyOlder(run)), broken)
    })))
})
