// Sessions: the ports to a session's state and files.
import { Context, type Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import { SystemFault, systemFaultText, SystemRefused } from "../platform/SystemFault.ts"
import { StoreFailed } from "../run/RunStore.ts"
import type { SessionState } from "./Session.ts"

// The port to what a session of Claude Code has changed and written: files, plans, its transcript.

/** A plan: the file that an event names, else the newest that was written since `since` (epoch milliseconds). */
export interface PlanRef {
  readonly path: string | null
  readonly since: number
}

/** The transcript of a session, as an event names it. */
export interface TranscriptRef {
  readonly path: string
}

export class SessionFiles extends Context.Service<SessionFiles, {
  /** The repository folders of files, each once; relative paths start at `cwd`. */
  readonly repositories: (cwd: string, paths: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>
  /** The changes of files since the last commit, as a diff of at most so many characters, without secrets. */
  readonly changes: (cwd: string, paths: ReadonlyArray<string>, most: number) => Effect.Effect<string>
  /** A digest of what a file holds now; empty if it is missing, too large or no file. */
  readonly digest: (cwd: string, path: string) => Effect.Effect<string>
  /** The text of a plan. Null if it is missing, or leads out of the folder of plans. */
  readonly plan: (of: PlanRef) => Effect.Effect<string | null>
  /** The last whole lines of a session's transcript; empty if it cannot be read. */
  readonly transcript: (of: TranscriptRef, most: number) => Effect.Effect<string>
}>()("ooda-codex-review/services/SessionFiles") {}

// The port to the stored state of each session of Claude Code, by the session's own id.

/**
 * The session is unknown; one of its files or directories is another user's, open to others, too large, a directory or
 * not a state; the disk is full; or the store, the lock or the system refused.
 */
export const SessionReason = Schema.Union([
  Schema.TaggedStruct("NoSession", {}),
  Schema.TaggedStruct("NotOwn", { path: Schema.String }),
  Schema.TaggedStruct("NotPrivate", { path: Schema.String }),
  Schema.TaggedStruct("TooLarge", { path: Schema.String, most: Schema.Int }),
  Schema.TaggedStruct("NoState", { path: Schema.String }),
  Schema.TaggedStruct("Directory", { path: Schema.String }),
  Schema.TaggedStruct("NoSpace", { path: Schema.String }),
  Schema.TaggedStruct("LockRefused", { path: Schema.String, fault: SystemFault }),
  StoreFailed,
  SystemRefused
])
export type SessionReason = typeof SessionReason.Type

const reasonText = (reason: SessionReason): string => {
  switch (reason._tag) {
    case "NoSession":
      return "not in a session of Claude Code [--session ID names the one meant]"
    case "NotOwn":
      return `${reason.path} does not belong to this user`
    case "NotPrivate":
      return `${reason.path} is not a private directory of this user`
    case "TooLarge":
      return `${reason.path} is larger than ${reason.most} bytes`
    case "NoState":
      return `${reason.path} does not hold the state of a session`
    case "Directory":
      return `${reason.path} is a directory`
    case "NoSpace":
      return `no space is left for ${reason.path}`
    case "LockRefused":
      return `${reason.path}: ${systemFaultText(reason.fault, reason.path)}`
    case "StoreFailed":
      return reason.message
    case "SystemRefused":
      return reason.said
  }
}

/** The session is unknown, or its state could not be read or written. */
export class SessionFailed extends Schema.TaggedError<SessionFailed>()("SessionFailed", { reason: SessionReason }) {
  readonly exitCode = exits.couldNot
  override get message() {
    return reasonText(this.reason)
  }
}

/**
 * A session by its id, and where its state is stored: below a state root (null for the default one), seen from `cwd`.
 */
export interface SessionRef {
  readonly session: string
  readonly stateRoot: string | null
  readonly cwd: string
}

export class Sessions extends Context.Service<Sessions, {
  /** The state now; a fresh session's if nothing is stored or it cannot be read. */
  readonly read: (of: SessionRef) => Effect.Effect<SessionState>
  /**
   * Changes the state under a lock, and returns the answer of the change. An unreadable state counts as empty. `now`
   * (epoch milliseconds) never goes back between changes.
   */
  readonly change: <A>(
    of: SessionRef,
    next: (state: SessionState, now: number) => readonly [answer: A, next: SessionState]
  ) => Effect.Effect<A, SessionFailed>
  /** Why the state cannot be written now, on one line, or null. */
  readonly problem: (of: SessionRef) => Effect.Effect<string | null>
  /** Forgets a session, and every session that was not touched for a week. */
  readonly forget: (of: SessionRef) => Effect.Effect<void, SessionFailed>
}>()("ooda-codex-review/services/Sessions") {}
