// SelectRun: which stored runs a command is about.
// Nothing is guessed: where the beginning of an id fits several runs, or none, that is an error.
import { Effect } from "effect"
import type { RunRef, TargetRef } from "../core/run/Refs.ts"
import { type Target, targetKey } from "../core/run/Target.ts"
import { Git } from "../services/Git.ts"
import { RunStore } from "../services/RunStore.ts"
import { NoSuchRun } from "./NoSuchRun.ts"
import { ownerOf } from "./Owner.ts"

/** How a run is named: the newest one, one whose id begins with a text, or the latest of a target. */
export type Selector =
  | { readonly _tag: "Newest" }
  | { readonly _tag: "Named"; readonly prefix: string }
  | { readonly _tag: "Latest"; readonly target: Target }

/** Where runs are looked for: the configured state root (null for the default) and the caller's directory. */
export interface Where {
  readonly stateRoot: string | null
  readonly cwd: string
}

const newest = Effect.fnUntraced(function*(root: string, { cwd }: Where) {
  const repository = yield* (yield* Git).repository(cwd)
  let other: RunRef | null = null
  for (const run of yield* (yield* RunStore).list(root, repository.id)) {
    const owner = yield* ownerOf(run)
    // A run whose first line is damaged may well be the one that is asked for.
    if (owner._tag === "Unknown" || (owner._tag === "Worktree" && owner.path === repository.root)) return run
    if (owner._tag === "Worktree") other ??= run
  }
  return other ?? (yield* new NoSuchRun({ reason: { _tag: "NoneHere", repoId: repository.id, root } }))
})

const named = Effect.fnUntraced(function*(root: string, prefix: string, { cwd }: Where) {
  const store = yield* RunStore
  const here = yield* Effect.option((yield* Git).repository(cwd))
  const fits = ({ runId }: RunRef) => runId.startsWith(prefix)
  const near = here._tag === "Some" ? (yield* store.list(root, here.value.id)).filter(fits) : []
  const found = near.length > 0 ? near : (yield* store.list(root, null)).filter(fits)
  const [first, second] = found
  if (first === undefined) return yield* new NoSuchRun({ reason: { _tag: "NoneBegins", prefix, root } })
  if (second !== undefined) return yield* new NoSuchRun({ reason: { _tag: "Several", prefix, runs: found } })
  return first
})

const latest = Effect.fnUntraced(function*(root: string, target: Target, { cwd }: Where) {
  const repository = yield* (yield* Git).repository(cwd)
  const ref: TargetRef = { root, repoId: repository.id, targetKey: targetKey(target) }
  const store = yield* RunStore
  const pointer = yield* store.latest(ref)
  if (pointer._tag === "Run") return pointer.run
  const _tag = pointer._tag === "None" ? "NoneOfTarget" : "LatestDangling"
  return yield* new NoSuchRun({ reason: { _tag, targetKey: ref.targetKey, place: store.targetPlace(ref) } })
})

/** The run that a selector names. The newest is this worktree's, else the newest of the repository. */
export const select = Effect.fn("Selection.select")(function*(selector: Selector, where: Where) {
  const root = yield* (yield* RunStore).open(where.stateRoot, where.cwd)
  switch (selector._tag) {
    case "Newest":
      return yield* newest(root, where)
    case "Named":
      return yield* named(root, selector.prefix, where)
    case "Latest":
      return yield* latest(root, selector.target, where)
  }
})

/** Every run of the repository around the caller's directory, or every run of the state root; newest first. */
export const selectAll = Effect.fn("Selection.selectAll")(function*(where: Where, everywhere: boolean) {
  const store = yield* RunStore
  const root = yield* store.open(where.stateRoot, where.cwd)
  const repository = everywhere ? null : (yield* (yield* Git).repository(where.cwd)).id
  return yield* store.list(root, repository)
})
