// Progress: the port to a person who watches: it reads the end of what reviewers and others print, and shows rows.
// It is optional: without it, a step gathers nothing and shows nothing.
import { Context, Effect } from "effect"
import type { LiveView } from "../core/driven/LiveView.ts"
import type { AgentRef, ReviewRef, TestRef } from "../core/run/Refs.ts"
import type { Row } from "../core/loop/Row.ts"

/** The end of what was printed, its first line perhaps cut, and when anything was printed last (epoch milliseconds). */
export interface Printed {
  readonly end: string
  readonly at: number | null
}

export interface Watcher {
  /** Whether anybody sees what is shown. When not, nothing need be gathered for it. */
  readonly on: boolean
  /** The last few KiB of an attempt's transcript so far, its first line perhaps cut; empty when none can be read. */
  readonly tail: (review: ReviewRef) => Effect.Effect<string>
  /** What an agent or a test has printed so far; nothing where none can be read. */
  readonly printed: (work: AgentRef | TestRef) => Effect.Effect<Printed>
  /**
   * Shows these rows in place of the ones before and, where the run is driven, how far it is and what its driver does.
   * Never fails: what cannot be drawn is not drawn.
   */
  readonly show: (rows: ReadonlyArray<Row>, driven?: LiveView) => Effect.Effect<void>
  /** Takes away what is shown, so that a header can be written where it stood. */
  readonly clear: Effect.Effect<void>
}

/** Nothing was printed. */
export const nothingPrinted: Printed = { end: "", at: null }

/** Nobody watches. */
export const silent: Watcher = {
  on: false,
  tail: () => Effect.succeed(""),
  printed: () => Effect.succeed(nothingPrinted),
  show: () => Effect.void,
  clear: Effect.void
}

export const Progress = Context.Reference<Watcher>("ooda-codex-review/services/Progress", {
  defaultValue: () => silent
})
