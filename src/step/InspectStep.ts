// InspectStep: `--inspect`: one look at a run and one decision, acting on nothing.
import { Effect } from "effect"
import type { Settings } from "../core/loop/Settings.ts"
import type { Outcome } from "../core/loop/Outcome.ts"
import { decideNext } from "../ooda/DecideNext.ts"
import { observe } from "../ooda/Observe.ts"
import { foresee } from "../ooda/Record.ts"
import { locate, openRun } from "../runs/OpenRun.ts"
import type { Located } from "../runs/RunOfWorktree.ts"
import { isBegun } from "../runs/Run.ts"
import { withScratchpad } from "../runs/WithScratchpad.ts"
import { IdentityTimeout } from "../services/Git.ts"
import { Scratchpad } from "../services/Scratchpad.ts"
import { pollInterval } from "./PollInterval.ts"
import type { StepResult } from "./StepResult.ts"

const inspected = Effect.fnUntraced(function*(settings: Settings, place: Located) {
  const { run } = yield* openRun(settings, place, "inspect", () => Effect.void)
  const looking = Effect.gen(function*() {
    const foreseen = yield* foresee(run, yield* observe(run, false), settings)
    return yield* decideNext(foreseen, run.head.seq, settings)
  })
  // Copies of code lie in the store, which an inspection does not create.
  const { decision } = yield* isBegun(run) ? looking : Effect.provideService(looking, Scratchpad, null)
  const outcome: Outcome = decision._tag === "Halt"
    ? decision.outcome
    : { _tag: "WouldAdvance", action: decision._tag }
  return { line: null, outcome, run } satisfies StepResult
})

/** Says what the next step of a run would do first. A run that does not exist yet is looked at as if it did. */
export const inspectStep = Effect.fn("InspectStep.inspectStep")(function*(settings: Settings, cwd: string) {
  // An inspection does not wait, but a wrong value in the environment is an error for it too.
  yield* pollInterval
  const place = yield* locate(settings, cwd)
  const looking = withScratchpad(place.target, inspected(settings, place))
  return yield* Effect.provideService(looking, IdentityTimeout, settings.identityTimeout)
})
