// index: the program for other Effect apps: what it does, the ports it does it through, and this machine's layers.
// The one rule: nothing is read from the process here: directory, environment and every port are the caller's.
import { Effect, Layer } from "effect"
import { layer as codexProcess } from "./adapters/CodexProcessLive.ts"
import { layer as eventLog } from "./adapters/EventLogFile.ts"
import { layer as gitHub } from "./adapters/GitHubLive.ts"
import { layer as git } from "./adapters/GitLive.ts"
import { layer as reviewFiles } from "./adapters/ReviewFilesLive.ts"
import { layer as runStore } from "./adapters/RunStoreLive.ts"
import { layer as processSignals } from "./adapters/SignalsLive.ts"
import { layer as storedReviews } from "./adapters/StoredReviewsLive.ts"
import { layer as storedRuns } from "./adapters/StoredRunsLive.ts"
import { Signals } from "./services/Signals.ts"

/** One invocation: `Ooda.step` opens the run and loops, inspects or marks; `Ooda.outcomeOf` names a failure. */
export * as Ooda from "./Step.ts"
/** Side-effect mode on an opened run: `Mark.apply`, and `Mark.decide`, which is pure. */
export * as Mark from "./Mark.ts"
/** The runs of a target: `OpenRun.locate`, `OpenRun.openRun`, `OpenRun.currentRun`. */
export * as OpenRun from "./OpenRun.ts"
export type { Run } from "./Run.ts"
export { stopStep, type Stopping } from "./StopStep.ts"
export { stepJson } from "./StepJson.ts"

export { audit, type AuditReport, replay } from "./history/Past.ts"
export type { Audited, AuditOptions, Word } from "./history/Audit.ts"
export type { Happening, Walked } from "./history/Walk.ts"

export * as Batch from "./core/Batch.ts"
export * as Decide from "./core/Decide.ts"
export * as Event from "./core/Event.ts"
export * as Finding from "./core/Finding.ts"
export * as Invocation from "./core/Invocation.ts"
export * as Ladder from "./core/Ladder.ts"
export * as Level from "./core/Level.ts"
/** The folded state of a run: `Manifest.fold`, `Manifest.evolve`, `Manifest.replay`. */
export * as Manifest from "./core/Manifest.ts"
export * as Outcome from "./core/Outcome.ts"
export * as Target from "./core/Target.ts"
export * as Verdict from "./core/Verdict.ts"
export { version } from "./core/Version.ts"

export * from "./services/CodexProcess.ts"
export * from "./services/EventLog.ts"
export * from "./services/Git.ts"
export * from "./services/GitHub.ts"
export { Progress, type Watcher } from "./services/Progress.ts"
export * from "./services/ReviewFiles.ts"
export * from "./services/RunStore.ts"
export * from "./services/Signals.ts"
export * from "./services/StoredReviews.ts"
export * from "./services/StoredRuns.ts"

// A host ends a step by interrupting it; the signals of its process are its own.
const noSignals = Layer.succeed(Signals, { asked: Effect.never })

/** The layers of this machine. `layer` is all a step and an audit need; each of them can be replaced by the host's. */
export const Live = {
  codexProcess,
  eventLog,
  git,
  gitHub,
  reviewFiles,
  runStore,
  storedReviews,
  storedRuns,
  noSignals,
  /** SIGINT, SIGTERM and SIGHUP of this process: for a program whose process ends with its step. */
  processSignals,
  layer: Layer.mergeAll(
    codexProcess,
    eventLog,
    git,
    gitHub,
    noSignals,
    reviewFiles,
    runStore,
    storedReviews,
    storedRuns
  )
} as const
