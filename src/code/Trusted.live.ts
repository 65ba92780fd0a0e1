// Trusted.live: the tree whose instructions reviewers obey, and the digest of those, which is part of the identity.
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { KnownIdentity } from "../run/Identity.ts"
import type { Target } from "../run/Target.ts"
import type { Base } from "./Base.live.ts"
import { trustedContent } from "./Instructions.ts"
import { CodeFailed, refused } from "./CodeFailed.ts"
import { ours } from "./SafeGit.live.ts"
import { contentsById, entriesOf, setRef, type Store, treeOf, writeObjects, writeTree } from "./Store.live.ts"

const firstTree = "refs/ooda/first"

/** The tree of the run's first batch; null before it. */
export const knownFirst = ({ dir }: Store) =>
  Effect.map(
    ours({ gitDirectory: dir }, ["rev-parse", "--verify", "--quiet", firstTree], { accept: [0, 1] }),
    ({ code, out }) => code === 0 ? out.trim() : null
  )

/** The failure to read that tree: whatever of it counts is the run's own, not the user's. */
export const damagedFirst = ({ dir }: Store) => <E>(error: E | CodeFailed): E | CodeFailed =>
  error instanceof CodeFailed && error.reason._tag === "Git" && error.reason.fault._tag === "ProgramFailed"
    ? refused(`the run's private repository ${dir} lacks the code of its first batch [call with --fresh]`)
    : error

/** Records the tree of the run's first batch, if none is recorded; no change of the user's loses what counts of it. */
export const recordFirst = Effect.fnUntraced(function*(store: Store, tree: string) {
  if ((yield* knownFirst(store)) !== null) return
  const entries = yield* entriesOf(store, tree)
  const files = [...entries].filter(([path, { mode }]) => mode === "120000" || path.startsWith(".ooda/"))
  const needed = [...files, ...yield* instructionsOf(store, tree, true)].map(([, entry]) => entry)
  const contents = yield* contentsById(store, needed)
  yield* writeObjects(store, [...contents.values()].map((content) => ({ type: "blob", content })))
  yield* writeTree(store, entries)
  yield* setRef(store, firstTree, tree)
})

/**
 * The tree whose instructions count: of the commit that the run trusts; else of a pull request's base, whoever began
 * the run; else of the run's first batch, null before it.
 */
export const trustedTree = (store: Store, target: Target, base: Base | null, trust: string | null) => {
  const commit = trust ?? (target._tag === "PullRequest" ? base?.compared ?? null : null)
  if (commit !== null) return treeOf(store, commit)
  const first = Effect.tap(knownFirst(store), (tree) => tree === null ? Effect.void : entriesOf(store, tree))
  return Effect.mapError(first, damagedFirst(store))
}

/** The instructions of a tree as plain files; `fold` as for `isInstruction`. */
export const instructionsOf = Effect.fnUntraced(function*(store: Store, tree: string, fold: boolean) {
  const entries = yield* entriesOf(store, tree)
  const targets = yield* contentsById(store, [...entries.values()].filter(({ mode }) => mode === "120000"))
  return trustedContent(entries, (id) => targets.get(id)?.toString("latin1") ?? "", fold)
})

/** An identity with the digest of the instructions of a tree: sha256, or "" without any. */
export const withInstructions = Effect.fnUntraced(
  function*(store: Store, identity: KnownIdentity, tree: string | null) {
    if (tree === null) return identity
    // Names in any case: which ones count depends on the file system of the copy.
    const files = yield* instructionsOf(store, tree, true)
    const sum = createHash("sha256")
    for (const [path, { id, mode }] of files) sum.update(`${mode} ${id} ${path}\0`, "latin1")
    return { ...identity, instructions: files.size === 0 ? "" : sum.digest("hex") } satisfies KnownIdentity
  }
)
