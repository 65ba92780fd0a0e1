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

const to = (number: number) => ({ _tag: "Snapshot", number }) as const
const gently = { force: false, partial: false }
const taking = { partial: false, round: 1 }

describe("snapshots in memory", () => {
  it("give the code back, and the undo is undone", async () => {
    const seen = await playing(Effect.gen(function*() {
      const { code } = yield* World
      const snapshots = yield* Snapshots
      const first = yield* snapshots.take(runRef(), "/repo", cause, taking)
      const same = yield* snapshots.restore(runRef(), "/repo", to(1), gently)
      yield* edit("code-2")
      const undone = yield* snapshots.restore(runRef(), "/repo", { _tag: "LastRound" }, gently)
      const then = yield* Ref.get(code)
      yield* snapshots.restore(runRef(), "/repo", to(undone.saved?.number ?? 0), gently)
      const numbers = (yield* snapshots.list(runRef())).map(({ number }) => number)
      yield* snapshots.forget(runRef(), "/repo")
      const left = yield* snapshots.list(runRef())
      return { first: first.commit, same: same.saved, then, now: yield* Ref.get(code), numbers, left }
    }))
    assert.deepStrictEqual(seen, {
      first: "code-1",
      same: null,
      then: "code-1",
      now: "code-2",
      numbers: [1, 2, 3, 4, 5],
      left: []
    })
  })

  it("fail for numbers that are not there, and for what is left out without leave", async () => {
    const script = { leftOut: () => ["big"], gitChanges: (code: string) => code === "code-2" ? ["HEAD"] : [] }
    const tags = await playing(
      Effect.gen(function*() {
        const snapshots = yield* Snapshots
        const none = yield* Effect.flip(snapshots.restore(runRef(), "/repo", to(1), gently))
        const partial = yield* Effect.flip(snapshots.take(runRef(), "/repo", cause, taking))
        const taken = yield* snapshots.take(runRef(), "/repo", cause, { partial: true, round: 1 })
        const other = yield* Effect.flip(snapshots.restore(runRef(), "/repo", to(2), gently))
        const round = { _tag: "Round", round: 2 } as const
        const noRound = yield* Effect.flip(snapshots.restore(runRef(), "/repo", round, gently))
        yield* edit("code-2")
        const after = { _tag: "AfterAgent", agent: 1 } as const
        const now = yield* snapshots.take(runRef(), "/repo", after, { partial: true, round: 1 })
        const all = [none, partial, other, noRound].map(({ reason }) => reason._tag)
        return [all, taken.git, now.git.map(({ part }) => part)]
      }),
      script
    )
    assert.deepStrictEqual(tags, [["NoneOfRun", "Partial", "NoSuchNumber", "NoSuchRound"], [], ["HEAD"]])
  })
})
