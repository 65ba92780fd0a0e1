// Consent: what a person must allow once a run, and the log that remembers it.
import { Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import type { TaggedEvent } from "../log/StreamKind.ts"
import { consentTo } from "./State.ts"
import { Consent } from "./Event.ts"
import { jsonText } from "../text/Json.ts"
import { commitDriver, type Driver, type TaskState, transactDriver } from "./TaskLog.ts"

const about = {
  unsandboxed: "running agents without a sandbox",
  "partial-snapshot": "working on files that no snapshot holds",
  "red-baseline": "working on code whose tests already fail",
  "more-rounds": "going on beyond the budget of rounds",
  "rejected-result": "going on after a rejected result",
  "repository-tests": "running the tests of the repository's own configuration",
  "commit-hooks": "committing without tests, by git's hooks and filters, which may run what an agent wrote,",
  "moved-base": "going on although the change is compared with something else than when a round began"
} as const satisfies Record<Consent, string>

/** A person has not allowed this yet. */
export class ConsentNeeded extends Schema.TaggedError<ConsentNeeded>()("ConsentNeeded", { consent: Consent }) {
  readonly exitCode = exits.couldNot
  override get message() {
    const often = this.consent === "repository-tests" ? "once a run and after each change of them" : "once a run"
    return `${about[this.consent]} needs your consent, ${often} [--allow ${this.consent}]`
  }
}

/** What this invocation allows; see `--allow`. */
export type Consents = ReadonlyArray<Consent>

/** The sha256 of a list of texts that a person consents to. Another order gives another digest. */
export const contentOf = (texts: ReadonlyArray<string>): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(jsonText(texts)))),
    (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("")
  )

/** Whether the log holds a person's consent; with a `content`, consent to exactly that. */
export const isGiven = ({ agents }: TaskState, consent: Consent, content: string | null = null): boolean =>
  content === null ? agents.consents.has(consent) : agents.contents.has(consentTo(consent, content))

/**
 * Continues only with consent from the log or this call, and records it in the log; with `content`, for exactly that.
 */
export const requireConsent = Effect.fn("Consent.requireConsent")(
  <S extends TaskState, X extends TaggedEvent>(
    driver: Driver<S, X>,
    consent: Consent,
    allow: Consents,
    content: string | null = null
  ) =>
    transactDriver(
      driver,
      Effect.fnUntraced(function*(now: Driver<S, X>) {
        if (isGiven(now.state, consent, content)) return now
        if (!allow.includes(consent)) return yield* new ConsentNeeded({ consent })
        return yield* commitDriver(now, [{ _tag: "ConsentGiven", consent, ...content === null ? {} : { content } }])
      })
    )
)
