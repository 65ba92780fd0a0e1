// Deliveries: the ports to the reviews that a fleet delivers to executors, to their directories, and to accounts.
import { Context, type Effect } from "effect"
import type { AttemptRef, ReviewRef } from "../run/Refs.ts"
import type { Launch } from "../review/Reviewers.ts"
import type { ReviewerState } from "../run/ReviewTokens.ts"
import type { StoreFailed } from "../run/RunStore.ts"
import type { Usage } from "../run/Usage.ts"

export class Accounts extends Context.Service<Accounts, {
  /** Waits until the account has a place, and runs an effect while holding it. */
  readonly using: <A, E, R>(use: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreFailed, R>
  /** Whether its provider has limited the account, so that no worker begins a review now. */
  readonly cools: Effect.Effect<boolean, StoreFailed>
  /** Gives out no place of the account for so many milliseconds, because its provider has limited it. */
  readonly cool: (millis: number) => Effect.Effect<void, StoreFailed>
}>()("ooda-codex-review/services/Accounts") {}

export class Workbench extends Context.Service<Workbench, {
  /** Makes the directory of a delivery, and returns the attempt with an id of this delivery, to be run there. */
  readonly open: (delivery: Delivery) => Effect.Effect<AttemptRef, StoreFailed>
  /** The files that an attempt has left. A transcript of more than 16 MiB is cut to its beginning and its end. */
  readonly left: (review: ReviewRef) => Effect.Effect<ReadonlyArray<LeftFile>, StoreFailed>
  /** Removes the directory of a delivery whose processes have ended. */
  readonly close: (attempt: AttemptRef) => Effect.Effect<void, StoreFailed>
  /** The attempts whose directories still exist. */
  readonly found: Effect.Effect<ReadonlyArray<AttemptRef>, StoreFailed>
}>()("ooda-codex-review/services/Workbench") {}

/** A review that an executor runs. Only the holder of the newest `token` of an attempt runs it. */
export interface Delivery {
  readonly attempt: AttemptRef
  /** Codex is the one of the executing machine: a path from elsewhere may lead into the code under review. */
  readonly launch: Omit<Launch, "binary">
  readonly token: string
  /** How many executors it was given to, including this one. */
  readonly number: number
}

/** A file that a reviewer left, by its path in the run's directory. */
export interface LeftFile {
  readonly path: string
  readonly bytes: Buffer
}

/** How a review ended: its last state, and what only its machine knows. */
export interface DeliveryEnd {
  readonly state: Exclude<ReviewerState, { readonly _tag: "Alive" }>
  /** Whether codex's session was found and held no review. */
  readonly emptySession: boolean
  readonly usage: Usage | null
  readonly files: ReadonlyArray<LeftFile>
}

export class Deliveries extends Context.Service<Deliveries, {
  /**
   * Takes an attempt over from its last executor. Null if it has ended or was stopped, or if too many executors have
   * died of it: then it is lost, and its run is woken.
   */
  readonly take: (attemptId: string, machine: string) => Effect.Effect<Delivery | null, StoreFailed>
  /**
   * Records the last seen state of a running review, and wakes its run if `overdue`; false if another executor has it.
   */
  readonly seen: (
    delivery: Delivery,
    seen: Extract<ReviewerState, { readonly _tag: "Alive" }>,
    overdue: boolean
  ) => Effect.Effect<boolean, StoreFailed>
  /** Keeps how a review ended, and wakes its run. False if another executor has it: then nothing is kept. */
  readonly ended: (delivery: Delivery, ended: DeliveryEnd) => Effect.Effect<boolean, StoreFailed>
  /** Returns a review to the queue; the next executor runs it as if this one had never had it. */
  readonly returned: (delivery: Delivery) => Effect.Effect<void, StoreFailed>
}>()("ooda-codex-review/services/Deliveries") {}
