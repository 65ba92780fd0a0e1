// SessionFiles: the port to what a session of Claude Code has changed and written: files, plans, its transcript.
import { Context, type Effect } from "effect"

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
  /** The folders of the repositories that files are in, each once; `cwd` is what their paths may be relative to. */
  readonly repositories: (cwd: string, paths: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>
  /** What was changed in files since the last commit, as a diff of at most so many characters, without secrets. */
  readonly changes: (cwd: string, paths: ReadonlyArray<string>, most: number) => Effect.Effect<string>
  /** The text of a plan. Null where there is none, or where it leads out of the folder of plans. */
  readonly plan: (of: PlanRef) => Effect.Effect<string | null>
  /** The last whole lines of a session's transcript; empty where it cannot be read. */
  readonly transcript: (of: TranscriptRef, most: number) => Effect.Effect<string>
}>()("ooda-codex-review/services/SessionFiles") {}
