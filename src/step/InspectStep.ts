// InspectStep: `--inspect`: one look at a run and one decision, acting on nothing.
import { Effect } from "effect"
import type { Settings } from "../run/Settings.ts"
import type { Outcome } from "../run/Outcome.ts"
import { decideNext } from "./Next.ts"
import { observe } from "../review/Observe.ts"
import { foresee } from "../review/Record.ts"
import { locate, openRun } from "./OpenRun.ts"
import type { WorkPlace } from "./RunOfWorktree.ts"
import { isBegun } from "../run/Run.ts"
import { Scratchpad, withScratchpad } from "../code/Scratchpad.ts"
import { IdentityTimeout } from "../platform/GitCommand.ts"
import { pollInterval } from "../review/Limits.ts"
import type { StepResult } from "./StepResult.ts"

const inspected = Effect.fnUntraced(function*(settings: Settings, place: WorkPlace) {
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

/** Says what the next step of a run would do first. A run that does not exist yet is treated as if it did. */
export const inspectStep = Effect.fn("InspectStep.inspectStep")(function*(settings: Settings, cwd: string) {
  // An inspection does not wait, but a wrong value in the environment is an error for it too.
  yield* pollInterval
  const place = yield* locate(settings, cwd)
  const looking = withScratchpad(place.target, inspected(settings, place))
  return yield* Effect.provideService(looking, IdentityTimeout, settings.identityTimeout)
})
