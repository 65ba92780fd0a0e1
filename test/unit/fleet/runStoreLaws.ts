// runStoreLaws: what every store of runs keeps, be it on a disk, in memory or in a database.
// A law speaks of runs whose logs have begun, since a database knows no others.
import { Deferred, Effect, Exit, Fiber, type Layer } from "effect"
import { assert, describe, it } from "vitest"
import { textName } from "../../../src/run/LongText.ts"
import { runIdPattern, type RunRef, type TargetRef } from "../../../src/log/Refs.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { type KeptCopy, RunStore } from "../../../src/run/RunStore.ts"
import { created } from "../log/samples.ts"

type Store = RunStore["Service"]

/** The n-th run of a target. */
const nth = ({ repoId, root, targetKey }: TargetRef, n: number): RunRef => ({
  root,
  repoId,
  targetKey,
  runId: `20300101T00000${n}Z-000000001-p1`
})

/** Begins a run as a step does. */
export const begin = Effect.fnUntraced(function*(run: RunRef) {
  const store = yield* RunStore
  const log = yield* EventLog
  yield* store.create(run)
  yield* log.create(reviewRun, run, [created({ runId: run.runId })])
  yield* store.point(run)
})

/** The laws. `layer` may be built anew for each test; `fresh` is a target in an empty store that is there. */
export const runStoreLaws = (layer: Layer.Layer<RunStore | EventLog>, fresh: () => TargetRef): void => {
  const go = <A, E>(use: (store: Store) => Effect.Effect<A, E, RunStore | EventLog>): Promise<A> =>
    Effect.runPromise(RunStore.use(use).pipe(Effect.provide(layer)))

  describe("a store of runs", () => {
    it("lists runs by target, by repository and all, the newest first", async () => {
      const target = fresh()
      const other = nth({ ...target, repoId: "other", targetKey: "base/main" }, 2)
      const beside = nth({ ...target, targetKey: "commit/abc" }, 2)
      const seen = await go((store) =>
        Effect.gen(function*() {
          const before = yield* Effect.all([store.runs(target), store.list(target.root, null)])
          for (const run of [nth(target, 1), nth(target, 3), other, beside]) yield* begin(run)
          const after = [
            store.runs(target),
            store.list(target.root, "other"),
            store.list(target.root, null),
            store.list(`${target.root}-elsewhere`, null)
          ]
          return [...before, ...(yield* Effect.all(after))]
        })
      )
      const [one, three] = [nth(target, 1), nth(target, 3)]
      const all = [three, ...[other, beside].sort((a, b) => a.repoId < b.repoId ? -1 : 1), one]
      assert.deepStrictEqual(seen, [[], [], [three, one], [other], all, []])
    })

    it("knows the newest run of each target, and a pointer that leads nowhere", async () => {
      const target = fresh()
      const [one, two, none] = [nth(target, 1), nth(target, 2), nth(target, 9)]
      const seen = await go((store) =>
        Effect.gen(function*() {
          const latest = store.latest(target)
          const begun = (run: RunRef) => Effect.andThen(begin(run), latest)
          const pointed = (run: RunRef) => Effect.andThen(store.point(run), latest)
          const others = store.latest({ ...target, targetKey: "base/main" })
          return yield* Effect.all([latest, begun(one), begun(two), others, pointed(one), pointed(none)])
        })
      )
      const run = (ref: RunRef) => ({ _tag: "Run", run: ref })
      const nothing = { _tag: "None" }
      assert.deepStrictEqual(seen, [nothing, run(one), run(two), nothing, run(one), { _tag: "Dangling" }])
    })

    it("forgets a run that is removed, and the pointer where it was the newest, and no other run", async () => {
      const target = fresh()
      const [one, two] = [nth(target, 1), nth(target, 2)]
      const seen = await go((store) =>
        Effect.gen(function*() {
          yield* begin(one)
          const { hex } = yield* store.keepText(one, "a text")
          yield* begin(two)
          yield* store.keepText(two, "a text")
          yield* store.remove(one, { isLatest: false })
          const latest = yield* store.latest(target)
          const kept = yield* Effect.all([one, two].map((run) => store.digest(run, textName(hex))))
          yield* store.remove(two, { isLatest: true })
          return [latest, kept.map((digest) => digest !== null), yield* store.latest(target), yield* store.runs(target)]
        })
      )
      assert.deepStrictEqual(seen, [{ _tag: "Run", run: two }, [false, true], { _tag: "None" }, []])
    })

    it("keeps a text under its digest, in its own run alone, however often", async () => {
      const target = fresh()
      const [one, two] = [nth(target, 1), nth(target, 2)]
      const text = "Grüße\u0000 an alle\n".repeat(1000)
      const [digest, again, found, ...rest] = await go((store) =>
        Effect.gen(function*() {
          yield* store.create(one)
          const digest = yield* store.keepText(one, text)
          const name = textName(digest.hex)
          return yield* Effect.all([
            Effect.succeed(digest),
            store.keepText(one, text),
            store.digest(one, name),
            store.digest(two, name),
            store.keeps(one, text),
            store.keeps(one, `${text} `),
            store.keeps(two, text)
          ])
        })
      )
      assert.deepStrictEqual([again, found], [digest, digest])
      assert.strictEqual(digest.bytes, Buffer.byteLength(text))
      assert.deepStrictEqual(rest, [null, true, false, false])
    })

    it("writes documents again and again", async () => {
      const run = nth(fresh(), 1)
      await go((store) =>
        Effect.gen(function*() {
          yield* begin(run)
          for (const text of ["first", "", "third"]) {
            yield* store.writeFindings({ run, level: "low", batch: 1 }, text)
            yield* store.writeHistory(run, text)
          }
        })
      )
    })

    it("lets one at a time hold a target, apart from other targets, and the next once it has failed", async () => {
      const target = fresh()
      const order: Array<string> = []
      const say = (word: string) => Effect.sync(() => void order.push(word))
      await go((store) =>
        Effect.gen(function*() {
          const other = { ...target, targetKey: "base/main" }
          yield* Effect.forEach([target, other], (one) => store.prepare(one, "/elsewhere"))
          const [inside, leave] = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
          const holding = Effect.andThen(Deferred.succeed(inside, undefined), Deferred.await(leave))
          const failing = Effect.andThen(Effect.andThen(holding, say("first")), Effect.fail("failed"))
          const first = yield* Effect.forkChild(Effect.exit(store.locked(target, failing)))
          yield* Deferred.await(inside)
          const second = yield* Effect.forkChild(store.locked(nth(target, 1), say("second")))
          yield* store.locked(other, say("other"))
          yield* Deferred.succeed(leave, undefined)
          assert.isTrue(Exit.isFailure(yield* Fiber.join(first)))
          yield* Fiber.join(second)
        })
      )
      assert.deepStrictEqual(order, ["other", "first", "second"])
    })

    it("gives new things names that nothing else has", async () => {
      const names = await go((store) =>
        Effect.all([store.newRunId, store.nonce, store.nonce, store.newAttemptId, store.newAttemptId])
      )
      assert.match(names[0], runIdPattern)
      assert.match(names[1], /^[0-9a-f]{32}$/)
      assert.strictEqual(new Set(names).size, names.length)
    })

    it("reports that a run has no reviewers and nothing isolated", async () => {
      const target = fresh()
      const run = nth(target, 1)
      const [trace, ...rest] = await go((store) =>
        Effect.gen(function*() {
          yield* begin(run)
          yield* store.clearScratches(target)
          yield* store.clearIsolated(run, Effect.succeed<KeptCopy>({ _tag: "None" }))
          return yield* Effect.all([
            store.look(run),
            store.withIsolated(target),
            store.cutTranscripts([], { dryRun: false })
          ])
        })
      )
      assert.isFalse(trace.reviewersAlive)
      assert.isTrue(Number.isFinite(trace.changedAt))
      assert.deepStrictEqual(rest, [[], 0])
    })

    it("has places that differ for each run, batch and slot", async () => {
      const target = fresh()
      const places = await go((store) =>
        Effect.succeed([1, 2].flatMap((n) => {
          const run = nth(target, n)
          const { directory, history } = store.runPlaces(run)
          return [
            directory,
            history,
            ...[1, 2].flatMap((batch) => {
              const { findings, slots } = store.batchPlaces({ run, level: "low", batch }, 2)
              return [findings, ...slots.flatMap(({ log, out, review }) => [log, out, review])]
            })
          ]
        }))
      )
      assert.strictEqual(new Set(places).size, places.length)
      assert.lengthOf(places, 2 * (2 + 2 * (1 + 2 * 3)))
    })
  })
}
