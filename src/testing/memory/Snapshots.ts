// Snapshots: the snapshots of tests: each keeps the name of the world's code, and an undo gives that name back.
// What is left out is scripted; nothing is ever in the way.
import { Clock, Effect, Layer, Ref } from "effect"
import type { Snapshot, SnapshotCause } from "../../core/agent/Snapshot.ts"
import { type RunRef, runText, sameRun } from "../../core/run/Refs.ts"
import { type Restored, SnapshotFailed, Snapshots, type Snapshotted } from "../../services/Snapshots.ts"
import { World } from "../World.ts"

/** What a test scripts: what a snapshot of the code leaves out, and the parts of git that change while it is that. */
export interface SnapshotScript {
  readonly leftOut?: (code: string) => ReadonlyArray<string>
  readonly gitChanges?: (code: string) => ReadonlyArray<string>
  /** The protected files that differ between two codes. */
  readonly changed?: (before: string, after: string, patterns: ReadonlyArray<string>) => ReadonlyArray<string>
}

const make = Effect.fnUntraced(function*(script: SnapshotScript) {
  const { code, witnessed } = yield* World
  const taken = yield* Ref.make<ReadonlyArray<Snapshot>>([])
  const of = (run: RunRef) => Effect.map(Ref.get(taken), (all) => all.filter((one) => sameRun(one.run, run)))
  const add = Effect.fnUntraced(function*(run: RunRef, worktree: string, cause: SnapshotCause, now: string) {
    const at = new Date(yield* Clock.currentTimeMillis).toISOString()
    const number = ((yield* of(run)).at(-1)?.number ?? 0) + 1
    const leftOut = script.leftOut?.(now) ?? []
    const facts = { schema: 1, run, number, at, worktree, cause, leftOut, repositories: [], git: [] } as const
    return { ...facts, commit: now } satisfies Snapshot
  })
  const keep = (snapshot: Snapshot) => Ref.update(taken, (all) => [...all, snapshot])

  return Snapshots.of({
    take: (run, worktree, cause, { partial }) =>
      witnessed(
        "Snapshots.take",
        Effect.gen(function*() {
          const snapshot = yield* add(run, worktree, cause, yield* Ref.get(code))
          const { leftOut } = snapshot
          if (leftOut.length > 0 && !partial) {
            return yield* new SnapshotFailed({ reason: { _tag: "Partial", leftOut } })
          }
          yield* keep(snapshot)
          return snapshot
        })
      ),
    list: (run) => of(run),
    changed: (run, _, { after, before }, patterns) =>
      Effect.map(of(run), (known) => {
        const code = (number: number) => known.find((one) => one.number === number)?.commit ?? ""
        return patterns.length === 0 ? [] : script.changed?.(code(before), code(after), patterns) ?? []
      }),
    diff: (run, _, { after, before }) =>
      Effect.map(of(run), (known) => {
        const code = (number: number) => known.find((one) => one.number === number)?.commit ?? ""
        const text = code(before) === code(after) ? "" : `-${code(before)}\n+${code(after)}\n`
        return { files: text === "" ? [] : ["code"], text, whole: true }
      }),
    gitChanges: () => Effect.map(Ref.get(code), (now) => script.gitChanges?.(now) ?? []),
    restore: (run, worktree, number) =>
      witnessed(
        "Snapshots.restore",
        Effect.gen(function*() {
          const known = yield* of(run)
          const last = known.at(-1)
          const to = known.find((one) => one.number === number)
          if (last === undefined) {
            return yield* new SnapshotFailed({ reason: { _tag: "NoneOfRun", run: run.runId } })
          }
          if (to === undefined) {
            return yield* new SnapshotFailed({ reason: { _tag: "NoSuchNumber", number, last: last.number } })
          }
          const now = yield* Ref.get(code)
          if (now === to.commit) return { to, saved: null, written: 0, removed: 0, left: [] } satisfies Restored
          const saved = yield* add(run, worktree, { _tag: "BeforeUndo", to: number }, now)
          yield* keep(saved)
          yield* Ref.set(code, to.commit)
          return { to, saved, written: 1, removed: 0, left: [] } satisfies Restored
        })
      ),
    finish: () => Effect.succeed(null),
    unfinished: () => Effect.succeed(false),
    snapshotted: () =>
      Effect.map(Ref.get(taken), (all) => [
        ...new Map(all.map(({ at, run }): [string, Snapshotted] => [runText(run), { run, at: Date.parse(at) }]))
          .values()
      ]),
    forget: (run) =>
      witnessed("Snapshots.forget", Ref.update(taken, (all) => all.filter((one) => !sameRun(one.run, run))))
  })
})

/** No snapshots yet. */
export const layer = (script: SnapshotScript = {}): Layer.Layer<Snapshots, never, World> =>
  Layer.effect(Snapshots, make(script))
