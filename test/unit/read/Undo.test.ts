// An undo goes back to before the last round, in the worktree of its run alone, and never beside one who works.
import { Effect, Layer, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { previewUndo, undo as undoRun, undoable } from "../../../src/read/Undo.ts"
import { Snapshots, type UndoTo } from "../../../src/code/Snapshots.ts"
import { Memory, World } from "../../../src/testing.ts"
import { RunStore } from "../../../src/run/RunStore.ts"
import { created, runRef } from "../run/events.ts"
import { begun, onMachine } from "../run/opened.ts"

const where = { stateRoot: runRef().root, cwd: "/repo" }
const named = { _tag: "Named", prefix: runRef().runId } as const

/** A run of a worktree, with two agents that have each edited the code. */
const worked = (worktree = "/repo") =>
  Effect.gen(function*() {
    yield* (yield* RunStore).create(runRef())
    yield* begun(created({ worktree }), [])
    const { code } = yield* World
    for (const agent of [1, 2]) {
      yield* (yield* Snapshots).take(runRef(), worktree, { _tag: "BeforeAgent", agent }, {
        partial: false,
        round: agent
      })
      yield* Ref.set(code, `edited by ${agent}`)
    }
  })

const gently = { force: false, partial: false }
const undo = (to: UndoTo = { _tag: "LastRound" }) => undoRun(named, to, gently, where)

const message = <A, E extends Error, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => error.message)

describe("an undo", () => {
  it("goes back to before the last round, another one, or any snapshot", async () => {
    const seen = await onMachine(Effect.gen(function*() {
      yield* worked()
      const { code } = yield* World
      const first = yield* undo()
      const then = yield* Ref.get(code)
      const again = yield* undo()
      yield* undo({ _tag: "Round", round: 1 })
      const back = yield* Ref.get(code)
      yield* undo({ _tag: "Snapshot", number: first.restored.saved?.number ?? 0 })
      const { rounds, snapshots } = yield* undoable(named, where)
      const numbers = rounds.map(({ round }) => round)
      return [first.restored.rounds, then, again.restored.saved, back, yield* Ref.get(code), numbers, snapshots.length]
    }))
    assert.deepStrictEqual(seen, [[2], "edited by 1", null, "code-1", "edited by 2", [1, 2], 8])
  })

  it("is shown first, and changes nothing then", async () => {
    const seen = await onMachine(Effect.gen(function*() {
      yield* worked()
      const { diff } = yield* previewUndo(named, { _tag: "AllRounds" }, gently, where)
      return [diff.text, yield* Ref.get((yield* World).code)]
    }))
    assert.deepStrictEqual(seen, ["-edited by 2\n+code-1\n", "edited by 2"])
  })

  it("is refused without a snapshot, in another worktree, and for one that is gone", async () => {
    const messages = await onMachine(Effect.gen(function*() {
      yield* (yield* RunStore).create(runRef())
      yield* begun(created({ worktree: "/repo" }), [])
      return yield* message(undo())
    }))
    assert.match(messages, /^run \S+ has no snapshots/)
    const elsewhere = (exists: boolean) =>
      onMachine(
        Effect.andThen(worked("/other"), message(undo())),
        { git: Memory.git({ exists: () => Effect.succeed(exists) }) }
      )
    assert.match(await elsewhere(true), /^run \S+ is of another worktree; call this in \/other$/)
    assert.match(await elsewhere(false), /^the worktree of run \S+ is gone: \/other$/)
  })

  it("is refused while somebody works, and says how to end that", async () => {
    const working = Layer.effect(
      RunStore,
      Effect.map(
        RunStore,
        (store) => RunStore.of({ ...store, look: () => Effect.succeed({ changedAt: 0, reviewersAlive: true }) })
      )
    ).pipe(Layer.provide(Memory.runStore))
    const said = await onMachine(
      Effect.gen(function*() {
        yield* worked()
        const line = yield* message(undo())
        return [line, yield* Ref.get((yield* World).code)]
      }),
      { runStore: working }
    )
    assert.match(said[0] ?? "", /still works \[ooda-codex-review stop --run \S+\]$/)
    assert.strictEqual(said[1], "edited by 2")
  })
})
