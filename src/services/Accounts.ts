// Accounts: the port to the account that a worker's reviewers use: how many may use it at once over all machines.
import { Context, type Effect } from "effect"
import type { StoreFailed } from "./RunStore.ts"

export class Accounts extends Context.Service<Accounts, {
  /** Waits until the account has a place, and runs an effect while it is taken. */
  readonly using: <A, E, R>(use: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreFailed, R>
  /** Whether its provider has asked for less, so that nobody is to begin a review now. */
  readonly cools: Effect.Effect<boolean, StoreFailed>
  /** Gives nobody a place of the account for so many milliseconds: its provider asked for less. */
  readonly cool: (millis: number) => Effect.Effect<void, StoreFailed>
}>()("ooda-codex-review/services/Accounts") {}
