// Base.live: which commit a review compares with.
// It is found as codex finds it: the branch, or its upstream if that is ahead. But git prefers a tag to a branch of the
// same name; here a tag is never a base, and a name of two commits is an error. The user's repository is asked only for
// names; commits are looked up and compared in the private one.
import { Effect } from "effect"
import { refused } from "./CodeFailed.ts"
import { ours, theirs } from "./SafeGit.live.ts"
import type { Store } from "./Store.live.ts"

/** A base branch: its commit, and its merge base with HEAD as codex computes it; null without one. */
export interface Base {
  readonly commit: string | null
  /** The commit that codex looks for a merge base with. */
  readonly compared: string | null
  readonly mergeBase: string | null
}

/** The base of a target without one. */
export const noBase: Base = { commit: null, compared: null, mergeBase: null }

const isFullName = (name: string): boolean => /^refs\/(heads|remotes)\//.test(name)
const refOf = (name: string): string => isFullName(name) ? name : `refs/heads/${name}`

/** The commit that an id and a suffix such as `~2` lead to; null if it is no commit, or is missing. */
const commitIn = (store: Store, revision: string) =>
  Effect.map(
    ours(
      { gitDirectory: store.dir },
      ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`],
      {
        accept: [0, 1, 128]
      }
    ),
    ({ code, out }) => code === 0 ? out.trim() : null
  )

/** What git resolves a name to, or null. Looks at no object. */
const named = ({ repository: { gitDirectory } }: Store, name: string) =>
  Effect.map(
    theirs(gitDirectory, ["rev-parse", "--verify", "--quiet", "--end-of-options", name], {
      accept: [0, 1, 128]
    }),
    ({ code, out }) => code === 0 ? out.trim() : null
  )

/** The commit that a name leads to, such as `main` or `main@{u}`. */
const commitNamed = Effect.fnUntraced(function*(store: Store, name: string) {
  const id = yield* named(store, name)
  return id === null ? null : yield* commitIn(store, id)
})

/** The merge base of a commit with others taken together, or null without one. */
export const mergeBaseOf = (store: Store, one: string | null, ...others: ReadonlyArray<string>) =>
  one === null || others.length === 0
    ? Effect.succeed(null)
    : Effect.map(
      ours({ gitDirectory: store.dir }, ["merge-base", one, ...others], { accept: [0, 1, 128] }),
      ({ code, out }) => code === 0 ? out.trim() : null
    )

const format = "%(refname) %(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end) %(upstream)"
const listed = ({ repository: { gitDirectory } }: Store, patterns: ReadonlyArray<string>) =>
  Effect.map(
    theirs(gitDirectory, ["for-each-ref", `--format=${format}`, ...patterns]),
    ({ out }) => out.split("\n").map((line) => Buffer.from(line, "latin1").toString().split(" "))
  )

const ambiguous = (name: string, one: string, other: string) =>
  refused(`${name} is ambiguous: ${one} and ${other} are different commits; use the full name, or rename one`)

/** Whether an upstream has commits that the branch lacks; false if they cannot be compared. */
const isAhead = Effect.fnUntraced(function*(store: Store, upstream: string, commit: string) {
  const counts = yield* ours({ gitDirectory: store.dir }, ["rev-list", "--count", `${commit}..${upstream}`, "--"], {
    accept: [0, 128]
  })
  return counts.code === 0 && Number(counts.out.trim()) > 0
})

/**
 * The base that codex uses for a branch now: `refs/heads/NAME`, else `refs/remotes/NAME`, or one of these by its full
 * name; or a commit by its whole id. Fails if the name means another commit too.
 */
export const baseOf = Effect.fnUntraced(function*(store: Store, name: string) {
  const { head } = store.repository
  const names = [refOf(name), `refs/heads/${name}`, `refs/remotes/${name}`, `refs/${name}`, `refs/tags/${name}`]
  const lines = yield* listed(store, names)
  const id = yield* named(store, name)
  // A ref that was just resolved is a commit already.
  const isListed = id === null || lines.some(([, commit]) => commit === id)
  const taken = isListed ? id : yield* commitIn(store, id)
  const found = names.flatMap((wanted) => lines.filter(([ref]) => ref === wanted))
  const based = (commit: string, compared: string) =>
    Effect.map(mergeBaseOf(store, head, compared), (mergeBase): Base => ({ commit, compared, mergeBase }))
  if (taken === name) return yield* based(name, name)
  const [ref = "", commit = "", upstream = ""] = found[0] ?? []
  if (!isFullName(ref)) return noBase
  const other = found.find(([, id]) => id !== commit)?.[0] ?? `.git/${name}`
  if (other !== `.git/${name}` || (taken !== null && taken !== commit)) return yield* ambiguous(name, ref, other)
  // Git knows no upstream of a branch by its longer name.
  if (upstream === "" || ref !== `refs/heads/${name}`) return yield* based(commit, commit)
  const ahead = yield* commitNamed(store, upstream)
  return yield* based(commit, ahead !== null && (yield* isAhead(store, ahead, commit)) ? ahead : commit)
})

/** The commit of a revision that may be the name of a branch, or null. Fails as for a base. */
export const commitOf = Effect.fnUntraced(function*(store: Store, revision: string) {
  // Git would search messages for such words, or take them for a staged file.
  if (revision.startsWith(":")) return null
  // What git looks up by name, and then follows from commit to commit.
  const [asked = ""] = /^(?:[^~^:@]|@(?!\{)|@\{[^}]*\})*/.exec(revision) ?? []
  const name = /^(?:(?!@\{).)*/s.exec(asked)?.[0] ?? ""
  const id = yield* named(store, asked === "" ? revision : asked)
  const commit = id === null ? null : yield* commitIn(store, `${id}${asked === "" ? "" : revision.slice(asked.length)}`)
  // Git prefers HEAD to a branch of that name.
  if (name === "HEAD" || name === "" || commit === null) return commit
  if ((yield* baseOf(store, name)).commit !== null) return commit
  const refs = [`refs/tags/${name}`, `refs/remotes/*/${name}`]
  const found = yield* listed(store, refs)
  const [, tagged] = found.find(([ref]) => ref === refs[0]) ?? []
  const other = found.find(([ref = "", one]) => ref.startsWith("refs/remotes/") && one !== tagged)?.[0]
  if (tagged === undefined || other === undefined) return commit
  return yield* ambiguous(name, `refs/tags/${name}`, other)
})
