// Identity: what a review of a target would see now, as one value to record and compare.
// Where a part cannot be told, the identity is Unknown, and still holds the parts that could be told.
import { Effect, Option } from "effect"
import type { Identity } from "../../core/run/Identity.ts"
import type { BranchName, Target } from "../../core/run/Target.ts"
import { exactly } from "../../core/text/Phrases.ts"
import { IdentityTimeout } from "../../services/Git.ts"
import { programFaultText } from "../../services/ProgramFault.ts"
import { type Base, baseOf, noBase } from "./Base.ts"
import { type Captured, capture, headOf } from "./Capture.ts"
import { commitId } from "./Command.ts"
import { movesOfRefs } from "./Moves.ts"
import { scratchOf } from "./Scratch.ts"
import { viewOfCommit } from "./View.ts"

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
