// Pins: what is pinned of a target's submissions, and whether a clone that cannot be made may be made later.
import { Effect, Equal } from "effect"
import type { TargetRef } from "../core/run/Refs.ts"
import { PinnedCode } from "../services/PinnedCode.ts"
import { type Pinned, Submissions, type Submitted } from "../services/Submissions.ts"
import { type TreeFailed, type TreeReason, WorkingTrees } from "../services/WorkingTrees.ts"

const samePin = ({ submission }: Submitted) => (pinned: Pinned): boolean => Equal.equals(pinned.submission, submission)

/** What is pinned of a target, the newest submission first: it is pinned here if nobody has done so. */
export const pinsOf = Effect.fnUntraced(function*(target: TargetRef, newest: Submitted) {
  const submissions = yield* Submissions
  const [first, ...before] = yield* submissions.pins(target)
  if (first !== undefined && samePin(newest)(first)) return [first, ...before] as const
  const { number, submission } = newest
  const tree = yield* (yield* WorkingTrees).open(submission)
  const pinned = yield* (yield* PinnedCode).told(submission, tree)
  yield* submissions.pin(target, number, pinned)
  return [pinned, ...(first === undefined ? [] : [first]), ...before] as const
})

// A turn that fails is taken again after 1, 2, 4, 8 and 16 seconds. So long the host of a repository may be away.
const mostTries = 6

/** Whether somebody else on this machine works on the same mirror, for as long as a fetch may take. */
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

/**
 * Whether a turn that found no working tree, taken for the `tries`th time, is to be taken again. A fetch that was not
 * done in the time that it has would hold up others as long again.
 */
export const mayCome = ({ reason }: TreeFailed, tries: number): boolean => {
  const isSlow = reason._tag === "GitRefused" && reason.what === "fetching" && reason.fault._tag === "ProgramTooSlow"
  return !isSlow && tries < mostTries && passes[reason._tag]
}
