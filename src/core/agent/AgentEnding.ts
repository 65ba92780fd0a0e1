// AgentEnding: how an agent's step ended: done, with its own report of failure, or with a failure that has a type.
import { causeOf, interruptedSentence } from "../verdict/Failure.ts"
import type { FailureKind } from "../run/FailureKind.ts"
import { namedDelay } from "./Delay.ts"
import type { FailedReport } from "./FailedReport.ts"

/**
 * The ending. `message` holds the words that told us, whole: whoever acts next sees them. `until` is when a quota is
 * full again, in the service's own words: a time on a clock whose zone codex does not tell, or a span of time from now
 * on. `after` is milliseconds.
 */
export type AgentEnding =
  | { readonly _tag: "Done"; readonly message: string }
  | { readonly _tag: "Reported"; readonly message: string; readonly report: FailedReport }
  | { readonly _tag: "Quota"; readonly message: string; readonly until: string | null }
  | { readonly _tag: "RateLimited"; readonly message: string; readonly after: number | null }
  | {
    readonly _tag:
      | "Interrupted"
      | "Login"
      | "ContextWindow"
      | "Overloaded"
      | "Stream"
      | "SandboxDenied"
      | "BadArguments"
      | "Missing"
    readonly message: string
  }
  /** Stopped by the guard after that many milliseconds: without any event, or in all. */
  | { readonly _tag: "Idle" | "Deadline"; readonly message: string; readonly after: number }
  | { readonly _tag: "Crashed"; readonly message: string; readonly exit: number | null }
  /** It said nothing; `unreadable` where it printed something that is no event. */
  | { readonly _tag: "Empty"; readonly message: string; readonly unreadable: boolean }

/** The endings that are failures of the step itself. */
export type AgentFailure = Exclude<AgentEnding, { readonly _tag: "Done" | "Reported" }>

const resetTime = (said: string): string | null =>
  /\btry again at ([^.]{1,60}?(?:[AP]M|\d{2}:\d{2}[^.\s]*))\b/i.exec(said)?.[1] ?? namedDelay(said)?.words ?? null

const denied =
  /\bsandbox\b.{0,80}\b(?:denied|refused|not permitted|violation)|\b(?:denied|not permitted)\b.{0,80}\bsandbox\b/i
const stoppedByHand = /^(?:turn |conversation |task )?(?:was )?(?:interrupted|aborted)\b/i

// Codex's own causes, as its reviewers' failures are told apart.
const tags = {
  RateLimited: "RateLimited",
  ServerError: "Overloaded",
  Overloaded: "Overloaded",
  StreamLost: "Stream",
  NotLoggedIn: "Login",
  Quota: "Quota",
  BadArguments: "BadArguments",
  NotTrusted: "BadArguments",
  ModelNotFound: "BadArguments",
  ContextTooLarge: "ContextWindow",
  MissingBinary: "Missing",
  Unknown: "Crashed",
  Deadline: "Crashed",
  Idle: "Crashed",
  Lost: "Crashed",
  Unstarted: "Crashed",
  NoReview: "Crashed",
  Unread: "Crashed",
  TranscriptTooLarge: "Crashed",
  NetworkWait: "Stream",
  KilledBySignal: "Crashed",
  ExitStatus: "Crashed"
} as const satisfies Record<FailureKind, AgentFailure["_tag"]>

/**
 * The failure that a message tells of, with the exit status behind it (null where a signal ended the agent, or where
 * none is known). What the message does not explain, the status does: 2 is a refused argument, 126 and 127 a missing
 * program, 130 an interrupt.
 */
export const failureOf = (said: string, exit: number | null): AgentFailure => {
  if (said === interruptedSentence || stoppedByHand.test(said)) return { _tag: "Interrupted", message: said }
  if (denied.test(said)) return { _tag: "SandboxDenied", message: said }
  const cause = causeOf(said)
  if (cause !== null) {
    const _tag = tags[cause]
    switch (_tag) {
      case "Quota":
        return { _tag, message: said, until: resetTime(said) }
      case "RateLimited":
        return { _tag, message: said, after: namedDelay(said)?.millis ?? null }
      case "Crashed":
        return { _tag, message: said, exit }
      default:
        return { _tag, message: said }
    }
  }
  if (exit === 2) return { _tag: "BadArguments", message: said }
  if (exit === 126 || exit === 127) return { _tag: "Missing", message: said }
  if (exit === 130) return { _tag: "Interrupted", message: said }
  return { _tag: "Crashed", message: said, exit }
}
