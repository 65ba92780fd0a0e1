// RunStoreSql: without a database each question fails in one line without its address. test/fleet keeps its laws.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import type { Locked } from "../../../../src/fleet/sql/Locks.live.ts"
import { layer } from "../../../../src/fleet/sql/RunStore.live.ts"
import { RunStore } from "../../../../src/run/RunStore.ts"
import { LockFailed } from "../../../../src/log/FileLock.live.ts"
import { runRef } from "../../run/events.ts"
import { isUnreached, nowhere } from "./nowhere.ts"

type Store = RunStore["Service"]

const held: Locked = (path) => Effect.fail(new LockFailed({ path, reason: { _tag: "LockHeld", seconds: 10 } }))
const store = Layer.provide(layer({ locked: held, reviewersAlive: () => Effect.succeed(false) }), nowhere)
const go = <A, E>(use: (store: Store) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.provide(RunStore.use(use), store))

const directory = "/s/repo/uncommitted"
const run = { ...runRef(), root: "/s", repoId: "repo", targetKey: "uncommitted" }
const file = `${directory}/runs/${run.runId}`

describe("without a database", () => {
  it.each([
    ["the store", (one: Store) => Effect.asVoid(one.open(null, "/"))],
    [directory, (one: Store) => Effect.asVoid(one.latest(run))],
    [directory, (one: Store) => one.prepare(run, "/")],
    ["/s", (one: Store) => Effect.asVoid(one.list("/s", null))],
    [`${file}/history.md`, (one: Store) => one.writeHistory(run, "text")],
    [`${file}/texts/a.txt`, (one: Store) => Effect.asVoid(one.digest(run, "texts/a.txt"))],
    [file, (one: Store) => Effect.asVoid(one.look(run))],
    [file, (one: Store) => one.remove(run, { isLatest: true })]
  ])("there is no %s", async (path, ask) => isUnreached(path, await go((one) => Effect.flip(ask(one)))))

  it("a store takes up nothing that anybody knows of", async () =>
    assert.deepStrictEqual(await go((one) => one.usage("/s")), { bytes: 0, largest: null }))
})

it("a lock that another holds is the store's failure, about the target", async () => {
  const error = await go((one) => Effect.flip(one.locked(run, Effect.void)))
  assert.deepStrictEqual([error._tag, error.path, error.reason], [
    "StoreFailed",
    directory,
    { _tag: "LockHeld", seconds: 10 }
  ])
})
