// Exits: what subcommands exit with: one table for every way in which any of them can fail.
import type { FindingsVerdict } from "../review/findings/Report.ts"
import type { Ending } from "./ending.ts"
import { oneLine } from "../text/Untrusted.ts"
import type { NoFindings } from "../read/Findings.ts"
import type { NotAttested } from "../read/attest/Attest.ts"
import type { NoAttestation } from "../read/attest/Verify.ts"
import type { NoSuchLine } from "../read/replay/Replay.ts"
import type { AuditVerdict } from "../read/audit/Audits.ts"
import type { NotDismissed } from "../review/findings/Dismiss.ts"
import type { NoSuchRun } from "../run/Selection.ts"
import type { DismissalsFailed } from "../review/findings/Dismissals.ts"
import type { InFileFailed, OutFileFailed } from "../read/UserFiles.ts"
import type { InputFailed, OutputError } from "../platform/Process.ts"
import type { LogReadError } from "../log/EventLog.ts"
import type { GitFailed } from "../code/Git.ts"
import type { SnapshotFailed } from "../code/Snapshots.ts"
import type { UndoRefused } from "../drive/Undo.ts"
import type { ReviewerFault } from "../review/Reviewers.ts"
import type { StoreFailed } from "../run/RunStore.ts"
import type { NoSuchFail } from "../hook/DismissedFail.ts"
import type { SessionFailed } from "../hook/Sessions.ts"
import type { CommentFailed } from "../ci/Comments.ts"
import type { RunnerFailed } from "../ci/Runner.ts"
import type { GitHubFailed } from "../code/GitHub.ts"
import type { SettingsFailed } from "../hook/SettingsFiles.ts"
import type { PlainFileFailed } from "../code/PlainFiles.ts"
import type { ConfigFailed } from "./configuration.ts"
import type { SubmissionRefused, WaitRefused } from "./commands/fleet.ts"
import type { WorkerRefused } from "../fleet/Fleets.ts"
import type { JobRefused } from "../ci/PullRequest.ts"
import type { StoreUnnamed } from "./targetOptions.ts"
import type { BadEnvironment } from "../platform/Environment.ts"

/**
 * `done`: it did what it was asked to. `wrong`: it found something wrong. `couldNot`: it could not look. `usage`: the
 * command line is wrong.
 */
export const exits = { done: 0, wrong: 1, couldNot: 6, usage: 64 } as const
export type Exit = typeof exits[keyof typeof exits]

/** Every failure of a subcommand but `stop`, which ends in an Outcome. */
export type Failure =
  | BadEnvironment
  | CommentFailed
  | ConfigFailed
  | DismissalsFailed
  | GitFailed
  | GitHubFailed
  | InFileFailed
  | InputFailed
  | JobRefused
  | LogReadError
  | NoAttestation
  | NoFindings
  | NoSuchFail
  | NoSuchLine
  | NoSuchRun
  | NotAttested
  | NotDismissed
  | OutFileFailed
  | OutputError
  | PlainFileFailed
  | ReviewerFault
  | RunnerFailed
  | SessionFailed
  | SettingsFailed
  | SnapshotFailed
  | StoreFailed
  | StoreUnnamed
  | SubmissionRefused
  | UndoRefused
  | WaitRefused
  | WorkerRefused

/**
 * A damaged or rewound log counts as something wrong that was found. After every other failure the command could not
 * look.
 */
export const failureExits = {
  BadEnvironment: exits.couldNot,
  CommentFailed: exits.couldNot,
  ConfigFailed: exits.couldNot,
  DismissalsFailed: exits.couldNot,
  GitFailed: exits.couldNot,
  GitHubFailed: exits.couldNot,
  InFileFailed: exits.couldNot,
  InputFailed: exits.couldNot,
  JobRefused: exits.couldNot,
  LogDamaged: exits.wrong,
  LogMissing: exits.couldNot,
  LogRewound: exits.wrong,
  LogTooNew: exits.couldNot,
  LogUnavailable: exits.couldNot,
  NoAttestation: exits.wrong,
  NoFindings: exits.couldNot,
  NoSuchFail: exits.couldNot,
  NoSuchLine: exits.couldNot,
  NoSuchRun: exits.couldNot,
  NotAttested: exits.wrong,
  NotDismissed: exits.couldNot,
  OutFileFailed: exits.couldNot,
  // The reader has gone away, so the program cannot tell it anything more.
  OutputClosed: exits.done,
  OutputFailed: exits.couldNot,
  PlainFileFailed: exits.couldNot,
  ReviewerFault: exits.couldNot,
  RunnerFailed: exits.couldNot,
  SessionFailed: exits.couldNot,
  SettingsFailed: exits.couldNot,
  SnapshotFailed: exits.couldNot,
  StoreFailed: exits.couldNot,
  StoreUnnamed: exits.couldNot,
  SubmissionRefused: exits.couldNot,
  UndoRefused: exits.couldNot,
  WaitRefused: exits.couldNot,
  WorkerRefused: exits.couldNot
} as const satisfies Record<Failure["_tag"], Exit>

/** What `audit` exits with, by what it says of all its runs together. */
export const auditExits = {
  Sound: exits.done,
  Findings: exits.wrong,
  Unreadable: exits.couldNot
} as const satisfies Record<AuditVerdict, Exit>

/** What `findings` exits with, by what a batch's reviews say together. */
export const findingsExits = {
  None: exits.done,
  Findings: exits.wrong,
  Unknown: exits.couldNot
} as const satisfies Record<FindingsVerdict, Exit>

/** The ending of a subcommand that wrote its output as it went. */
export const exited = (code: Exit): Ending => ({ stdout: "", stderr: "", code })

/** The ending of a subcommand that failed: one line on standard error says why. */
export const failed = (failure: Failure): Ending => ({
  stdout: "",
  stderr: failure._tag === "OutputClosed" ? "" : `ooda-codex-review: ${oneLine(failure.message)}\n`,
  code: failureExits[failure._tag]
})
