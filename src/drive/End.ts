// End: why a call of a driver ended, as data, which later calls and readers decide from. The header and the sentence for
// people are made of it (Ends), and so are the commands to call next (read/Commands); nothing takes them apart again.
import { Schema } from "effect"
import { Consent } from "../agent/Event.ts"
import type { HumanAction, Outcome } from "../run/Outcome.ts"

/** What a person is asked about. */
export const Cause = Schema.TaggedUnion({
  /** Something has to be allowed. */
  Consent: { consent: Consent },
  TestsRed: {},
  /** Git, or a hook, refused to commit. */
  CommitRefused: {},
  /** The commit lacks some of the content that was to be in it. */
  CommitLacks: {},
  /** An agent's answer cannot be used, or says that work is left. */
  Rejected: {},
  Protected: {},
  AgentFailed: {},
  GitChanged: {},
  /** What the change is compared with: commits, or "none". */
  BaseMoved: { from: Schema.String, to: Schema.String },
  /** The code, or the plan, was changed while it was worked on. */
  ChangedMeanwhile: {},
  /** No task of the plan counts as done. */
  NothingDone: {}
})
export type Cause = typeof Cause.Type

/** The contract's word for each cause. */
export const actionOf = {
  Consent: "ConsentNeeded",
  TestsRed: "TestsFailedTriage",
  CommitRefused: "TestsFailedTriage",
  CommitLacks: "TestsFailedTriage",
  Rejected: "TaskBlocked",
  Protected: "TaskBlocked",
  AgentFailed: "AgentFailed",
  GitChanged: "GitStateChanged",
  BaseMoved: "GitStateChanged",
  ChangedMeanwhile: "TaskBlocked",
  NothingDone: "TaskBlocked"
} as const satisfies Record<Cause["_tag"], HumanAction>

/** What was used up, or repeats: reviews of the same code, or rounds that come back to known code. */
export const Limit = Schema.Literals([
  "max-rounds",
  "max-time",
  "max-tokens",
  "max-batches",
  "patience",
  "rounds",
  "steps",
  "reviews",
  "circle"
])
export type Limit = typeof Limit.Type

/** How a call ended. `reviews`: how many of a batch failed for good; `broke`: it broke off, and looked at nothing more. */
export const DriverEnd = Schema.TaggedUnion({
  FixedPoint: {},
  Accepted: {},
  Aborted: {},
  Asked: { cause: Cause },
  GaveUp: { limit: Limit },
  Failed: { reviews: Schema.optionalKey(Schema.Int), broke: Schema.optionalKey(Schema.Literal(true)) }
})
export type DriverEnd = typeof DriverEnd.Type

/** An outcome of the contract, with the cause where a person is asked. */
export type Ended = Outcome & { readonly cause?: Cause }

/** Any outcome of a driver. */
export type AnyEnded =
  | Ended
  | { readonly _tag: "DoneAccepted" }
  | { readonly _tag: "WouldAdvance"; readonly action: string }

/** What was used up or repeats, by the action and the key of the contract. */
export const limitOf = (header: "StuckRepeated" | "StuckCapReached", action: string, key: string): Limit => {
  if (key.endsWith("/max-batches")) return "max-batches"
  const given = Limit.literals.find((one) => one === key)
  return given ?? (action === "AddressBatch" ? "circle" : header === "StuckCapReached" ? "steps" : "reviews")
}

/** Whether a call ended because a person is asked about this. */
export const isAbout = (end: DriverEnd | null, about: Cause["_tag"]): boolean =>
  end?._tag === "Asked" && end.cause._tag === about

/** Whether a header and an end say the same. */
export const isHeaderOf = (header: string, end: DriverEnd): boolean => {
  switch (end._tag) {
    case "FixedPoint":
    case "Accepted":
    case "Aborted":
      return header.startsWith(`Done${end._tag}`)
    case "Asked":
      return header.startsWith(`HandoffHuman: ${actionOf[end.cause._tag]}`)
    case "GaveUp":
      return header.startsWith("Stuck")
    case "Failed":
      return !/^(?:Done|Stuck|HandoffHuman)/.test(header)
  }
}

/** How a call ended, by its outcome. */
export const endOf = (outcome: AnyEnded): DriverEnd => {
  switch (outcome._tag) {
    case "DoneFixedPoint":
      return { _tag: "FixedPoint" }
    case "DoneAccepted":
      return { _tag: "Accepted" }
    case "DoneAborted":
      return { _tag: "Aborted" }
    case "HandoffHuman":
      return { _tag: "Asked", cause: outcome.cause ?? { _tag: "TestsRed" } }
    case "StuckRepeated":
    case "StuckCapReached":
      return { _tag: "GaveUp", limit: limitOf(outcome._tag, outcome.action, outcome.key) }
    case "BinaryError":
      return { _tag: "Failed", ...(outcome.reviews === undefined ? {} : { reviews: outcome.reviews }) }
    case "HandoffAgent":
    case "Idle":
    case "UsageError":
    case "WouldAdvance":
      return { _tag: "Failed" }
  }
}
