// PinnedCode: what is known of a submission's code. It depends only on its commits, so it is the same on every machine.
import { Context, Effect, Equal, type Layer } from "effect"
import type { CodeFailed } from "../code/CodeFailed.ts"
import type { Git } from "../code/Git.ts"
import type { GitHub } from "../code/GitHub.ts"
import type { Snapshots } from "../code/Snapshots.ts"
import type { TargetRef } from "../log/Refs.ts"
import type { Dismissals, DismissalsFailed } from "../review/findings/Dismissals.ts"
import { type Pin, type Submission, Submissions, type NumberedSubmission } from "./Submission.ts"
import { type TreeFailed, type TreeReason, WorkingTrees } from "./WorkingTrees.ts"

export class PinnedCode extends Context.Service<PinnedCode, {
  /** Computes the pin of a submission, whose tree is at `tree`. */
  readonly pin: (submission: Submission, tree: string) => Effect.Effect<Pin, CodeFailed | DismissalsFailed>
  /** All services about code, answered from the pins of one target, the newest first. */
  readonly shown: (pins: ReadonlyArray<Pin>) => Layer.Layer<Git | GitHub | Dismissals | Snapshots>
}>()("ooda-codex-review/services/PinnedCode") {}

const samePin = ({ submission }: NumberedSubmission) => (pinned: Pin): boolean =>
  Equal.equals(pinned.submission, submission)

/** The pins of a target, the newest submission first; computes a missing one. */
export const pinsOf = Effect.fnUntraced(function*(target: TargetRef, newest: NumberedSubmission) {
  const submissions = yield* Submissions
  const [first, ...before] = yield* submissions.pins(target)
  if (first !== undefined && samePin(newest)(first)) return [first, ...before] as const
  const { number, submission } = newest
  const tree = yield* (yield* WorkingTrees).open(submission)
  const pinned = yield* (yield* PinnedCode).pin(submission, tree)
  yield* submissions.pin(target, number, pinned)
  return [pinned, ...(first === undefined ? [] : [first]), ...before] as const
})

// A failed turn is taken again after 1, 2, 4, 8 and 16 seconds: so long the host of a repository may be away.
const mostTries = 6

/** Whether another process on this machine uses the same mirror, for as long as a fetch may take. */
export const isHeld = ({ reason }: TreeFailed): boolean => reason._tag === "LockHeld"

const passes = {
  SystemRefused: true,
  NoLockProgram: false,
  NetworkFileSystem: false,
  LockHeld: true,
  DatabaseRefused: true,
  WorkElsewhere: false,
  CommitMissing: false,
  GitRefused: true,
  TreeTooLarge: false,
  TreeChanged: true,
  TreeReplaced: true,
  TreeUnknown: true,
  BaseElsewhere: false,
  BranchMissing: false,
  FetchTooLarge: false
} as const satisfies Record<TreeReason["_tag"], boolean>

/** Whether to repeat a turn that found no working tree. A fetch that timed out would block others again. */
export const mayCome = ({ reason }: TreeFailed, tries: number): boolean => {
  const isSlow = reason._tag === "GitRefused" && reason.what === "fetching" && reason.fault._tag === "ProgramTooSlow"
  return !isSlow && tries < mostTries && passes[reason._tag]
}
