// Undo: an undo restores the code from before the last round, only in the run's own worktree, and never while work goes on.
import { Effect, Layer, Ref } from "effect"
import { assert, describe, it } from "vitest"
import {
  type Restored,
  type Snapshot,
  type SnapshotCause,
  Snapshots,
  type UndoTo
} from "../../../src/code/Snapshots.ts"
import {
  previewUndo,
  undo as undoRun,
  undoable,
  undoableJson,
  undoableText,
  undoneJson,
  type UndoneRun,
  undoneText,
  previewText
} from "../../../src/read/Undo.ts"
import { Drivers } from "../../../src/drive/DriverLock.ts"
import { convergeRun } from "../../../src/drive/converge/State.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { runName } from "../../../src/run/Document.ts"
import { RunStore } from "../../../src/run/RunStore.ts"
import { Memory, World } from "../../../src/testing.ts"
import { driving } from "../drive/converge/events.ts"
import { driverStarted, roundStarted } from "../drive/converge/streams.ts"
import { created, runRef } from "../run/events.ts"
import { begun, onMachine } from "../run/opened.ts"

const where = { stateRoot: runRef().root, cwd: "/repo" }
const named = { _tag: "Named", prefix: runRef().runId } as const

/** A run of a worktree in which two agents each edited the code. */
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
  it("restores the code from before the last round, before another round, or of any snapshot", async () => {
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

  it("has a preview that changes nothing", async () => {
    const seen = await onMachine(Effect.gen(function*() {
      yield* worked()
      const { diff } = yield* previewUndo(named, { _tag: "AllRounds" }, gently, where)
      return [diff.text, yield* Ref.get((yield* World).code)]
    }))
    assert.deepStrictEqual(seen, ["-edited by 2\n+code-1\n", "edited by 2"])
  })

  it("is refused without a snapshot, in another worktree, and if the worktree is gone", async () => {
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

  it("names the full listing command if the round or snapshot does not exist", async () => {
    const messages = await onMachine(Effect.gen(function*() {
      yield* worked()
      const missing = { _tag: "Round", round: 7 } as const
      return [
        yield* message(previewUndo(named, missing, gently, where)),
        yield* message(undo({ _tag: "Snapshot", number: 99 }))
      ]
    }))
    const { runId } = runRef()
    const listing = `ooda-codex-review undo ${runId} --list --state-root /state`
    assert.deepStrictEqual(messages, [
      `no agent worked in round 7 [${listing}]`,
      `there is no snapshot 99; the last one is 2 [${listing}]`
    ])
  })

  it("is refused while a driver runs", async () => {
    const said = await onMachine(Effect.gen(function*() {
      yield* worked()
      yield* (yield* EventLog).create(convergeRun, runRef(), [driving, driverStarted()])
      const present = () => Effect.succeed([7])
      return yield* Effect.provideService(message(undo()), Drivers, Drivers.of({ ...yield* Drivers, present }))
    }))
    assert.match(said, /^a driver, an agent or a reviewer of run \S+ still works /)
  })

  it("names the commits of its rounds, newest first", async () => {
    const commits = await onMachine(Effect.gen(function*() {
      yield* worked()
      const committed = (round: number, commit: string | null) =>
        ({ _tag: "FixesCommitted", round, agent: round, commit, output: { text: "" } }) as const
      yield* (yield* EventLog).create(convergeRun, runRef(), [
        ...[driving, driverStarted(), roundStarted(), committed(1, null), committed(1, "a")],
        // What a user committed, because an agent left nothing to commit.
        ...[roundStarted({ round: 2 }), committed(2, "b"), { ...committed(2, "person's"), made: false } as const]
      ])
      const { commits } = yield* previewUndo(named, { _tag: "AllRounds" }, gently, where)
      return [commits, (yield* undo()).commits]
    }))
    assert.deepStrictEqual(commits, [["b", "a"], ["b"]])
  })

  it("is refused while an agent runs, and says how to stop it", async () => {
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
    assert.match(said[0] ?? "", /still works \[ooda-codex-review stop --run \S+ --state-root \S+\]$/)
    assert.strictEqual(said[1], "edited by 2")
  })
})

const snapshot = (number: number, cause: SnapshotCause, leftOut: ReadonlyArray<string> = []): Snapshot => ({
  schema: 2,
  run: runRef(),
  number,
  at: "2026-01-01T00:00:00.000Z",
  worktree: "/repo",
  cause,
  round: "agent" in cause ? 1 : null,
  tree: "t",
  rules: "r",
  skipped: leftOut.map((path) => ({ path, why: "it is too large", code: true })),
  git: [],
  commit: `c${number}`
})

const one = snapshot(1, { _tag: "BeforeAgent", agent: 1 }, ["big\n", "many"])
const two = snapshot(2, { _tag: "AfterAgent", agent: 1 })
const three = snapshot(3, { _tag: "BeforeUndo" })
const diff = { files: ["a.ts", "b.ts"], text: "--- a\n+++ b\n-x\n+y\n+z\n", whole: true }
const run = runRef()

describe("the list of undos", () => {
  const list = {
    run,
    rounds: [{ round: 1, asked: "1 finding of low batch 1", snapshots: [one, two], diff }],
    snapshots: [one, two, three],
    isEarlier: false
  }

  it("has the rounds, what was asked, what they changed, and their snapshots", () => {
    assert.strictEqual(
      undoableText(list, null),
      "round 1  2026-01-01T00:00:00.000Z  1 finding of low batch 1: 2 files changed, +2 -1\n" +
        "  snapshot 1  2026-01-01T00:00:00.000Z  before agent 1, without big\\n, many\n" +
        "  snapshot 2  2026-01-01T00:00:00.000Z  after agent 1\n" +
        "undos\n" +
        "  snapshot 3  2026-01-01T00:00:00.000Z  before an undo\n"
    )
    const rest = { ...list, rounds: [], snapshots: [two, snapshot(4, { _tag: "BeforeUndo" })] }
    assert.match(undoableText(rest, null), /\nmissing or damaged: snapshot 1, snapshot 3\n$/)
    const none = { run, rounds: [], snapshots: [], isEarlier: false }
    assert.match(undoableText(none, null), /^run \S+ has no snapshots: no agent has worked on it here\n$/)
    assert.match(
      undoableText({ ...none, isEarlier: true }, null),
      /^run \S+ is of an earlier version \[ooda.* undo \S+ prints/
    )
  })

  it("is a document too", () => {
    const document = JSON.parse(undoableJson(list))
    const { at } = one
    assert.deepStrictEqual([document.run, document.rounds], [
      runName(run),
      [{ round: 1, at, asked: "1 finding of low batch 1", files: diff.files, added: 2, removed: 1 }]
    ])
    assert.deepStrictEqual(document.snapshots.slice(0, 1), [
      { number: 1, at, cause: "BeforeAgent", agent: 1, round: 1, commit: "c1", leftOut: ["big\\n", "many"] }
    ])
  })
})

const restored = (more: Partial<Restored> = {}): Restored => ({
  to: one,
  rounds: [1],
  saved: three,
  files: [{ path: "a.ts", change: "Written", merged: true }, { path: "b.ts", change: "Removed", merged: false }],
  left: [],
  aside: null,
  ...more
})
const undone = (more: Partial<Restored> = {}, commits: ReadonlyArray<string> = []): UndoneRun => ({
  run,
  asked: { _tag: "LastRound" },
  restored: restored(more),
  earlier: null,
  commits
})

describe("the report of an undo", () => {
  it("lists what was restored, file by file, and how to undo it", () =>
    assert.strictEqual(
      undoneText(undone(), null),
      "took back round 1 [snapshot 1, before agent 1, 2026-01-01T00:00:00.000Z]: 1 written, 1 removed\n" +
        "  written  a.ts  (your changes stay)\n" +
        "  removed  b.ts\n" +
        `to bring it back: ooda-codex-review undo ${run.runId} --to 3\n`
    ))

  it("says what was moved, and where it is now", () => {
    const files = [
      { path: "lib/.git", change: "MovedBack", merged: false },
      { path: "mine/.git", change: "MovedAside", merged: false }
    ] as const
    assert.include(
      undoneText(undone({ files, aside: "/run/aside/3" }), null),
      "0 written, 0 removed, 1 moved back, 1 moved aside\n  moved back  lib/.git\n  moved aside  mine/.git\n" +
        "what was moved aside is in /run/aside/3\n"
    )
  })

  it("says first that it finished one that was interrupted", () => {
    const left = [{ path: "c.ts", reason: "ChangedMeanwhile" }] as const
    const text = undoneText({ ...undone({ saved: null, files: [] }), earlier: restored({ left }) }, null)
    assert.strictEqual(
      text,
      "finished an undo that was interrupted: round 1 [snapshot 1, before agent 1, 2026-01-01T00:00:00.000Z]: " +
        "1 written, 1 removed\n  written  a.ts  (your changes stay)\n  removed  b.ts\n" +
        "left as it is:\n  c.ts  it changed while undo worked\n" +
        "nothing to undo: the files are those of snapshot 1, before agent 1, 2026-01-01T00:00:00.000Z\n"
    )
  })

  it("says that there is nothing to undo if the files already match the snapshot, also in a preview", () => {
    const nothing = undone({ saved: null, files: [] })
    const text = "nothing to undo: the files are those of snapshot 1, before agent 1, 2026-01-01T00:00:00.000Z\n"
    assert.strictEqual(undoneText(nothing, null), text)
    assert.strictEqual(previewText(nothing, { files: [], text: "", whole: true }, null), text)
  })

  it("names only the snapshot when an earlier undo is undone", () =>
    assert.match(
      undoneText(undone({ rounds: [] }), null),
      /^took back what changed since \[snapshot 1, .*\]: 1 written/
    ))

  it("lists every file that stays, why, and the command that restores it too", () => {
    const left = [
      { path: "x", reason: "Conflict" },
      { path: "y", reason: "Unsaved", detail: "it is a FIFO" },
      { path: "caf\xe9", reason: "NotSaved" }
    ] as const
    assert.include(
      undoneText({ ...undone({ left }), asked: { _tag: "Round", round: 1 } }, null),
      "left as they are:\n" +
        "  x  your change and the agent's touch\n" +
        "  y  what is there cannot be saved first (it is a FIFO)\n" +
        "  caf\ufffd  it could not be saved before the agent worked\n" +
        "to take these back too: " +
        `ooda-codex-review undo ${run.runId} --round 1 --force --allow partial-snapshot\n`
    )
    assert.match(undoneText(undone(), "/a b"), /\nto bring it back: .* undo \S+ --state-root '\/a b' --to 3\n/)
    assert.notInclude(undoneText(undone({ left: [{ path: "z", reason: "NotSaved" }] }), null), "to take these back")
  })

  it("says that commits stay, and how git undoes them", () =>
    assert.include(
      undoneText(undone({}, ["a".repeat(40), "b".repeat(40)]), null),
      `2 commits of the run stay; to undo them: git revert ${"a".repeat(12)} ${"b".repeat(12)}\n`
    ))

  it("is a document too", () => {
    const document = JSON.parse(undoneJson(undone({ left: [{ path: "x", reason: "Removed" }] }, ["c"]), false))
    assert.deepStrictEqual([document.to.number, document.saved.number, document.rounds], [1, 3, [1]])
    assert.deepStrictEqual(document.files, [
      { path: "a.ts", change: "Written", merged: true },
      { path: "b.ts", change: "Removed", merged: false }
    ])
    assert.deepStrictEqual(document.left, [{ path: "x", reason: "Removed", text: "you removed it" }])
    assert.deepStrictEqual(document.commits, ["c"])
  })
})
