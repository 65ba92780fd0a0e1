// Step: one invocation, from its parsed form to its Outcome: a loop, an inspection or a mark.
//
// A step owns nothing but its waiting: reviewers outlive it, and the log is the state. So every step begins the same
// way. OpenRun finds the run of the worktree and the target, or creates one under the target's lock with the reason
// why.
// - Loop: observe the reviewers, record what has ended, decide (`run/Decide`), act: start reviews, wait, or halt. Each
//   turn commits on condition of the head that it read. If another process was first, the turn is taken again from its
//   log. The same reviews decided twice in a row, or too many turns, end the step as stuck.
// - Inspect takes one turn and acts on nothing: it foresees the same events without committing them.
// - Mark records the answer to a hand-off and the move that follows from it in one line. A strict run accepts a mark
//   only for the batch that it names.
// The file that a prompt names is complete before the prompt is printed, and a mark is durable before its line is.
//
// `program.ts` does the same for the command line, and loads only the module of the action at hand.
import { Effect } from "effect"
import { type Invocation, make } from "../run/Invocation.ts"
import * as Reviewing from "../review/End.ts"
import { Environment, type Variables } from "../platform/Environment.ts"
import type { NoSuchRun } from "../run/Owner.ts"
import { TrustStateRoot } from "../run/RunStore.ts"
import { inspectStep } from "./InspectStep.ts"
import { loopStep } from "./LoopStep.ts"
import { markStep } from "./MarkStep.ts"

export { BadEnvironment } from "../platform/Environment.ts"
export { outcomeOf, type StepResult } from "./StepResult.ts"

/**
 * Runs one invocation in the directory `cwd`. `env` is the whole environment for the step and its reviewers. Failures
 * are typed; see `outcomeOf`. Settings that `Invocation.make` would refuse are refused here too: a defect.
 */
export const step = Effect.fn("Step.step")(function*(invocation: Invocation, cwd: string, env: Variables) {
  const { action, settings } = make(invocation.settings, invocation.action)
  return yield* Effect.gen(function*() {
    switch (action._tag) {
      case "SideEffect":
        return yield* markStep(settings, action, Effect.succeed(Reviewing), cwd)
      case "Inspect":
        return yield* inspectStep(settings, cwd)
      case "Loop":
        return yield* loopStep(settings, action.fresh, cwd)
    }
  }).pipe(Effect.provideService(Environment, env), Effect.provideService(TrustStateRoot, settings.trustStateRoot))
})

/** Every way a step or a stop can fail. */
export type StepFailure = Effect.Error<ReturnType<typeof step>> | NoSuchRun
