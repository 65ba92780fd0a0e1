// Base: the commit that codex compares the working copy with, for a target with a base branch.
// It is found as codex finds it, with an upstream that is ahead. But git takes a tag before a branch: never as a base.
import { Effect } from "effect"
import type { ProgramFault } from "../../services/ProgramFault.ts"
import { commitId, git } from "./Command.ts"

/** A base branch here: its commit, and its merge base with HEAD as codex takes it; null where there is none. */
export interface Base {
  readonly commit: string | null
  /** The commit that codex looks for a merge base with. */
  readonly compared: string | null
  readonly mergeBase: string | null
  /** The refs of the branch and of its upstream. */
  readonly refs: ReadonlyArray<string>
}

/** The base of a target that has none. */
export const noBase: Base = { commit: null, compared: null, mergeBase: null, refs: [] }

const isFullName = (name: string): boolean => /^refs\/(heads|remotes)\//.test(name)

/** The ref that a branch of that name has where it is made anew. */
export const refOf = (name: string): string => isFullName(name) ? name : `refs/heads/${name}`

/** The merge base of HEAD with some commits taken together, or null where there is none. */
export const mergeBase = (root: string, ...commits: ReadonlyArray<string>): Effect.Effect<string | null> =>
  Effect.map(git(root, ["merge-base", "HEAD", ...commits]), ({ code, stdout }) => code === 0 ? stdout.trim() : null)

const format = "%(refname) %(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end) %(upstream)"

const ambiguous = (name: string, one: string, other: string): Effect.Effect<never, ProgramFault> => {
  const said = `${name} is ambiguous: ${one} and ${other} are different commits; use the full name, or rename one`
  return Effect.fail({ _tag: "ProgramFailed", program: "git", status: null, said })
}

/**
 * The base that codex uses for a branch now: `refs/heads/NAME`, else `refs/remotes/NAME`, or one of these by its full
 * name; or a commit by its whole id. Fails where the name of a branch stands for another commit too.
 */
export const baseOf = Effect.fnUntraced(function*(root: string, name: string) {
  const names = [refOf(name), `refs/heads/${name}`, `refs/remotes/${name}`, `refs/${name}`, `refs/tags/${name}`]
  const listed = yield* git(root, ["for-each-ref", `--format=${format}`, ...names])
  const taken = yield* commitId(root, name)
  const lines = listed.stdout.split("\n").map((line) => line.split(" "))
  const found = names.flatMap((wanted) => lines.filter(([ref]) => ref === wanted))
  const based = (commit: string, compared: string, refs: ReadonlyArray<string>): Effect.Effect<Base> =>
    Effect.map(mergeBase(root, compared), (merged) => ({ commit, compared, mergeBase: merged, refs }))
  if (taken === name) return yield* based(name, name, [])
  const [ref = "", commit = "", upstream = ""] = found[0] ?? []
  if (!isFullName(ref)) return noBase
  const other = found.find(([, id]) => id !== commit)?.[0] ?? `.git/${name}`
  if (other !== `.git/${name}` || (taken !== null && taken !== commit)) {
    return yield* ambiguous(name, ref, other)
  }
  // By a longer name of a branch git knows no upstream.
  if (upstream === "" || ref !== `refs/heads/${name}`) return yield* based(commit, commit, [ref])
  const counts = yield* git(root, ["rev-list", "--left-right", "--count", `${commit}...${upstream}`, "--"])
  const isAhead = counts.code === 0 && Number(counts.stdout.trim().split(/\s+/)[1]) > 0
  const compared = isAhead ? yield* commitId(root, upstream) : null
  return yield* based(commit, compared ?? commit, counts.code === 0 ? [ref, upstream] : [ref])
})

/** The commit of a revision that may be the name of a branch, or null. Fails as for a base. */
export const commitOf = Effect.fnUntraced(function*(root: string, revision: string) {
  const name = /^(?:(?!@\{)[^~^:])*/.exec(revision)?.[0] ?? ""
  // Git takes HEAD before a branch of that name.
  if (name === "HEAD" || name === "") return yield* commitId(root, revision)
  if ((yield* baseOf(root, name)).commit !== null) return yield* commitId(root, revision)
  const refs = [`refs/tags/${name}`, `refs/remotes/*/${name}`]
  const { stdout } = yield* git(root, ["for-each-ref", `--format=${format}`, ...refs])
  const found = stdout.split("\n").map((line) => line.split(" "))
  const [, tagged] = found.find(([ref]) => ref === refs[0]) ?? []
  const other = found.find(([ref = "", id]) => ref.startsWith("refs/remotes/") && id !== tagged)?.[0]
  if (tagged === undefined || other === undefined) return yield* commitId(root, revision)
  return yield* ambiguous(name, `refs/tags/${name}`, other)
})
