// RunStore: the store in memory: its runs, its pointer, what is kept beside a log, and its locks.
import { Effect, Layer, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { textName } from "../../../../src/run/LongText.ts"
import { runIdPattern } from "../../../../src/log/Refs.ts"
import { RunStore } from "../../../../src/run/RunStore.ts"
import { layer as log } from "../../../../src/testing/memory/EventLog.ts"
import { layer } from "../../../../src/testing/memory/RunStore.ts"
import { World, layer as world } from "../../../../src/testing/World.ts"
import { onMachine } from "../../run/opened.ts"
import { runStoreLaws } from "../../fleet/runStoreLaws.ts"

const target = { root: "/state", repoId: "repo-noremote", targetKey: "uncommitted" }
const run = (n: number) => ({ ...target, runId: `20300101T00000${n}Z-000000001-p1` })
const inStore = <A, E>(use: (store: RunStore["Service"]) => Effect.Effect<A, E, World>): Promise<A> =>
  onMachine(RunStore.use(use), { runStore: layer })

runStoreLaws(Layer.merge(Layer.provide(layer, world()), log), () => target)

describe("runs", () => {
  it("are listed as they were created, the newest first, by target and by repository", async () => {
    const other = { ...run(3), repoId: "other", targetKey: "base/main" }
    const [ofTarget, ofRepository, all, elsewhere] = await inStore((store) =>
      Effect.gen(function*() {
        for (const one of [run(1), run(2), other]) yield* store.create(one)
        return yield* Effect.all([
          store.runs(target),
          store.list("/state", "other"),
          store.list("/state", null),
          store.list("/x", null)
        ])
      })
    )
    assert.deepStrictEqual(ofTarget, [run(2), run(1)])
    assert.deepStrictEqual(ofRepository, [other])
    assert.deepStrictEqual(all, [other, run(2), run(1)])
    assert.deepStrictEqual(elsewhere, [])
  })

  it("have ids in the contract's form, no two alike", async () => {
    const ids = await inStore((store) => Effect.all([store.newRunId, store.newRunId, store.nonce, store.nonce]))
    for (const id of ids.slice(0, 2)) assert.match(id, runIdPattern)
    for (const nonce of ids.slice(2)) assert.match(nonce, /^[0-9a-f]{32}$/)
    assert.strictEqual(new Set(ids).size, 4)
  })

  it("are gone when they are removed, and the pointer with the latest", async () => {
    const seen = await inStore((store) =>
      Effect.gen(function*() {
        yield* store.create(run(1))
        yield* store.create(run(2))
        yield* store.point(run(2))
        yield* store.remove(run(2), { isLatest: false })
        const dangling = yield* store.latest(target)
        yield* store.remove(run(2), { isLatest: true })
        return [dangling._tag, (yield* store.latest(target))._tag, yield* store.runs(target)]
      })
    )
    assert.deepStrictEqual(seen, ["Dangling", "None", [run(1)]])
  })
})

describe("latest", () => {
  it("is none, then the run that it was pointed at, for that target alone", async () => {
    const [before, after, other] = await inStore((store) =>
      Effect.gen(function*() {
        const before = yield* store.latest(target)
        yield* store.create(run(1))
        yield* store.point(run(1))
        return [
          before,
          yield* store.latest(target),
          yield* store.latest({ ...target, targetKey: "base/main" })
        ] as const
      })
    )
    assert.deepStrictEqual([before, other], [{ _tag: "None" }, { _tag: "None" }])
    assert.deepStrictEqual(after, { _tag: "Run", run: run(1) })
  })
})

describe("what is kept beside a log", () => {
  it("is found by the name that its digest gives it, in its own run", async () => {
    const [kept, found, elsewhere] = await inStore((store) =>
      Effect.gen(function*() {
        const kept = yield* store.keepText(run(1), "a long text")
        return yield* Effect.all([
          Effect.succeed(kept),
          store.digest(run(1), textName(kept.hex)),
          store.digest(run(2), textName(kept.hex))
        ])
      })
    )
    assert.deepStrictEqual(found, kept)
    assert.strictEqual(kept.bytes, 11)
    assert.isNull(elsewhere)
  })

  it("and what is written for agents lies in the world, where the program says", async () => {
    const batch = { run: run(1), level: "low", batch: 1 } as const
    const [documents, places] = await inStore((store) =>
      Effect.gen(function*() {
        yield* store.writeFindings(batch, "first")
        yield* store.writeFindings(batch, "second")
        yield* store.writeHistory(run(1), "history")
        const places = [store.batchPlaces(batch, 2).findings, store.runPlaces(run(1)).history]
        return [yield* World.use(({ documents }) => Ref.get(documents)), places] as const
      })
    )
    assert.deepStrictEqual(places.map((place) => documents.get(place)), ["second", "history"])
    assert.strictEqual(documents.size, 2)
  })
})

describe("a lock", () => {
  it("is one target's, and held by one at a time", async () => {
    const seen: Array<string> = []
    const hold = (name: string, store: RunStore["Service"], other = target) =>
      store.locked(
        other,
        Effect.gen(function*() {
          seen.push(`${name} in`)
          yield* Effect.sleep("1 second")
          seen.push(`${name} out`)
        })
      )
    await inStore((store) =>
      Effect.all([hold("a", store), hold("b", store), hold("c", store, { ...target, targetKey: "base/main" })], {
        concurrency: "unbounded"
      })
    )
    assert.deepStrictEqual(seen.slice(0, 2), ["a in", "c in"])
    assert.isBelow(seen.indexOf("a out"), seen.indexOf("b in"))
  })
})

describe("a run that is looked at", () => {
  it("changed when it was created, and has no reviewer that lives", async () => {
    const trace = await inStore((store) =>
      Effect.gen(function*() {
        yield* Effect.sleep("1 minute")
        yield* store.create(run(1))
        return yield* store.look(run(1))
      })
    )
    assert.isAtLeast(trace.changedAt, 60_000)
    assert.isFalse(trace.reviewersAlive)
  })
})
