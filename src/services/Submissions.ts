// Submissions: the port to what was submitted to a fleet, each target's submissions in the order in which they came.
// None is ever changed or removed: the newest is what is reviewed, the others are its history.
import { Context, type Effect } from "effect"
import type { Submission } from "../core/fleet/Submission.ts"
import type { TargetRef } from "../core/run/Refs.ts"
import type { StoreFailed } from "./RunStore.ts"

/** A submission with its number among those of its target, from 1, and when it came, in epoch milliseconds. */
export interface Submitted {
  readonly number: number
  readonly at: number
  readonly submission: Submission
}

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
}>()("ooda-codex-review/services/Submissions") {}
