// index: the program for other Effect apps: what it does, the ports it does it through, and this machine's layers.
// Nothing is read from the process: directory, environment and every port are the caller's.
/** One invocation: `Ooda.step` opens the run and loops, inspects or marks; `Ooda.outcomeOf` names a failure. */
export * as Ooda from "./step/Step.ts"
/** Side-effect mode on an opened run: `Mark.apply`, and `Mark.decide`, which is pure. */
export * as Mark from "./step/Mark.ts"
/** The runs of a target: `OpenRun.locate`, `OpenRun.openRun`, `OpenRun.currentRun`. */
export * as OpenRun from "./runs/OpenRun.ts"
export type { Run } from "./runs/Run.ts"
export { stopStep, type Stopping } from "./step/StopStep.ts"
export { stepJson } from "./step/StepJson.ts"

/**
 * Looking into stored runs, and looking after them. Each does what the subcommand of its name does, and gives its
 * answer as data. All but `prune` and `dismiss` only read.
 */
export { findings, type FindingsOptions, NoFindings } from "./history/Findings.ts"
export { dismissFinding as dismiss, type Dismissed, NotDismissed } from "./runs/DismissFinding.ts"
export type { FindingsReport } from "./core/findings/FindingsReport.ts"
export { type Estimate, estimateOf, estimateText } from "./core/findings/Estimate.ts"
export { runs, type Summary } from "./history/Summary.ts"
export type { Where } from "./runs/SelectRun.ts"
export type { Spending } from "./runs/Spending.ts"
export { NoSuchRun } from "./runs/NoSuchRun.ts"
export { type BatchEnd, watch, type Watched } from "./upkeep/Watch.ts"
export type { LiveView } from "./core/driven/LiveView.ts"
export { snapshotsOf as snapshots, undo, UndoRefused } from "./agents/Undo.ts"
export { type Judged as PrunedRun, type PruneOptions, pruneRuns as prune } from "./upkeep/Prune.ts"
export { examine as doctor, type Examined } from "./upkeep/Doctor.ts"
export type { Check } from "./core/doctor/Check.ts"

export { replay } from "./history/Replay.ts"
/** Everything about a run as data, and that data as one HTML page. */
export { report } from "./report/Report.ts"
export { page as reportPage } from "./core/report/page/Page.ts"
export type { ReportData } from "./core/report/ReportData.ts"
export { audit, type Audited, type AuditOptions, type AuditReport } from "./history/Audit.ts"
export type { Word } from "./history/ReviewRunAuditor.ts"
/** What may be said to others of a run: an in-toto Statement, and its bytes. */
export { attest, NotAttested } from "./history/Attest.ts"
export { statementText } from "./core/attest/Statement.ts"

/** Agents that work on a run: each is run to its end, also by a later call. See `docs/embedding.md`. */
export { type AgentOrder, type AgentResult, AgentTaken } from "./agents/AgentOrder.ts"
export { type AskedResult, askForResult, type ResultOrder } from "./agents/AskForResult.ts"
export { type Allowed, ConsentNeeded, requireConsent } from "./agents/Consent.ts"
export { type AskedReview, askForReview, type ReviewOrder } from "./agents/AskForReview.ts"
export { type ConvergeDriver, openDriver, readConverge } from "./agents/Driver.ts"
export { runAgent } from "./agents/RunAgent.ts"
export { stopAgents } from "./agents/StopAgents.ts"
export { convergeRun, type ConvergeState } from "./core/converge/ConvergeRun.ts"
export type { AgentsState, AgentState } from "./core/agent/AgentsState.ts"

/** The recipe, driven unattended: `converge` and what it would do first. See `docs/embedding.md`. */
export {
  converge,
  type Converged,
  type ConvergeFailure,
  type ConvergeOptions,
  convergeOutcomeOf
} from "./converge/Converge.ts"
export { inspectConverge } from "./converge/Inspect.ts"
/** `ConvergeSettings.ConvergeSettings` is the schema, with `make`, `decode`, `defaults` and `bounds`. */
export * as ConvergeSettings from "./core/converge/Settings.ts"
export type { ConvergeEvent } from "./core/converge/Event.ts"

/**
 * A plan, worked through by agents: `implement`, what it would do first, its settings, its outcome, its log. See
 * `docs/embedding.md`.
 */
export { implement, type Implemented, type ImplementFailure, type ImplementOptions } from "./implement/Implement.ts"
export { inspectPlan, type PlanInspected } from "./implement/Inspect.ts"
/** `ImplementSettings.ImplementSettings` is the schema, with `make`. */
export * as ImplementSettings from "./core/implement/Settings.ts"
/** `PlanOutcome.planHeader`, `PlanOutcome.planExitCode`. */
export * as PlanOutcome from "./core/implement/PlanOutcome.ts"
export { planRun, type PlanState } from "./core/implement/PlanRun.ts"
export type { PlanEvent } from "./core/implement/Event.ts"
export { watchPlan, type WatchedPlan } from "./upkeep/WatchPlan.ts"

/** What the GitHub Action does in review mode: one batch at each of some levels, and whether that fails a job. */
export { isReviewed, reviewLevels } from "./ci/ReviewLevels.ts"
export { FailOn, fails } from "./core/ci/FailOn.ts"

/** The log of a review run, as one kind of log; `EventLog` and `walkLog` take any. */
export { reviewRun, type WalkedRun } from "./core/run/ReviewRun.ts"
export { walkLog, type WalkEnd, type WalkOptions, type WalkPlace, type WalkStep } from "./runs/WalkLog.ts"
export type { Happening, Walked, WalkedLine } from "./core/log/Walk.ts"
export type { Commit, Place, StreamKind, Tagged } from "./core/log/StreamKind.ts"
export type { LogEvent, Logged } from "./core/log/LogEvent.ts"
export { beginning, type Head } from "./core/log/Head.ts"
/** The bytes of the lines of a kind, for a store of your own. */
export { type Line, lineCodec, type NewLine } from "./core/log/Line.ts"
export type { Author, Envelope, Framed, Sha256 } from "./core/log/Frame.ts"

export * as Batch from "./core/run/Batch.ts"
export * as Decide from "./core/loop/Decide.ts"
export * as Event from "./core/run/Event.ts"
export * as Finding from "./core/findings/Finding.ts"
export * as Invocation from "./core/loop/Invocation.ts"
export * as Ladder from "./core/run/Ladder.ts"
export * as Level from "./core/run/Level.ts"
/** The folded state of a run: `Manifest.fold`, `Manifest.evolve`, `Manifest.replay`. */
export * as Manifest from "./core/run/Manifest.ts"
/** `Settings.Settings` is the schema, with `Settings.defaults` and `Settings.bounds`. */
export * as Settings from "./core/loop/Settings.ts"
export * as Outcome from "./core/loop/Outcome.ts"
export * as Target from "./core/run/Target.ts"
export type { Usage } from "./core/run/Usage.ts"
export * as Verdict from "./core/verdict/Verdict.ts"
export type { BatchPlaces, SlotPlaces } from "./core/findings/Review.ts"
export type { AgentRef, AttemptRef, BatchRef, ReviewRef, RunRef, TargetRef } from "./core/run/Refs.ts"
export type { ReviewerState } from "./core/run/ReviewerState.ts"
/** What agents print, say and report, as pure functions: see `docs/embedding.md`. */
export type { AgentEvent, AgentItem } from "./core/agent/AgentEvent.ts"
export type { AgentEnding, AgentFailure } from "./core/agent/AgentEnding.ts"
export { type AgentLimits, AgentTask, defaultLimits, type Sandbox } from "./core/agent/Task.ts"
export type { AgentKind } from "./core/run/AgentKind.ts"
export { decodeAgentLine } from "./core/agent/DecodeLine.ts"
export { foldAgentStream, type FoldedStream } from "./core/agent/FoldStream.ts"
export { parseVerdictLine, type PlanVerdict } from "./core/agent/VerdictLine.ts"
export { PlanReview, readReview, type ReadReview, type ReviewIssue, reviewJsonSchema } from "./core/agent/PlanReview.ts"
export { type FailedReport, parseFailedReport } from "./core/agent/FailedReport.ts"
/** What the hook of Claude Code asks of events, tools and texts. */
export { commandHints } from "./core/hook/CommandHints.ts"
export { editKey } from "./core/hook/EditKey.ts"
export { type HookVerdict, parseHookVerdict } from "./core/hook/HookVerdict.ts"
export { planPath } from "./core/hook/PlanPath.ts"
export { classifyTool, thinkingStage } from "./core/hook/Tools.ts"
/** Takes secrets out of a text. */
export { redact } from "./core/text/redaction/Redact.ts"
/** A plan file as a value. */
export { type ParsedPlan, parsePlan } from "./core/plan/ParsePlan.ts"
export type { Plan, PlanPriority, PlanRef, PlanStatus, PlanStep, PlanTask } from "./core/plan/Plan.ts"
export { looksLikePlanOnly } from "./core/agent/PlanOnly.ts"
export { type DecodedResult, decodeResult, resultJsonSchema, type Role } from "./core/agent/Result.ts"
export {
  initialResultState,
  nextAfterResult,
  type ResultAction,
  type ResultState,
  retryPreamble
} from "./core/agent/ResultRetry.ts"
export { adaptCodexEnding, type AdaptedResult } from "./core/agent/CodexResult.ts"
export { type DecodedReview, decodeReview } from "./core/verdict/DecodeReview.ts"
export { backoffMillis } from "./core/agent/Backoff.ts"
export { compactPrompt, type DigestPrompt } from "./core/agent/Compact.ts"
export { nothingShown, showEvent, type Shown } from "./core/agent/Blocks.ts"
export { version } from "./core/Version.ts"

/** The layers of this machine: `Live.layer` is all that the functions above need. */
export { Live } from "./layers.ts"

export * from "./services/Agent.ts"
export * from "./services/Reviewers.ts"
export * from "./services/Commits.ts"
export * from "./services/Dismissals.ts"
export * from "./services/Drivers.ts"
export { CallersPath, Environment, type Variables } from "./services/Environment.ts"
export * from "./services/EventLog.ts"
export * from "./services/Git.ts"
export * from "./services/GitHub.ts"
export { Machine } from "./services/Machine.ts"
export { Narrator, type Telling } from "./services/Narrator.ts"
export * from "./services/PlanFiles.ts"
export * from "./services/ProgramFault.ts"
export { type Printed, Progress, type Watcher } from "./services/Progress.ts"
export * from "./services/ReviewFiles.ts"
export * from "./services/RunStore.ts"
export { StoreReason, storeReasonText } from "./services/StoreReason.ts"
export * from "./services/Signals.ts"
export * from "./services/Snapshots.ts"
export * from "./services/SystemFault.ts"
export * from "./services/Tests.ts"
