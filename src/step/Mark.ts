// Mark: applies a side-effect flag to a run that the caller has opened.
import { Effect } from "effect"
import type { Answers } from "../run/Invocation.ts"
import type { Mark as AnyMark } from "../run/Mark.ts"
import { defaults } from "../run/Settings.ts"
import type { Level } from "../run/Level.ts"
import * as Reviewing from "../review/End.ts"
import type { Run } from "../run/Run.ts"
import { type BarSettings, noBar } from "../review/findings/Waiving.ts"
import { applyMark } from "./MarkStep.ts"

export { decideMark as decide, Mark, type MarkDecision } from "../run/Mark.ts"

/**
 * Applies a side-effect flag to an opened run; see `applyMark`. In a strict run `answers` names the hand-off, and
 * `judging` says what blocks.
 */
export const apply = (
  run: Run,
  mark: AnyMark,
  ceiling: Level,
  pinned = false,
  answers?: Answers,
  judging: BarSettings = noBar
) =>
  applyMark(run, { mark, answers, ceiling, retries: defaults.retries, ...judging }, Effect.succeed(Reviewing), pinned)
