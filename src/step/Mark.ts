// Mark: side-effect mode for programs that have opened a run: the pure decision, and the effect beside it.
import { Effect } from "effect"
import type { Mark as AnyMark } from "../core/loop/Mark.ts"
import type { Level } from "../core/run/Level.ts"
import * as EndReviews from "../ooda/EndReviews.ts"
import type { Run } from "../runs/Run.ts"
import { applyMark } from "./ApplyMark.ts"

export { decideMark as decide, Mark, type MarkDecision } from "../core/loop/Mark.ts"

/** Applies a side-effect flag to an opened run; see `applyMark`. */
export const apply = (run: Run, mark: AnyMark, ceiling: Level, pinned = false) =>
  applyMark(run, mark, ceiling, Effect.succeed(EndReviews), pinned)
