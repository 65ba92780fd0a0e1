// RunGuard: what keeps a call from going on with a run or from leaving it for a new one, beside what its log says.
import { Context, Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import type { Run } from "../run/Run.ts"

/** A run must be ended, or answered, before another call works. */
export class RunHeld extends Schema.TaggedError<RunHeld>()("RunHeld", { message: Schema.String }) {
  readonly exitCode = exits.couldNot
}

/** What a call is about to do with a run: to go on with it, or to begin a new one instead; `Fresh`: as asked for. */
export type Leaving = "Resume" | "Replace" | "Fresh"

/** Fails if a call may not do that. Without drivers, nothing keeps it. */
export const RunGuard = Context.Reference<(run: Run, leaving: Leaving) => Effect.Effect<void, RunHeld>>(
  "ooda-codex-review/services/RunGuard",
  { defaultValue: () => () => Effect.void }
)
