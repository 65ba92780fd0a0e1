// Waiting: the port to a person at a terminal who waits for a subcommand that has nothing to show.
// It is optional: without it, a subcommand works in silence.
import { Context, Effect } from "effect"

/** What a person sees meanwhile. */
export interface Shown {
  /** Whether anybody sees it. */
  readonly on: boolean
  /** Whether a line may also be shown below what has been written: not where a pager may have taken the terminal. */
  readonly again: boolean
  /** Shows one line in place of the one before. Never fails: what cannot be drawn is not drawn. */
  readonly show: (line: string) => Effect.Effect<void>
  /** Takes the line away. */
  readonly clear: Effect.Effect<void>
}

export const Waiting = Context.Reference<Shown>("ooda-codex-review/services/Waiting", {
  defaultValue: () => ({ on: false, again: false, show: () => Effect.void, clear: Effect.void })
})
