// PlanOutcome: what a call that works on a plan ends in: its tasks are accepted, or one of the contract's outcomes.
// The contract's outcomes have one exit code each. Accepted work shares that of a fixed point, and never its header.
import { exitCode, header, type Outcome, stderrText } from "../loop/Outcome.ts"

export type PlanOutcome = { readonly _tag: "DoneAccepted" } | Outcome

/** The header: the first line on standard error, without its newline. */
export const planHeader = (outcome: PlanOutcome): string =>
  outcome._tag === "DoneAccepted" ? "DoneAccepted" : header(outcome)

/** The exit code. */
export const planExitCode = (outcome: PlanOutcome): number =>
  outcome._tag === "DoneAccepted" ? exitCode({ _tag: "DoneFixedPoint" }) : exitCode(outcome)

/** Everything that an outcome writes to standard error, ending in a newline. */
export const planStderr = (outcome: PlanOutcome): string =>
  outcome._tag === "DoneAccepted" ? `${planHeader(outcome)}\n` : stderrText(outcome)
