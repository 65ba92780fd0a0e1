// Mark: side-effect mode for programs that have opened a run: the pure decision, and the effect beside it.
import { Effect } from "effect"
import type { Answers } from "../core/loop/Invocation.ts"
import type { Mark as AnyMark } from "../core/loop/Mark.ts"
import { defaults } from "../core/loop/Settings.ts"
import type { Level } from "../core/run/Level.ts"
import * as EndReviews from "../ooda/EndReviews.ts"
import type { Run } from "../runs/Run.ts"
import { applyMark } from "./ApplyMark.ts"

export { decideMark as decide, Mark, type MarkDecision } from "../core/loop/Mark.ts"

/** Applies a side-effect flag to an opened run; see `applyMark`. On a strict run `answers` names what it answers. */
export const apply = (run: Run, mark: AnyMark, ceiling: Level, pinned = false, answers?: Answers) =>
  applyMark(run, { mark, answers, ceiling, retries: defaults.retries }, Effect.succeed(EndReviews), pinned)
