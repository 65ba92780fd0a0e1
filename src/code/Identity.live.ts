// Identity.live: what a review would see now.
import { Effect, Option } from "effect"
import { IdentityTimeout, commitId, git } from "../platform/GitCommand.ts"
import { type ProgramFault, programFaultText } from "../platform/SystemFault.ts"
import type { Identity } from "../run/Identity.ts"
import type { BranchName, Target } from "../run/Target.ts"
import { exactly } from "../text/Phrases.ts"
import { capture, type Captured, headOf } from "./Capture.live.ts"
import { movesOfRefs } from "./Changes.live.ts"
import { scratchOf } from "./Scratch.live.ts"
import { viewOfCommit } from "./View.live.ts"

// The commit that codex compares the working copy with, for a target with a base branch.
// It is found as codex finds it, with an upstream that is ahead. But git takes a tag before a branch: never as a base.

/** A base branch here: its commit, and its merge base with HEAD as codex takes it; null where there is none. */
interface Base {
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

// What a review of a target would see now, as one value to record and compare.
// Where a part cannot be told, the identity is Unknown, and still holds the parts that could be told.

const longest = 300
const remedy = "raise --identity-timeout, or have git ignore what is not to be reviewed"

/** The identity of one commit: the commit, which never changes, and how git shows it. */
export const ofCommit = Effect.fnUntraced(function*(root: string, sha: string) {
  const head = yield* commitId(root, sha)
  if (head === null) return { _tag: "Unknown", why: `commit ${sha} is not in this repository` } satisfies Identity
  const view = yield* Effect.result(inTime(viewOfCommit(root, head)))
  return view._tag === "Failure"
    ? { _tag: "Unknown", why: view.failure.slice(0, longest), head, tree: null, base: null } satisfies Identity
    : { _tag: "Known", head, tree: null, base: null, ...view.success } satisfies Identity
})

/** What is recorded of a capture. */
export const seenIn = ({ listed: _, repositories: __, scratch: ___, ...seen }: Captured) => seen

/** What is recorded of the base of a target; only a pull request may get another branch. */
export const against = (target: Target, branch: BranchName | null, { commit, mergeBase }: Base) =>
  branch === null
    ? { base: null }
    : { base: commit, mergeBase, ...(target._tag === "PullRequest" ? { branch } : {}) }

/** The mark of the moves of a target's base; none without a base. `gitDirectory` is the worktree's own. */
export const baseMark = (branch: BranchName | null, { refs }: Base, gitDirectory: string) =>
  branch === null ? {} : { baseMoved: movesOfRefs(gitDirectory, refs) }

/** Runs an effect within the time limit, or fails with one line. Programs that it still runs are then ended. */
export const inTime = Effect.fnUntraced(function*<A, R>(told: Effect.Effect<A, string, R>) {
  const limit = yield* IdentityTimeout
  const late = `reading the files took longer than ${exactly(limit)} [${remedy}]`
  return yield* Effect.timeoutOrElse(told, { duration: limit, orElse: () => Effect.fail(late) })
})

// Milliseconds for one short question to git, asked after the whole identity could not be told.
const brief = 5_000

/** The answer to a short question, or nothing where there is none in time. */
const inBrief = <A extends object>(asked: Effect.Effect<A>): Effect.Effect<Partial<A>> =>
  Effect.map(Effect.timeoutOption(asked, brief), Option.getOrElse((): Partial<A> => ({})))

/** The identity of a target now, within the time limit. Never fails. `base` is a pull request's resolved base. */
export const identityOf = Effect.fn("Git.identity")(function*(root: string, target: Target, base: BranchName | null) {
  if (target._tag === "Commit") return yield* ofCommit(root, target.sha)
  const branch = target._tag === "Base" ? target.branch : base
  const found = branch === null ? Effect.succeed(noBase) : Effect.mapError(baseOf(root, branch), programFaultText)
  const captured = Effect.scoped(Effect.flatMap(scratchOf(root), (scratch) => capture(root, scratch)))
  const told = yield* Effect.result(inTime(Effect.all([captured, found], { concurrency: "unbounded" })))
  if (told._tag === "Success") {
    const [seen, from] = told.success
    const marks = baseMark(branch, from, seen.scratch.headDirectory)
    return { _tag: "Known", ...seenIn(seen), ...against(target, branch, from), ...marks } satisfies Identity
  }
  const compared = Effect.catch(Effect.map(found, (from) => against(target, branch, from)), () => Effect.succeed({}))
  const [commits, from] = yield* Effect.all([inBrief(headOf(root)), inBrief(compared)], { concurrency: "unbounded" })
  return { _tag: "Unknown", why: told.failure.slice(0, longest), ...commits, ...from } satisfies Identity
})
