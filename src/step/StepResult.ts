// StepResult: what an invocation ends in: a result, or a failure that is an Outcome all the same.
import type { Effect } from "effect"
import type { Outcome } from "../run/Outcome.ts"
import type { NoSuchRun } from "../run/Selection.ts"
import type { Run } from "../run/Run.ts"
import type { step } from "./Step.ts"

/** What an invocation ends in: the stdout line of a mark, the outcome, and the run where one was opened. */
export interface StepResult {
  readonly line: string | null
  readonly outcome: Outcome
  readonly run: Run | null
}

/** Every way a step or a stop can fail. */
export type StepFailure = Effect.Error<ReturnType<typeof step>> | NoSuchRun

/** All failures of a step are caught external failures: BinaryError. The table names each, so none is forgotten. */
const failureOutcomes = {
  BadEnvironment: "BinaryError",
  DismissalsFailed: "BinaryError",
  GitFailed: "BinaryError",
  GitHubFailed: "BinaryError",
  StoreFailed: "BinaryError",
  LogMissing: "BinaryError",
  LogDamaged: "BinaryError",
  LogRewound: "BinaryError",
  LogTooNew: "BinaryError",
  LogUnavailable: "BinaryError",
  LogConflict: "BinaryError",
  HeadMoved: "BinaryError",
  CodexMissing: "BinaryError",
  DiskFull: "BinaryError",
  ReviewerFault: "BinaryError",
  ReviewFilesFailed: "BinaryError",
  TargetRefused: "BinaryError",
  IsolationFailed: "BinaryError",
  InputUnknown: "BinaryError",
  SnapshotFailed: "BinaryError",
  StrictnessRefused: "BinaryError",
  MarkRefused: "BinaryError",
  NoSuchRun: "BinaryError"
} as const satisfies Record<StepFailure["_tag"], Outcome["_tag"]>

/** The outcome of a failed step. */
export const outcomeOf = (failure: StepFailure): Outcome => ({
  _tag: failureOutcomes[failure._tag],
  message: failure.message
})
