// Mark: side-effect mode for programs that have opened a run: the pure decision, and the effect beside it.
import { Effect } from "effect"
import type { Answers } from "../core/loop/Invocation.ts"
import type { Mark as AnyMark } from "../core/loop/Mark.ts"
import { defaults } from "../core/loop/Settings.ts"
import type { Level } from "../core/run/Level.ts"
import * as Reviewing from "../ooda/Reviewing.ts"
import type { Run } from "../runs/Run.ts"
import type { Judging } from "../runs/Bar.ts"
import { applyMark } from "./ApplyMark.ts"

export { decideMark as decide, Mark, type MarkDecision } from "../core/loop/Mark.ts"

const everything: Judging = { block: null, trustFrom: null }

/**
 * Applies a side-effect flag to an opened run; see `applyMark`. On a strict run `answers` names what it answers, and
 * `judging` says what blocks.
 */
export const apply = (
  run: Run,
  mark: AnyMark,
  ceiling: Level,
  pinned = false,
  answers?: Answers,
  judging: Judging = everything
) =>
  applyMark(run, { mark, answers, ceiling, retries: defaults.retries, ...judging }, Effect.succeed(Reviewing), pinned)
