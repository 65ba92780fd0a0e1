// Identity: what a review of a target would see now, as one value to record and compare.
// Where a part cannot be told, the identity is Unknown, and still holds the parts that could be told.
import { Effect } from "effect"
import type { Identity } from "../../core/run/Identity.ts"
import type { BranchName, Target } from "../../core/run/Target.ts"
import { baseOf } from "./Base.ts"
import { type Captured, capture, headOf } from "./Capture.ts"
import { commitId } from "./Command.ts"
import { scratchOf } from "./Scratch.ts"

const longest = 300

/** The identity of one commit: the commit alone, since it never changes. */
export const ofCommit = Effect.fnUntraced(function*(root: string, sha: string) {
  const head = yield* commitId(root, sha)
  return head === null
    ? { _tag: "Unknown", why: `commit ${sha} is not in this repository` } satisfies Identity
    : { _tag: "Known", head, tree: null, base: null } satisfies Identity
})

/** What is recorded of a capture. */
export const seenIn = ({ head, headTree, index, indexTree, nested, tree, untracked }: Captured) => ({
  head, headTree, index, indexTree, nested, tree, untracked
})

/** The identity of a target now. Never fails. `base` is a pull request's resolved base. */
export const identityOf = Effect.fn("Git.identity")(function*(root: string, target: Target, base: BranchName | null) {
  if (target._tag === "Commit") return yield* ofCommit(root, target.sha)
  const branch = target._tag === "Base" ? target.branch : base
  const captured = Effect.scoped(
    Effect.flatMap(scratchOf(root), (scratch) => Effect.map(capture(root, scratch), seenIn))
  )
  const [from, seen] = yield* Effect.all(
    [branch === null ? Effect.succeed(null) : baseOf(root, branch), Effect.result(captured)],
    { concurrency: "unbounded" }
  )
  const compared = from === null ? { base: null } : { base: from.commit, mergeBase: from.mergeBase }
  if (seen._tag === "Success") return { _tag: "Known", ...seen.success, ...compared } satisfies Identity
  const why = seen.failure.slice(0, longest)
  return { _tag: "Unknown", why, ...(yield* headOf(root)), ...compared } satisfies Identity
})
