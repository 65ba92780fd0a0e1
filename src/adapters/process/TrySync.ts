// TrySync: a synchronous step against the operating system as an effect.
// The one rule: whatever it throws becomes a ReviewerFault that names what was being done.
import { Effect } from "effect"
import { ReviewerFault } from "../../services/Reviewers.ts"
import { systemFault } from "./SystemError.ts"

/** Runs a synchronous step; what it throws is a ReviewerFault. */
export const trySync = <A>(what: string, step: () => A): Effect.Effect<A, ReviewerFault> =>
  Effect.try({ try: step, catch: (error) => new ReviewerFault({ what, reason: systemFault(error) }) })
