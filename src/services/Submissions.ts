// Submissions: the port to what was submitted to a fleet, each target's submissions in the order in which they came.
// None is ever changed or removed: the newest is what is reviewed, the others are its history.
import { Context, type Effect, Schema } from "effect"
import { Submission } from "../core/fleet/Submission.ts"
import { Identity } from "../core/run/Identity.ts"
import type { TargetRef } from "../core/run/Refs.ts"
import { TargetProblem } from "./Git.ts"
import type { StoreFailed } from "./RunStore.ts"

/** A submission with its number among those of its target, from 1, and when it came, in epoch milliseconds. */
export interface Submitted {
  readonly number: number
  readonly at: number
  readonly submission: Submission
}

/**
 * A submission with all that those who drive its run ask of git. `worktree` is the path that the run of its pull
 * request has on every machine, whatever head it reviews, and `tree` the one of this head's clone. `identity`,
 * `problem` and `dismissals`, those of the base branch, are what the live git told of such a clone.
 */
export const Pinned = Schema.Struct({
  submission: Submission,
  worktree: Schema.String,
  tree: Schema.String,
  identity: Identity,
  problem: Schema.NullOr(TargetProblem),
  dismissals: Schema.String
})
export type Pinned = typeof Pinned.Type

export class Submissions extends Context.Service<Submissions, {
  /**
   * Submits to the store with this name. What is the target's newest submission already is not submitted again, so that
   * a message that comes twice does no harm; `isNew` says whether it was. Durable when it returns.
   */
  readonly submit: (
    root: string,
    submission: Submission
  ) => Effect.Effect<Submitted & { readonly isNew: boolean }, StoreFailed>
  /** The submissions of a target, the newest first; at most `most`. */
  readonly of: (target: TargetRef, most: number) => Effect.Effect<ReadonlyArray<Submitted>, StoreFailed>
  /** Keeps what git told of a target's submission with this number. What was kept first stays. */
  readonly pin: (target: TargetRef, number: number, pinned: Pinned) => Effect.Effect<void, StoreFailed>
  /** What is pinned of a target's submissions, the newest first. */
  readonly pins: (target: TargetRef) => Effect.Effect<ReadonlyArray<Pinned>, StoreFailed>
}>()("ooda-codex-review/services/Submissions") {}
