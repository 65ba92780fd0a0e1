// Sessions: the port to what is kept of each session of Claude Code, by the session's own id.
import { Context, type Effect, Schema } from "effect"
import type { SessionState } from "../core/hook/SessionState.ts"

/** The state of a session could not be read or written. `problem` says why, on one line. */
export class SessionFailed extends Schema.TaggedError<SessionFailed>()("SessionFailed", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}

/** A session by its id, and where it is kept: below a state root (null for the default one), as seen from `cwd`. */
export interface SessionRef {
  readonly session: string
  readonly stateRoot: string | null
  readonly cwd: string
}

export class Sessions extends Context.Service<Sessions, {
  /** The state now; that of a fresh session where nothing is kept, or where it cannot be read. */
  readonly read: (of: SessionRef) => Effect.Effect<SessionState>
  /**
   * Changes the state while nobody else does, and gives what the change tells. What cannot be read counts as empty.
   * `now` (epoch milliseconds) is no earlier than that of any change before.
   */
  readonly change: <A>(
    of: SessionRef,
    next: (state: SessionState, now: number) => readonly [told: A, next: SessionState]
  ) => Effect.Effect<A, SessionFailed>
  /** Why nothing can be kept there now, on one line; null where it can, as far as that can be told beforehand. */
  readonly problem: (of: SessionRef) => Effect.Effect<string | null>
  /** Forgets a session, and every one that nobody has touched for a week. */
  readonly forget: (of: SessionRef) => Effect.Effect<void, SessionFailed>
}>()("ooda-codex-review/services/Sessions") {}
