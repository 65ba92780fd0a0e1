// GuardFault: a command under guard that could not be started, looked at or ended.
import { Data, Effect } from "effect"
import { type GuardReason, guardReasonText } from "../../services/GuardReason.ts"
import { systemFault } from "./SystemError.ts"

/** `what` is the caller's name of what was being done. */
export class GuardFault extends Data.TaggedError("GuardFault")<{
  readonly what: string
  readonly reason: GuardReason
}> {
  override get message() {
    return `${this.what}: ${guardReasonText(this.reason)}`
  }
}

/** Runs a synchronous step against the operating system; what it throws is a GuardFault. */
export const trySync = <A>(what: string, step: () => A): Effect.Effect<A, GuardFault> =>
  Effect.try({ try: step, catch: (error) => new GuardFault({ what, reason: systemFault(error) }) })
