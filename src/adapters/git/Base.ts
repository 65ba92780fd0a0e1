// Base: the commit that codex compares the working copy with, for a target with a base branch.
// It is found as codex finds it: where the branch's upstream is ahead of the branch, the upstream counts.
import { Effect } from "effect"
import { commitId, git } from "./Command.ts"

/** A base branch here: its commit, and its merge base with HEAD as codex takes it; null where there is none. */
export interface Base {
  readonly commit: string | null
  readonly mergeBase: string | null
  /** The refs of the branch and of its upstream. */
  readonly refs: ReadonlyArray<string>
}

/** The base of a target that has none. */
export const noBase: Base = { commit: null, mergeBase: null, refs: [] }

/** The ref that a base branch names, and that of its upstream where it has one; none where the branch is not here. */
const refsOf = (root: string, branch: string): Effect.Effect<ReadonlyArray<string>> =>
  // Without an upstream git says so, behind the first name.
  Effect.map(
    git(root, ["rev-parse", "--symbolic-full-name", branch, `${branch}@{upstream}`]),
    ({ stdout }) => stdout.split("\n").filter((ref) => ref.startsWith("refs/"))
  )

/**
 * The revision that codex compares with: the upstream of a branch where that has commits which the branch lacks, else
 * the branch itself. `refs` are those of the branch.
 */
const compared = Effect.fnUntraced(function*(root: string, branch: string, refs: ReadonlyArray<string>) {
  if (refs.length < 2) return branch
  const upstream = `${branch}@{upstream}`
  const counts = yield* git(root, ["rev-list", "--left-right", "--count", `${branch}...${upstream}`, "--"])
  return counts.code === 0 && Number(counts.stdout.trim().split(/\s+/)[1]) > 0 ? upstream : branch
})

/** The commit that codex looks for a merge base with, or null where the branch is not here. */
export const comparedWith = Effect.fnUntraced(function*(root: string, branch: string) {
  return yield* commitId(root, yield* compared(root, branch, yield* refsOf(root, branch)))
})

/** The base that codex uses for a branch now. */
export const baseOf = Effect.fnUntraced(function*(root: string, branch: string) {
  const [commit, refs] = yield* Effect.all([commitId(root, branch), refsOf(root, branch)], { concurrency: "unbounded" })
  if (commit === null) return noBase
  const merged = yield* git(root, ["merge-base", "HEAD", yield* compared(root, branch, refs)])
  return { commit, mergeBase: merged.code === 0 ? merged.stdout.trim() : null, refs } satisfies Base
})
