// Reviewers: the port to reviewer processes, which outlive the step that starts them.
//
// One batch, in the order of the files:
// - Start checks everything that could refuse it, commits BatchStarted and one ReviewStarted for each slot, and only
//   then launches the processes. A signal cannot come between commit and launch. Slots above `--jobs` stay queued.
// - Observe looks at the open attempts. An attempt is Lost only when it can never report again.
// - Record turns each ended attempt into one event. Limits ends what is silent or takes too long. The verdict comes
//   from the files alone (`verdict/`), so whichever step looks first records the same; a second one gets a LogConflict.
// - A slot with a transient failure is retried after a pause. When every slot has a verdict the batch is complete.
// - End records first that reviewers are stopped, then ends them, so that a step that waits for them learns why.
// - Waivers judges which batches with issues need not block: `findings/` has the bar, the dismissals and the formats.
import { MissingReason, missingText } from "../platform/Binary.ts"
import { Context, type Effect, Schema, type Scope } from "effect"
import { exits } from "../platform/Failure.ts"
import type { Head } from "../log/StreamKind.ts"
import type { AttemptRef, BatchRef } from "../run/Refs.ts"
import { remedy } from "../run/FailureKind.ts"
import type { ReviewerState } from "../run/ReviewTokens.ts"
import { brief } from "../text/Untrusted.ts"
import { GuardReason, guardReasonText } from "../platform/SystemFault.ts"

/** The codex binary cannot be found or is not executable. */
export class CodexMissing extends Schema.TaggedError<CodexMissing>()("CodexMissing", {
  binary: Schema.String,
  reason: MissingReason
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `codex binary ${brief(this.binary, 300)}: ${missingText(this.binary, this.reason)} ` +
      `[${remedy("MissingBinary")}]`
  }
}

/** Why reviewers could not be started: this machine refused, or the user's codex has settings for their copy. */
const ReviewerReason = Schema.Union([GuardReason, Schema.TaggedStruct("CopyNamed", { place: Schema.String })])

/** A reviewer could not be started, looked at or stopped on this machine. `what` names the action, or the settings. */
export class ReviewerFault extends Schema.TaggedError<ReviewerFault>()("ReviewerFault", {
  what: Schema.String,
  reason: ReviewerReason
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    const { reason, what } = this
    return reason._tag === "CopyNamed"
      ? `${what} names ${reason.place}, a copy of the code that reviewers read, and so decides what instructs them ` +
        "[remove it there, then call again]"
      : `${what}: ${guardReasonText(reason)}`
  }
}

/** The command of the wrapper, and its limits. Times in milliseconds, sizes in bytes. */
export interface Launch {
  readonly binary: string
  readonly argv: ReadonlyArray<string>
  readonly cwd: string
  /** Whether `cwd` is a private repository: then no variable may lead its reviewers to another one. */
  readonly isolated: boolean
  /** The line of the run's log that committed the attempts. */
  readonly line: Head
  readonly reviewTimeout: number
  readonly maxTranscript: number
}

export class Reviewers extends Context.Service<Reviewers, {
  /** The absolute path of a binary: found on PATH, or relative to `cwd` if it has a slash. */
  readonly locate: (binary: string, cwd: string) => Effect.Effect<string, CodexMissing>
  /** The sha256 in hex of a binary's file, links followed; null if it cannot be read. */
  readonly digest: (binary: string) => Effect.Effect<string | null>
  /**
   * Starts the wrappers of attempts whose intent has been committed. First, what earlier attempts of their slots left
   * running is ended, and their files are moved away. With `tied` true (default false) they end with this process.
   */
  readonly launch: (
    attempts: ReadonlyArray<AttemptRef>,
    launch: Launch,
    options?: { readonly tied: boolean }
  ) => Effect.Effect<void, ReviewerFault>
  /**
   * Looks at attempts once, in order. Cheap: no process is started for a living reviewer. With `acting` false (default
   * true) it only looks: it fences no attempt, ends no orphan and writes no file.
   */
  readonly look: (
    attempts: ReadonlyArray<AttemptRef>,
    options?: { readonly acting: boolean }
  ) => Effect.Effect<ReadonlyArray<ReviewerState>, ReviewerFault>
  /**
   * Listens for the ends of a batch's reviewers, until the scope ends. The returned wait ends if one of these attempts
   * may have ended since the previous wait, and after `limit` milliseconds at the latest. A look between this and the
   * first wait misses no end.
   */
  readonly listen: (
    batch: BatchRef
  ) => Effect.Effect<
    (attempts: ReadonlyArray<AttemptRef>, limit: number) => Effect.Effect<void>,
    never,
    Scope.Scope
  >
  /**
   * Ends attempts and everything they started: SIGTERM, a grace, SIGKILL. Returns how many of their processes lived,
   * once none is left that can be recognised by its mark, its group, its parents or the files it appends to.
   */
  readonly stop: (attempts: ReadonlyArray<AttemptRef>) => Effect.Effect<number, ReviewerFault>
}>()("ooda-codex-review/services/Reviewers") {}
