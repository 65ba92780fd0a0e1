// Snapshots.live: snapshots of runs, and git's own state.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Clock, Effect, Layer, type Scope } from "effect"
import {
  changedParts,
  type Restored,
  shownName,
  type Snapshot,
  type SnapshotCause,
  type SnapshotFacts,
  SnapshotFailed,
  Snapshots,
  type Snapshotted
} from "./Snapshots.ts"
import { type RunRef, runText } from "../log/Refs.ts"
import { Scratchpad } from "./Scratchpad.ts"
import { LockFailed, withFileLock } from "../log/FileLock.live.ts"
import { undoFile, undoLock } from "../run/Layout.live.ts"
import { listIndex, nameOf } from "./Index.live.ts"
import { inOwn } from "./FrozenCopy.live.ts"
import { scratchOf } from "./Scratch.live.ts"
import {
  changedIn,
  diffOf,
  forgetRefs,
  othersOf,
  prepare,
  publish,
  type Purpose,
  readCommits,
  repositoriesOf,
  snapshotsBelow,
  stateOf
} from "./SnapshotTree.live.ts"
import { putBack, readIntent, removeIntent } from "./SnapshotRestore.live.ts"

// The snapshots of runs, as commits of the repository that refs of ours keep alive.
// One process at a time takes, restores or forgets the snapshots of a run.

const told = <A, R>(asked: Effect.Effect<A, string, R>): Effect.Effect<A, SnapshotFailed, R> =>
  Effect.mapError(asked, (why) => new SnapshotFailed({ reason: { _tag: "GitComplained", why } }))

/** Runs an effect while this process alone works on the snapshots of a run. Its copies lie in the store of the run. */
const alone = <A, E>(run: RunRef, use: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E | SnapshotFailed> =>
  withFileLock(undoLock(run), Effect.scoped(use)).pipe(
    Effect.provideService(Scratchpad, run),
    Effect.mapError((error) => error instanceof LockFailed ? new SnapshotFailed({ reason: error.reason }) : error)
  )

const purposeOf = Effect.fnUntraced(function*(run: RunRef, cause: SnapshotCause, known: ReadonlyArray<Snapshot>) {
  const { repoId, root, runId, targetKey } = run
  const at = new Date(yield* Clock.currentTimeMillis).toISOString()
  const number = (known.at(-1)?.number ?? 0) + 1
  return { run: { repoId, root, runId, targetKey }, number, at, cause } satisfies Purpose
})

const list = (run: RunRef, worktree: string) => told(snapshotsBelow(worktree, run.runId))

const noSuch = (run: RunRef, number: number, known: ReadonlyArray<Snapshot>): SnapshotFailed => {
  const last = known.at(-1)
  return new SnapshotFailed({
    reason: last === undefined
      ? { _tag: "NoneOfRun", run: run.runId }
      : { _tag: "NoSuchNumber", number, last: last.number }
  })
}

type Between = Parameters<Snapshots["Service"]["changed"]>[2]

/** The commits of two snapshots of a run, and of the repositories within that differ between them. */
const between = Effect.fnUntraced(function*(run: RunRef, worktree: string, { after, before }: Between) {
  const known = yield* list(run, worktree)
  const at = (number: number) => known.find((one) => one.number === number) ?? noSuch(run, number, known)
  const [from, to] = [at(before), at(after)]
  if (from instanceof SnapshotFailed) return yield* from
  if (to instanceof SnapshotFailed) return yield* to
  const nested = from.repositories.flatMap(({ commit, name }) => {
    const then = to.repositories.find((one) => one.name === name)
    return then === undefined || then.commit === commit
      ? []
      : [{ root: join(worktree, name), from: commit, to: then.commit, prefix: `${name}/` }]
  })
  return [{ root: worktree, from: from.commit, to: to.commit, prefix: "" }, ...nested]
})

/** The files that two snapshots hold differently, also in the repositories within. */
const changed = Effect.fnUntraced(
  function*(run: RunRef, worktree: string, at: Between, patterns: ReadonlyArray<string>) {
    const pairs = yield* between(run, worktree, at)
    return (yield* told(Effect.all(pairs.map((pair) => changedIn(pair, patterns))))).flat()
  }
)

/** What differs between two snapshots, also in the repositories within. */
const diff = Effect.fnUntraced(function*(run: RunRef, worktree: string, at: Between, most: number) {
  const pairs = yield* between(run, worktree, at)
  const all = yield* told(Effect.all(pairs.map((pair) => diffOf(pair, most))))
  return {
    files: all.flatMap(({ files }) => files),
    text: all.map(({ text }) => text).join(""),
    whole: all.every(({ whole }) => whole)
  }
})

/** Puts the worktree back, for an undo that begins now, or for one that was cut off. */
const back = Effect.fnUntraced(function*(
  run: RunRef,
  worktree: string,
  number: number,
  intent: Effect.Success<ReturnType<typeof readIntent>>
) {
  const known = yield* list(run, worktree)
  const to = known.find((one) => one.number === number)
  if (to === undefined) {
    // Nobody can finish an undo to a snapshot that is gone. Later calls must not fail for ever.
    if (intent !== null) yield* removeIntent(run)
    return yield* noSuch(run, number, known)
  }
  const [saved = null] = intent === null ? [] : yield* told(readCommits(worktree, [intent.saved]))
  const purpose = yield* purposeOf(run, { _tag: "BeforeUndo", to: number }, known)
  return yield* putBack(run, worktree, to, purpose, intent === null ? null : { intent, saved })
})

const finished = Effect.fnUntraced(function*(run: RunRef, worktree: string) {
  const intent = yield* readIntent(run)
  return intent === null ? null : yield* back(run, worktree, intent.to, intent)
})

/** The present state of git in a repository and in those within. */
const presentState = (root: string): Effect.Effect<SnapshotFacts["git"], string, Scope.Scope> =>
  Effect.gen(function*() {
    const scratch = yield* scratchOf(root)
    const index = yield* listIndex(root, scratch)
    const own = yield* stateOf(root, scratch, index)
    const inner = yield* Effect.forEach(
      repositoriesOf(root, index, yield* othersOf(root, scratch)),
      (name) =>
        Effect.map(
          Effect.option(inOwn(presentState(join(root, nameOf(name))))),
          (state) =>
            state._tag === "None" ? [] : state.value.map(({ digest, part }) => ({ part: `${part} of ${name}`, digest }))
        )
    )
    return [...own, ...inner.flat()]
  })

/** The live layer. Needs the git program. */
export const layer = Layer.succeed(
  Snapshots,
  Snapshots.of({
    take: Effect.fn("Snapshots.take")((run, worktree, cause, { partial }) =>
      alone(
        run,
        Effect.gen(function*() {
          yield* finished(run, worktree)
          const purpose = yield* purposeOf(run, cause, yield* list(run, worktree))
          const prepared = yield* told(prepare(worktree, purpose, () => Effect.succeed([])))
          const { leftOut } = prepared.snapshot
          if (leftOut.length > 0 && !partial) {
            return yield* new SnapshotFailed({ reason: { _tag: "Partial", leftOut } })
          }
          yield* told(publish(prepared))
          return prepared.snapshot
        })
      )
    ),
    list: Effect.fn("Snapshots.list")(list),
    changed: Effect.fn("Snapshots.changed")(changed),
    diff: Effect.fn("Snapshots.diff")(diff),
    gitChanges: Effect.fn("Snapshots.gitChanges")((snapshot: Snapshot) =>
      told(Effect.scoped(presentState(snapshot.worktree))).pipe(
        Effect.provideService(Scratchpad, snapshot.run),
        Effect.map((now) => changedParts(snapshot.git, now).map(shownName))
      )
    ),
    restore: Effect.fn("Snapshots.restore")((run, worktree, number) =>
      alone(run, Effect.andThen(finished(run, worktree), back(run, worktree, number, null)))
    ),
    finish: Effect.fn("Snapshots.finish")((run, worktree) =>
      existsSync(undoFile(run))
        ? alone(run, finished(run, worktree))
        : Effect.succeed<Restored | null>(null)
    ),
    unfinished: Effect.fn("Snapshots.unfinished")((run: RunRef) => Effect.sync(() => existsSync(undoFile(run)))),
    snapshotted: Effect.fn("Snapshots.snapshotted")(function*(worktree: string) {
      const byRun = new Map<string, Snapshotted>()
      for (const { at, run } of yield* told(snapshotsBelow(worktree, null))) {
        byRun.set(runText(run), { run, at: Math.max(Date.parse(at), byRun.get(runText(run))?.at ?? 0) })
      }
      return [...byRun.values()]
    }),
    forget: Effect.fn("Snapshots.forget")((run, worktree) => told(forgetRefs(worktree, run.runId)))
  })
)
