// MarkStep: side-effect mode: opens the run, or a new one where it has to, and applies the mark to it.
import { Effect } from "effect"
import type { Settings } from "../core/loop/Settings.ts"
import type { Action } from "../core/loop/Invocation.ts"
import { tellingWhatFills } from "../runs/FullDisk.ts"
import { locate, openNamed, openRun } from "../runs/OpenRun.ts"
import { tidy } from "../runs/PrivateRepository.ts"
import { noteOpened, type Run } from "../runs/Run.ts"
import type { Located } from "../runs/RunOfWorktree.ts"
import { withScratchpad } from "../runs/WithScratchpad.ts"
import { IdentityTimeout } from "../services/Git.ts"
import { applyMark, type Ending } from "./ApplyMark.ts"
import { pollInterval } from "./PollInterval.ts"
import type { StepResult } from "./StepResult.ts"

type SideEffect = Extract<Action, { readonly _tag: "SideEffect" }>

/** The run that a mark is for: the present one. Only a mark of failed tests is for the run that it names. */
const markedRun = Effect.fnUntraced(function*(
  settings: Settings,
  action: SideEffect,
  ending: Ending,
  place: Located
) {
  const { answers, mark } = action
  const named = mark._tag === "AddressFailed" && answers !== undefined ? answers.run : null
  if (named !== null) return yield* openNamed(settings, place, named)
  const endReplaced = (previous: Run | null) =>
    previous === null ? Effect.void : Effect.flatMap(ending, ({ endReviews }) => endReviews(previous, "Fresh"))
  const { previous, run } = yield* openRun(settings, place, "mark", endReplaced)
  yield* noteOpened(run)
  // Once more, because another step may have started reviewers in the replaced run meanwhile.
  yield* endReplaced(previous)
  return run
})

const marked = Effect.fnUntraced(function*(settings: Settings, action: SideEffect, ending: Ending, place: Located) {
  const run = yield* markedRun(settings, action, ending, place)
  const { block, ceiling, expectHead, retries, trustFrom } = settings
  const { answers, driver, mark } = action
  const marking = { mark, answers, driver, ceiling, retries, block, trustFrom }
  const applied = yield* applyMark(run, marking, ending, expectHead !== null)
  yield* tidy(applied.run)
  return applied satisfies StepResult
})

/** Applies a side-effect flag to the run that the settings lead to. */
export const markStep = Effect.fn("MarkStep.markStep")(
  function*(settings: Settings, action: SideEffect, ending: Ending, cwd: string) {
    // A mark does not wait, but a wrong value in the environment is an error for it too.
    yield* pollInterval
    const place = yield* locate(settings, cwd)
    const { target } = place
    return yield* tellingWhatFills(target.root, withScratchpad(target, marked(settings, action, ending, place)))
  },
  (self, { identityTimeout }) => Effect.provideService(self, IdentityTimeout, identityTimeout)
)
