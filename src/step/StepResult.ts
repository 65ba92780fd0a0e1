// StepResult: the result of an invocation. A failure is an Outcome too: always BinaryError, with the failure's message.
import type { Failure } from "../platform/Failure.ts"
import type { Outcome } from "../run/Outcome.ts"
import type { Run } from "../run/Run.ts"

/** The result of an invocation: the stdout line of a mark, the outcome, and the run if one was opened. */
export interface StepResult {
  readonly line: string | null
  readonly outcome: Outcome
  readonly run: Run | null
}

/** The outcome of a failed call, of a step and of a driver alike. */
export const outcomeOf = (failure: Failure, message = failure.message): Outcome => ({
  _tag: "BinaryError",
  message
})

/** The result of a call that failed. */
export const failedResult = (failure: Failure, message = failure.message): StepResult => ({
  line: null,
  outcome: outcomeOf(failure, message),
  run: null
})
