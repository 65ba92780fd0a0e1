// SnapshotUndo: puts a worktree back to a snapshot, with the repositories in it, and finishes what was cut off.
// The order: plan, fetch, snapshot of the present, note, files, note away. Nothing is lost wherever it is cut off.
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import type { Snapshot } from "../../core/agent/Snapshot.ts"
import type { RunRef } from "../../core/run/Refs.ts"
import { type Restored, SnapshotFailed } from "../../services/Snapshots.ts"
import { isRepository, nameOf } from "./Index.ts"
import { inOwn } from "./Isolate.ts"
import { must } from "./Must.ts"
import { type Prepared, prepare, publish, type Purpose, readCommits } from "./SnapshotCommit.ts"
import { type Intent, removeIntent, writeIntent } from "./SnapshotIntent.ts"
import { emptied, type Obstacle, type Plan, planOf } from "./SnapshotPlan.ts"
import { carryOut, fetch } from "./SnapshotRestore.ts"

const complained = (why: string): SnapshotFailed => new SnapshotFailed({ reason: { _tag: "GitComplained", why } })

const inTheWay = (problem: string | Obstacle): SnapshotFailed =>
  typeof problem === "string" ? complained(problem) : new SnapshotFailed({ reason: { _tag: "InTheWay", ...problem } })

/** The snapshots of each repository by its place, from that of the worktree; and the names of those that are gone. */
const perRepository = (
  root: string,
  snapshot: Snapshot
): Effect.Effect<{ readonly found: ReadonlyMap<string, Snapshot>; readonly gone: ReadonlyArray<string> }, string> =>
  Effect.gen(function*() {
    const found = new Map([[root, snapshot]])
    const gone: Array<string> = []
    for (const { commit, name } of snapshot.repositories) {
      const place = join(root, nameOf(name))
      const read = isRepository(root, name) ? yield* Effect.option(inOwn(readCommits(place, [commit]))) : null
      const [inner] = read?._tag === "Some" ? read.value : []
      if (inner === undefined) {
        gone.push(name)
        continue
      }
      const below = yield* inOwn(perRepository(place, inner))
      for (const [at, one] of below.found) found.set(at, one)
      gone.push(...below.gone.map((one) => `${name}/${one}`))
    }
    return { found, gone }
  })

const flat = (prepared: Prepared, name = ""): ReadonlyArray<{ readonly at: Prepared; readonly name: string }> => [
  { at: prepared, name },
  ...prepared.inner.flatMap((one) => flat(one, name === "" ? one.name : `${name}/${one.name}`))
]

/** The names of the files in a commit. */
const namesIn = (root: string, commit: string) =>
  Effect.map(
    must(root, ["ls-tree", "-r", "-z", "--full-tree", commit], {}, ""),
    (text) =>
      text.split("\0").flatMap((line) => /^1[02]0\d+ blob/.test(line) ? [line.slice(line.indexOf("\t") + 1)] : [])
  )

const own = <A, E, R>(worktree: string, root: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  root === worktree ? effect : inOwn(effect)

/** What is done in one repository. */
interface Work {
  readonly root: string
  readonly plan: Plan
  readonly emptied: ReadonlyArray<string>
  readonly fetched: Effect.Success<ReturnType<typeof fetch>>
}

const workIn = Effect.fnUntraced(function*({ filed, root, scratch }: Prepared, to: Snapshot, before: Snapshot | null) {
  const plan = yield* Effect.mapError(planOf(root, filed.tree, to, scratch), inTheWay)
  const rest = Effect.gen(function*() {
    const now = yield* emptied(root, filed.tree, to.commit, scratch)
    const then = before === null ? [] : yield* emptied(root, before.commit, to.commit, scratch)
    const both = [...new Set([...now, ...then])].sort().reverse()
    return { root, plan, emptied: both, fetched: yield* fetch(root, plan, scratch) } satisfies Work
  })
  return yield* Effect.mapError(rest, complained)
})

/**
 * Puts the worktree back to `to`. `purpose` is that of the snapshot of the present; `cut` is the note of an undo that
 * was cut off, which this call finishes, with the snapshot that it had taken.
 */
export const putBack = (
  run: RunRef,
  worktree: string,
  to: Snapshot,
  purpose: Purpose,
  cut: { readonly intent: Intent; readonly saved: Snapshot | null } | null
): Effect.Effect<Restored, SnapshotFailed, Scope.Scope> =>
  Effect.gen(function*() {
    const targets = yield* Effect.mapError(perRepository(worktree, to), complained)
    const saved = cut?.saved ?? null
    const before = saved === null ? null : yield* Effect.mapError(perRepository(worktree, saved), complained)
    const also = (root: string) => {
      const target = targets.found.get(root)
      return target === undefined ? Effect.succeed([]) : namesIn(root, target.commit)
    }
    const present = yield* Effect.mapError(prepare(worktree, purpose, also), complained)
    const works: Array<Work> = []
    const left = [...targets.gone]
    for (const { at, name } of flat(present)) {
      const target = targets.found.get(at.root)
      if (target === undefined) {
        if (!left.includes(name)) left.push(name)
      } else works.push(yield* own(worktree, at.root, workIn(at, target, before?.found.get(at.root) ?? null)))
    }
    const count = (of: (plan: Plan) => number) => works.reduce((sum, { plan }) => sum + of(plan), 0)
    const [written, removed] = [count((plan) => plan.written.length), count((plan) => plan.removed.length)]
    const changes = written + removed > 0
    if (changes) {
      yield* Effect.mapError(publish(present), complained)
      yield* writeIntent(run, { to: to.number, saved: cut?.intent.saved ?? present.snapshot.commit })
    }
    if (changes || cut !== null) {
      for (const work of works) {
        yield* Effect.mapError(
          carryOut(work.root, work.plan, work.fetched, work.emptied),
          (why) => new SnapshotFailed({ reason: { _tag: "Interrupted", to: to.number, why } })
        )
      }
      yield* removeIntent(run)
    }
    return { to, saved: changes ? present.snapshot : null, written, removed, left }
  })
