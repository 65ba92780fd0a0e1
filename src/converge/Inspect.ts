// Inspect: what the next turn of a driven run would be, without doing it.
import { Clock, Effect } from "effect"
import { readConverge } from "../agents/Driver.ts"
import { decide } from "../core/converge/Decide.ts"
import { used } from "../core/converge/Progress.ts"
import type { ConvergeSettings } from "../core/converge/Settings.ts"
import { isBegun } from "../runs/Run.ts"
import { presentIdentity } from "../runs/PresentIdentity.ts"
import { spendingOf } from "../runs/Spending.ts"
import { TrustStateRoot } from "../services/RunStore.ts"
import { inspectStep } from "../step/InspectStep.ts"
import type { StepResult } from "../step/StepResult.ts"
import { endOutcome, type Ending } from "./Ends.ts"

/** Why a driver would end before the next step: the run goes in a circle, or a budget is used up; else null. */
const wouldEnd = Effect.fnUntraced(function*(settings: ConvergeSettings, { run }: StepResult) {
  if (run === null || !isBegun(run)) return null
  const driver = yield* readConverge(run.ref).pipe(
    Effect.catchTag(["LogMissing", "NoSuchRun"], () => Effect.succeed(null))
  )
  if (driver === null) return null
  const { spending: { agents, reviews } } = yield* spendingOf(run.ref)
  const tokens = agents.input + agents.output + reviews.input + reviews.output
  const view = {
    handoff: null,
    content: yield* presentIdentity(run.manifest),
    used: used(driver.state, tokens, yield* Clock.currentTimeMillis),
    driver: ""
  }
  const decision = decide({ ...driver.state, stopAsked: false }, view, settings)
  if (decision._tag !== "End") return null
  return yield* endOutcome({ driver, settings } satisfies Ending, decision.end)
})

/** Says what the next call would do first: end, review, or begin a round about a hand-off. */
export const inspectConverge = Effect.fn("Inspect.inspectConverge")(
  function*(settings: ConvergeSettings, cwd: string) {
    const inspected = yield* inspectStep(settings.step, cwd)
    const outcome = (yield* wouldEnd(settings, inspected)) ?? inspected.outcome
    return outcome._tag === "HandoffAgent"
      ? { ...inspected, outcome: { _tag: "WouldAdvance", action: outcome.action } } satisfies StepResult
      : { ...inspected, outcome } satisfies StepResult
  },
  (self, { step: { trustStateRoot } }) => Effect.provideService(self, TrustStateRoot, trustStateRoot)
)
