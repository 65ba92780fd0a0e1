// MarkStep: side-effect mode: opens the run, or a new one where it has to, and applies the mark to it.
import { Effect } from "effect"
import type { Settings } from "../core/loop/Settings.ts"
import type { Mark } from "../core/loop/Mark.ts"
import { locate, openRun } from "../runs/OpenRun.ts"
import type { Run } from "../runs/Run.ts"
import { applyMark, type Ending } from "./ApplyMark.ts"
import { pollInterval } from "./PollInterval.ts"
import type { StepResult } from "./StepResult.ts"

/** Applies a side-effect flag to the run that the settings lead to. */
export const markStep = Effect.fn("MarkStep.markStep")(
  function*(
    settings: Settings,
    mark: Mark,
    ending: Ending,
    cwd: string
  ) {
    // A mark does not wait, but what is wrong with the environment is never passed over.
    yield* pollInterval
    const place = yield* locate(settings, cwd)
    const endReplaced = (previous: Run | null) =>
      previous === null ? Effect.void : Effect.flatMap(ending, ({ endReviews }) => endReviews(previous, "Fresh"))
    const { previous, run } = yield* openRun(settings, place, "mark", endReplaced)
    // Once more, for what another step has started in the replaced run meanwhile.
    yield* endReplaced(previous)
    const applied = yield* applyMark(run, mark, settings.ceiling, ending, settings.expectHead !== null)
    return applied satisfies StepResult
  }
)
