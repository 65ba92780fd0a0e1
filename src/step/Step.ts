// Step: one invocation from its parsed form to its Outcome: a loop, an inspection or a mark.
// `program.ts` does the same for the command line, and loads only the module of the action at hand.
import { Effect } from "effect"
import { type Invocation, make } from "../run/Invocation.ts"
import * as Reviewing from "../review/End.ts"
import { Environment, type Variables } from "../platform/Environment.ts"
import { TrustStateRoot } from "../run/RunStore.ts"
import { inspectStep } from "./InspectStep.ts"
import { loopStep } from "./LoopStep.ts"
import { markStep } from "./MarkStep.ts"

export { BadEnvironment } from "../platform/Environment.ts"
export { outcomeOf, type StepFailure, type StepResult } from "./StepResult.ts"

/**
 * Runs one invocation in the directory `cwd`. `env` is all the environment there is for the step and its reviewers.
 * Failures are typed; see `outcomeOf`. Settings that `Invocation.make` would refuse are refused here too: a defect.
 */
export const step = Effect.fn("Step.step")(
  function*(invocation: Invocation, cwd: string, _env: Variables) {
    const { action, settings } = make(invocation.settings, invocation.action)
    switch (action._tag) {
      case "SideEffect":
        return yield* markStep(settings, action, Effect.succeed(Reviewing), cwd)
      case "Inspect":
        return yield* inspectStep(settings, cwd)
      case "Loop":
        return yield* loopStep(settings, action.fresh, cwd)
    }
  },
  (self, { settings }, _cwd, env) =>
    self.pipe(
      Effect.provideService(Environment, env),
      Effect.provideService(TrustStateRoot, settings.trustStateRoot)
    )
)
