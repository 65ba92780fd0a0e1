// Outcome: how a call of implement ends.
import { exitCodes, header, type Outcome, stderrText } from "../../run/Outcome.ts"
import type { Decision } from "./Decide.ts"

// What a call that works on a plan ends in: its tasks are accepted, or one of the contract's outcomes.
// The contract's outcomes have one exit code each. Accepted work exits as a fixed point does, under its own header.

/** What an inspection can name as the first act of a call, beside the acts of a converging run. */
export type PlanAction = Exclude<Decision["_tag"], "Converge" | "End" | "Warn">

export type PlanOutcome =
  | { readonly _tag: "DoneAccepted" }
  | { readonly _tag: "WouldAdvance"; readonly action: PlanAction }
  | Outcome

/** The header: the first line on standard error, without its newline. */
export const planHeader = (outcome: PlanOutcome): string => {
  switch (outcome._tag) {
    case "DoneAccepted":
      return "DoneAccepted"
    case "WouldAdvance":
      return `WouldAdvance: ${outcome.action}`
    default:
      return header(outcome)
  }
}

/** The exit code. */
export const planExitCode = ({ _tag }: PlanOutcome): number =>
  exitCodes[_tag === "DoneAccepted" ? "DoneFixedPoint" : _tag]

/** Everything that an outcome writes to standard error, ending in a newline. */
export const planStderr = (outcome: PlanOutcome): string =>
  outcome._tag === "DoneAccepted" || outcome._tag === "WouldAdvance"
    ? `${planHeader(outcome)}\n`
    : stderrText(outcome)
