// Progress: the port to a person who watches reviewers: it reads the end of their transcripts and shows rows.
// It is optional: without it, a step gathers nothing and shows nothing.
import { Context, Effect } from "effect"
import type { ReviewRef } from "../core/run/Refs.ts"
import type { Row } from "../core/loop/Row.ts"

export interface Watcher {
  /** Whether anybody sees what is shown. When not, nothing need be gathered for it. */
  readonly on: boolean
  /** The last few KiB of an attempt's transcript so far, its first line perhaps cut; empty when none can be read. */
  readonly tail: (review: ReviewRef) => Effect.Effect<string>
  /** Shows these rows in place of the ones before. Never fails: what cannot be drawn is not drawn. */
  readonly show: (rows: ReadonlyArray<Row>) => Effect.Effect<void>
  /** Takes away what is shown, so that a header can be written where it stood. */
  readonly clear: Effect.Effect<void>
}

/** Nobody watches. */
export const silent: Watcher = {
  on: false,
  tail: () => Effect.succeed(""),
  show: () => Effect.void,
  clear: Effect.void
}

export const Progress = Context.Reference<Watcher>("ooda-codex-review/services/Progress", {
  defaultValue: () => silent
})
