// Consent: what a person must allow once a run before it is done, and the log that remembers it.
import { Effect, Schema } from "effect"
import { Consent } from "../core/agent/TaskEvent.ts"
import { commitDriver, type Driver, transactDriver } from "./Driver.ts"

const about = {
  unsandboxed: "running agents without a sandbox",
  "partial-snapshot": "working on files that no snapshot holds",
  "red-baseline": "working on code whose tests already fail",
  "more-rounds": "going on beyond the budget of rounds",
  "rejected-result": "going on after a rejected result"
} as const satisfies Record<Consent, string>

/** Nobody has allowed it yet. */
export class ConsentNeeded extends Schema.TaggedError<ConsentNeeded>()("ConsentNeeded", { consent: Consent }) {
  override get message() {
    return `${about[this.consent]} needs a person's consent; it is asked once a run [--allow ${this.consent}]`
  }
}

/** What this invocation allows; see `--allow`. */
export type Allowed = ReadonlyArray<Consent>

/** Goes on only with consent: the log's, or this invocation's, which the log then remembers. */
export const requireConsent = Effect.fn("Consent.requireConsent")(
  (driver: Driver, consent: Consent, allow: Allowed) =>
    transactDriver(
      driver,
      Effect.fnUntraced(function*(now: Driver) {
        if (now.state.agents.consents.has(consent)) return now
        if (!allow.includes(consent)) return yield* new ConsentNeeded({ consent })
        return yield* commitDriver(now, [{ _tag: "ConsentGiven", consent }])
      })
    )
)
