// RunStore: a store on a real disk: runs are created under the target's lock, and what is kept is found again.
import { Effect, Layer } from "effect"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { layer as files } from "../../../src/log/EventLog.live.ts"
import type { RunRef } from "../../../src/log/Refs.ts"
import { textName } from "../../../src/run/LongText.ts"
import { layer } from "../../../src/run/RunStore.live.ts"
import { RunStore } from "../../../src/run/RunStore.ts"
import { runStoreLaws } from "../fleet/runStoreLaws.ts"

let root = ""
beforeEach(() => (root = mkdtempSync(join(tmpdir(), "ooda-store-"))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

const run = (): RunRef => ({
  root,
  repoId: "repo-noremote",
  targetKey: "base/main",
  runId: "20260101T000000Z-000000001-p1"
})

const directory = () => join(root, "repo-noremote/base/main/runs/20260101T000000Z-000000001-p1")

const go = <A, E>(use: (store: RunStore["Service"]) => Effect.Effect<A, E>) =>
  Effect.runPromise(RunStore.use(use).pipe(Effect.provide(layer)))

runStoreLaws(Layer.merge(layer, files), () => ({ root, repoId: "repo-noremote", targetKey: "uncommitted" }))

describe("a new run", () => {
  it("is in a private directory, and in the list of runs", async () => {
    const found = await go((store) =>
      store.create(run()).pipe(
        Effect.andThen(store.point(run())),
        Effect.andThen(Effect.all([
          store.latest(run()),
          store.runs(run()),
          store.list(root, null)
        ]))
      )
    )
    assert.deepStrictEqual(found, [{ _tag: "Run", run: run() }, [run()], [run()]])
    assert.strictEqual(statSync(directory()).mode & 0o777, 0o700)
  })
})

describe("what a run keeps", () => {
  it("of a long text is found again by its digest", async () => {
    const [digest, again] = await go((store) =>
      Effect.gen(function*() {
        const digest = yield* store.keepText(run(), "Grüße")
        return [digest, yield* store.digest(run(), textName(digest.hex))] as const
      })
    )
    assert.deepStrictEqual(again, digest)
    assert.strictEqual(digest.bytes, 7)
    assert.strictEqual(readFileSync(join(directory(), "texts", `${digest.hex}.txt`), "utf8"), "Grüße")
    assert.isNull(await go((store) => store.digest(run(), textName("0".repeat(64)))))
    assert.isTrue(await go((store) => store.keeps(run(), "Grüße")))
    assert.isFalse(await go((store) => store.keeps(run(), "Grüsse")))
    writeFileSync(join(directory(), "texts", `${digest.hex}.txt`), "another")
    assert.isFalse(await go((store) => store.keeps(run(), "Grüße")))
  })

  it("for agents lies where it is said to", async () => {
    const batch = { run: run(), level: "high", batch: 2 } as const
    const places = await go((store) =>
      store.writeFindings(batch, "findings").pipe(
        Effect.andThen(store.writeHistory(run(), "history")),
        Effect.as({ findings: store.batchPlaces(batch, 3).findings, history: store.runPlaces(run()).history })
      )
    )
    assert.strictEqual(places.findings, join(directory(), "levels/level-high/batch-2/findings.md"))
    assert.strictEqual(places.history, join(directory(), "history.md"))
    assert.deepStrictEqual([readFileSync(places.findings, "utf8"), readFileSync(places.history, "utf8")], [
      "findings",
      "history"
    ])
  })
})

describe("the lock of a target", () => {
  it("that cannot be taken is the store's failure", async () => {
    const failure = await go((store) => Effect.flip(store.locked({ ...run(), repoId: "none" }, Effect.void)))
    assert.strictEqual(failure._tag, "StoreFailed")
    assert.strictEqual(failure.path, join(root, "none/base/main/lock"))
  })
})

describe("a run that is removed", () => {
  it("is there no more, and not looked at", async () => {
    const traces = await go((store) =>
      Effect.gen(function*() {
        yield* store.create(run())
        yield* store.point(run())
        const before = yield* store.look(run())
        yield* store.remove(run(), { isLatest: true })
        return { before, latest: yield* store.latest(run()), after: yield* Effect.flip(store.look(run())) }
      })
    )
    assert.isFalse(traces.before.reviewersAlive)
    assert.closeTo(traces.before.changedAt, Date.now(), 60_000)
    assert.deepStrictEqual(traces.latest, { _tag: "None" })
    assert.strictEqual(traces.after._tag, "StoreFailed")
    assert.isFalse(existsSync(directory()))
  })
})
