// RunStore: a store on a real disk: runs are created under the target's lock, and kept texts are found again.
import { Effect, Layer } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
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

describe("a kept text", () => {
  it("is found again by its digest", async () => {
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
})

describe("the lock of a target", () => {
  it("that cannot be taken is a failure of the store", async () => {
    const failure = await go((store) => Effect.flip(store.locked({ ...run(), repoId: "none" }, Effect.void)))
    assert.strictEqual(failure._tag, "StoreFailed")
    assert.strictEqual(failure.path, join(root, "none/base/main/lock"))
  })
})
