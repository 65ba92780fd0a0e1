// Snapshots in memory keep the name of the code, give it back, and fail as the real ones do.
import { Effect, Layer, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { Snapshots } from "../../../../src/code/Snapshots.ts"
import { snapshotsLayer, type SnapshotScript } from "../../../../src/testing/memory/Code.ts"
import { layer as world, World } from "../../../../src/testing/World.ts"
import { runRef } from "../../run/events.ts"

const playing = <A, E>(play: Effect.Effect<A, E, Snapshots | World>, script: SnapshotScript = {}) =>
  Effect.runPromise(Effect.provide(play, Layer.provideMerge(snapshotsLayer(script), world())))

const edit = (name: string) => Effect.flatMap(World, ({ code }) => Ref.set(code, name))
const cause = { _tag: "BeforeAgent", agent: 1 } as const

describe("snapshots in memory", () => {
  it("give the code back, and the undo is undone", async () => {
    const seen = await playing(Effect.gen(function*() {
      const { code } = yield* World
      const snapshots = yield* Snapshots
      const first = yield* snapshots.take(runRef(), "/repo", cause, { partial: false })
      const same = yield* snapshots.restore(runRef(), "/repo", 1)
      yield* edit("code-2")
      const undone = yield* snapshots.restore(runRef(), "/repo", 1)
      const then = yield* Ref.get(code)
      yield* snapshots.restore(runRef(), "/repo", undone.saved?.number ?? 0)
      const numbers = (yield* snapshots.list(runRef(), "/repo")).map(({ number }) => number)
      const runs = (yield* snapshots.snapshotted("/repo")).length
      yield* snapshots.forget(runRef(), "/repo")
      const left = yield* snapshots.list(runRef(), "/repo")
      return { first: first.commit, same: same.saved, then, now: yield* Ref.get(code), numbers, runs, left }
    }))
    assert.deepStrictEqual(seen, {
      first: "code-1",
      same: null,
      then: "code-1",
      now: "code-2",
      numbers: [1, 2, 3],
      runs: 1,
      left: []
    })
  })

  it("fail for numbers that are not there, and for what is left out without leave", async () => {
    const script = { leftOut: () => ["big"], gitChanges: (code: string) => code === "code-2" ? ["HEAD"] : [] }
    const tags = await playing(
      Effect.gen(function*() {
        const snapshots = yield* Snapshots
        const none = yield* Effect.flip(snapshots.restore(runRef(), "/repo", 1))
        const partial = yield* Effect.flip(snapshots.take(runRef(), "/repo", cause, { partial: false }))
        const taken = yield* snapshots.take(runRef(), "/repo", cause, { partial: true })
        const other = yield* Effect.flip(snapshots.restore(runRef(), "/repo", 2))
        const before = yield* snapshots.gitChanges(taken)
        yield* edit("code-2")
        return [none.reason._tag, partial.reason._tag, other.reason._tag, before, yield* snapshots.gitChanges(taken)]
      }),
      script
    )
    assert.deepStrictEqual(tags, ["NoneOfRun", "Partial", "NoSuchNumber", [], ["HEAD"]])
  })
})
