// index: the program for other Effect apps: its functions, its ports, and this machine's layers.
// Nothing is read from the process: directory, environment and every port come from the caller.
/** One invocation: `Ooda.step` opens the run and loops, inspects or marks; `Ooda.outcomeOf` names a failure. */
export * as Ooda from "./step/Step.ts"
/** Side-effect mode on an opened run: `Mark.apply`, and `Mark.decide`, which is pure. */
export * as Mark from "./step/Mark.ts"
/** The runs of a target: `OpenRun.locate`, `OpenRun.openRun`, `OpenRun.currentRun`. */
export * as OpenRun from "./step/OpenRun.ts"
export type { Run } from "./run/Run.ts"
export { stopStep, type StopOptions } from "./drive/StopStep.ts"
export { stepJson } from "./step/StepJson.ts"

/**
 * Reading stored runs, and maintaining them. Each function does what the subcommand of its name does, and returns its
 * answer as data. All but `prune` and `dismiss` only read.
 */
export { findings, type FindingsOptions, NoFindings } from "./read/Findings.ts"
export { dismissFinding as dismiss, type DismissRequest, NotDismissed } from "./read/Dismiss.ts"
export type { FindingsReport } from "./review/findings/Report.ts"
export { type Estimate, estimateOf, estimateText } from "./review/findings/Estimate.ts"
export { look as status, runs, type RunView } from "./read/Look.ts"
export type { SearchPlace } from "./step/Selection.ts"
export type { Spending } from "./drive/Spending.ts"
export { NoSuchRun } from "./run/Owner.ts"
export { watch } from "./read/Watch.ts"
export { previewUndo, undo, undoable, UndoRefused } from "./read/Undo.ts"
export { type Judged as PrunedRun, type PruneOptions, pruneRuns as prune } from "./read/Prune.ts"
export { examine as doctor, type Examined } from "./read/doctor/Doctor.ts"
export type { Check } from "./read/doctor/Check.ts"

export { replay } from "./read/replay/Replay.ts"
/** Everything about a run as data, and that data as one HTML page. */
export { report } from "./read/report/Report.ts"
export { page as reportPage } from "./read/report/page/Page.ts"
export type { ReportData } from "./read/report/ReportData.ts"
export { audit, type Audited, type AuditOptions, type AuditReport } from "./read/audit/Audit.ts"
export type { Word } from "./read/audit/ReviewRun.ts"
/** A statement about a run for others: an in-toto Statement, and its bytes. */
export { attest, NotAttested } from "./read/attest/Attest.ts"
export { statementText } from "./read/attest/Attest.ts"

/** Agents that work on a run: each is run to its end, even by a later call. See `docs/embedding.md`. */
export { type AgentOrder, type AgentResult, AgentTaken } from "./agent/Order.ts"
export { type ResultOutcome, askForResult, type ResultOrder } from "./agent/AskForResult.ts"
export { type Consents, ConsentNeeded, requireConsent } from "./agent/Consent.ts"
export { type ReviewOutcome, askForReview, type ReviewOrder } from "./agent/AskForReview.ts"
export { runAgent } from "./agent/RunAgent.ts"
export { stopAgents } from "./agent/Attempt.ts"
export {
  type ConvergeDriver,
  type ConvergeState,
  convergeRun,
  openDriver,
  readConverge
} from "./drive/converge/State.ts"
export type { AgentsState, AgentState } from "./agent/State.ts"

/** The unattended driver: `converge`, and what it would do first. See `docs/embedding.md`. */
export { converge, type Converged, type ConvergeFailure, inspectConverge } from "./drive/converge/Converge.ts"
export type { ConvergeOptions } from "./drive/converge/Drive.ts"
/** `ConvergeSettings.ConvergeSettings` is the schema, with `make`, `decode`, `defaults` and `bounds`. */
export * as ConvergeSettings from "./drive/converge/Settings.ts"
export type { ConvergeEvent } from "./drive/converge/Event.ts"

/**
 * A plan that agents work through: `implement`, what it would do first, its settings, its outcome, its log. See
 * `docs/embedding.md`.
 */
export {
  implement,
  type Implemented,
  type ImplementFailure,
  type ImplementOptions,
  inspectPlan,
  type PlanInspected
} from "./drive/plan/Implement.ts"
/** `ImplementSettings.ImplementSettings` is the schema, with `make`. */
export * as ImplementSettings from "./drive/plan/Settings.ts"
/** `PlanOutcome.planHeader`, `PlanOutcome.planExitCode`. */
export * as PlanOutcome from "./drive/plan/Outcome.ts"
export { planRun, type PlanState } from "./drive/plan/State.ts"
export type { PlanEvent } from "./drive/plan/Event.ts"

/** The review mode of the GitHub Action: one batch at each of some levels, and whether that fails a job. */
export { isReviewed, reviewLevels } from "./ci/Review.ts"
export { FailOn, fails } from "./ci/Review.ts"

/** The log of a review run, as one kind of log; `EventLog` and `walkLog` accept any kind. */
export { reviewRun, type WalkedRun } from "./run/ReviewRun.ts"
export { walkLog, type WalkEnd, type WalkOptions, type WalkPlace, type WalkStep } from "./log/Walk.ts"
export type { WalkedEvent, WalkState, WalkedLine } from "./log/Walk.ts"
export type { Commit, Place, StreamKind, TaggedEvent } from "./log/StreamKind.ts"
export type { LogEvent, LoggedEvent } from "./log/StreamKind.ts"
export { beginning, type Head } from "./log/StreamKind.ts"
/** The bytes of the lines of a kind, for a store of your own. */
export { type Line, lineCodec, type NewLine } from "./log/Line.ts"
export type { Author, Envelope, FramedLine, Sha256 } from "./log/Frame.ts"

export * as Batch from "./run/Batch.ts"
export * as Decide from "./run/Decide.ts"
export * as Event from "./run/Event.ts"
export * as Finding from "./review/findings/Finding.ts"
export * as Invocation from "./run/Invocation.ts"
export * as Ladder from "./run/Ladder.ts"
export * as Level from "./run/Level.ts"
/** The folded state of a run: `Manifest.fold`, `Manifest.evolve`, `Manifest.replay`. */
export * as Manifest from "./run/Manifest.ts"
/** `Settings.Settings` is the schema, with `Settings.defaults` and `Settings.bounds`. */
export * as Settings from "./run/Settings.ts"
export * as Outcome from "./run/Outcome.ts"
export * as Target from "./run/Target.ts"
export type { Usage } from "./run/Usage.ts"
export * as Verdict from "./review/verdict/Verdict.ts"
export type { AgentRef, RunRef, TargetRef } from "./log/Refs.ts"
export type { AttemptRef, BatchRef, ReviewRef } from "./run/Refs.ts"
export type { ReviewerState } from "./run/ReviewTokens.ts"
/** What agents print, say and report, as pure functions: see `docs/embedding.md`. */
export type { AgentEvent, AgentItem } from "./agent/stream/AgentEvent.ts"
export type { AgentEnding, AgentFailure } from "./agent/AgentEnding.ts"
export { type AgentLimits, AgentTask, defaultLimits, type Sandbox } from "./agent/Task.ts"
export type { AgentKind } from "./log/Refs.ts"
export { decodeAgentLine } from "./agent/stream/CodexLines.ts"
export { foldAgentStream, type FoldedStream } from "./agent/stream/AgentStream.ts"
export { parseVerdictLine, type PlanVerdict } from "./agent/PlanReview.ts"
export { PlanReview, readReview, type ReadReview, type ReviewIssue, reviewJsonSchema } from "./agent/PlanReview.ts"
export { type FailedReport, parseFailedReport } from "./agent/AgentEnding.ts"
/** The questions of Claude Code's hook about events, tools and texts. */
export { commandHints } from "./hook/Hints.ts"
export { editKey } from "./hook/Edit.ts"
export { type HookVerdict, parseHookVerdict } from "./hook/Verdict.ts"
export { planPath } from "./hook/Reviews.ts"
export { classifyTool, thinkingStage } from "./hook/Event.ts"
/** Removes secrets from a text. */
export { redact } from "./text/redaction/Redaction.ts"
/** A plan file as a value. */
export { type ParsedPlan, parsePlan } from "./drive/plan/file/Document.ts"
export type { Plan, PlanPriority, PlanRef, PlanStatus, PlanStep, PlanTask } from "./drive/plan/file/Plan.ts"
export { looksLikePlanOnly } from "./agent/Recovery.ts"
export { type DecodedResult, decodeResult, resultJsonSchema, type Role } from "./agent/Result.ts"
export {
  initialResultState,
  nextAfterResult,
  type ResultAction,
  type ResultState,
  retryPreamble
} from "./agent/ResultRetry.ts"
export { adaptCodexEnding, type AdaptedResult } from "./agent/CodexResult.ts"
export { type DecodedReview, decodeReview } from "./review/verdict/ReviewBody.ts"
export { backoffMillis } from "./agent/Recovery.ts"
export { compactPrompt, type DigestPrompt } from "./agent/PromptBudget.ts"
export { version } from "./platform/Version.ts"

/** The layers of this machine: `Live.layer` provides everything that the functions above need. */
export { Live } from "./layers.ts"

export * from "./agent/Agent.ts"
export * from "./review/Reviewers.ts"
export * from "./drive/Commits.ts"
export * from "./review/findings/Dismissals.ts"
export * from "./drive/DriverLock.ts"
export type { Failure } from "./platform/Failure.ts"
export { CallersPath, Environment, type Variables } from "./platform/Environment.ts"
export * from "./log/EventLog.ts"
export * from "./code/Git.ts"
export * from "./code/GitHub.ts"
export { Machine } from "./read/doctor/Machine.ts"
export * from "./drive/plan/PlanFiles.ts"
export * from "./platform/SystemFault.ts"
export { type PrintedTail, Progress, type Watcher } from "./review/Progress.ts"
export * from "./review/ReviewFiles.ts"
export * from "./run/RunStore.ts"
export { type BatchPlaces, type SlotPlaces, StoreReason, storeReasonText } from "./run/RunStore.ts"
export * from "./platform/Process.ts"
export * from "./code/Snapshots.ts"
export * from "./drive/Tests.ts"
