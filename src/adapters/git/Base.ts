// Base: the commit that codex compares the working copy with, for a target with a base branch.
// It is found as codex finds it: where the branch's upstream is ahead of the branch, the upstream counts.
import { dirname } from "node:path"
import { Effect } from "effect"
import { commitId, git } from "./Command.ts"
import { movesOfRefs } from "./Moves.ts"
import { gitPaths } from "./Scratch.ts"

/** A base branch here: its commit, and its merge base with HEAD as codex takes it; null where there is none. */
export interface Base {
  readonly commit: string | null
  readonly mergeBase: string | null
}

/**
 * The revision that codex compares with: the upstream of a branch where that has commits which the branch lacks, else
 * the branch itself.
 */
const compared = Effect.fnUntraced(function*(root: string, branch: string) {
  const upstream = `${branch}@{upstream}`
  const counts = yield* git(root, ["rev-list", "--left-right", "--count", `${branch}...${upstream}`, "--"])
  return counts.code === 0 && Number(counts.stdout.trim().split(/\s+/)[1]) > 0 ? upstream : branch
})

/** The commit that codex looks for a merge base with, or null where the branch is not here. */
export const comparedWith = (root: string, branch: string): Effect.Effect<string | null> =>
  Effect.flatMap(compared(root, branch), (revision) => commitId(root, revision))

/** A mark that changes with every move of a base branch and of its upstream. */
export const movesOfBase = Effect.fnUntraced(function*(root: string, branch: string) {
  const [named, upstream, own] = yield* Effect.all([
    git(root, ["rev-parse", "--symbolic-full-name", "--verify", "--quiet", "--end-of-options", branch]),
    git(root, ["for-each-ref", "--format=%(upstream)", `refs/heads/${branch}`]),
    gitPaths(root, ["HEAD"])
  ], { concurrency: "unbounded" })
  const ref = named.stdout.trim() === "" ? `refs/heads/${branch}` : named.stdout.trim()
  const refs = [ref, upstream.stdout.trim()].filter((name) => name !== "")
  return { baseMoved: movesOfRefs(dirname(own[0] ?? ""), refs) }
})

/** The base that codex uses for a branch now. */
export const baseOf = Effect.fnUntraced(function*(root: string, branch: string) {
  const commit = yield* commitId(root, branch)
  if (commit === null) return { commit, mergeBase: null } satisfies Base
  const merged = yield* git(root, ["merge-base", "HEAD", yield* compared(root, branch)])
  return { commit, mergeBase: merged.code === 0 ? merged.stdout.trim() : null } satisfies Base
})
