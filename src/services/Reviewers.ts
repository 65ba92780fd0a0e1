// Reviewers: the port to reviewer processes, which outlive the step that starts them.
// The one rule: liveness is looked at before the exit file; an attempt is lost only when it can never report again.
import { Context, type Effect, Schema } from "effect"
import type { Level } from "../core/run/Level.ts"
import type { SlotFiles } from "../core/run/Paths.ts"
import type { ReviewerState } from "../core/run/ReviewerState.ts"

/** The codex binary cannot be found or is not executable. */
export class CodexMissing extends Schema.TaggedError<CodexMissing>()("CodexMissing", {
  binary: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `codex binary ${this.binary}: ${this.reason}`
  }
}

/** A reviewer could not be started, looked at or stopped by this machine. */
export class ReviewerFault extends Schema.TaggedError<ReviewerFault>()("ReviewerFault", {
  what: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.what}: ${this.reason}`
  }
}

/** One attempt of one slot: its identity, its files, and what is to be run. */
export interface Attempt {
  readonly id: string
  readonly level: Level
  readonly slot: number
  readonly attempt: number
  readonly dir: string
  readonly files: SlotFiles
}

/** What the wrapper runs, and its limits. Times in milliseconds, sizes in bytes. */
export interface Launch {
  readonly binary: string
  readonly argv: ReadonlyArray<string>
  readonly cwd: string
  readonly reviewTimeout: number
  readonly maxTranscript: number
}

export class Reviewers extends Context.Service<Reviewers, {
  /** The absolute path of a binary: a PATH look-up, or relative to `cwd` when it has a slash. */
  readonly locate: (binary: string, cwd: string) => Effect.Effect<string, CodexMissing>
  /**
   * Starts the wrappers of attempts whose intent has been committed. First, what earlier attempts of their slots left
   * running is ended, and their files are moved away.
   */
  readonly launch: (attempts: ReadonlyArray<Attempt>, launch: Launch) => Effect.Effect<void, ReviewerFault>
  /**
   * Looks at attempts once, in order. Cheap: no process is started for a living reviewer. With `acting` false
   * (default true) it only looks: it fences no attempt, ends no orphan and writes no file.
   */
  readonly look: (
    attempts: ReadonlyArray<Attempt>,
    options?: { readonly acting: boolean }
  ) => Effect.Effect<ReadonlyArray<ReviewerState>, ReviewerFault>
  /** Ends attempts and everything they started: SIGTERM, a grace, SIGKILL; returns when nothing of them is left. */
  readonly stop: (attempts: ReadonlyArray<Attempt>) => Effect.Effect<void, ReviewerFault>
}>()("ooda-codex-review/services/Reviewers") {}
