// Inspect: what the next turn of a driven run would be, without doing it.
import { Clock, Effect } from "effect"
import { type ConvergeDriver, readConverge, begun, convergeRun, evolveConverge } from "./State.ts"
import { decide } from "./Decide.ts"
import { used } from "./Progress.ts"
import type { ConvergeSettings } from "./Settings.ts"
import { beginning } from "../../log/StreamKind.ts"
import { cannotCommit, withoutConsent } from "../Ends.ts"
import { isBegun, type Run } from "../../run/Run.ts"
import { presentIdentity } from "../../code/PresentIdentity.ts"
import { spendingOf } from "../Spending.ts"
import { IdentityTimeout } from "../../platform/GitCommand.ts"
import { TrustStateRoot } from "../../run/RunStore.ts"
import { inspectStep } from "../../step/InspectStep.ts"
import type { StepResult } from "../../step/StepResult.ts"
import type { ConvergeOptions } from "./Converge.ts"
import { endOutcome } from "./Round.ts"

const nobody = "inspection"

const known = (run: Run) =>
  isBegun(run)
    ? Effect.catchTag(readConverge(run.ref), ["LogMissing", "NoSuchRun"], () => Effect.succeed(null))
    : Effect.succeed(null)

/** The stream of a run's driver as one that takes the run now would find it. */
const takenNow = Effect.fnUntraced(function*(run: Run) {
  const { ref } = run
  const driver: ConvergeDriver = (yield* known(run)) ??
    { kind: convergeRun, ref, state: begun(ref.runId), head: beginning }
  // A run's time passes only while somebody drives it: after a driver was killed, none of it is used up.
  const started = { _tag: "DriverStarted", driver: nobody, pid: 1 } as const
  return { ...driver, state: evolveConverge(driver.state, started, yield* Clock.currentTimeMillis) }
})

/** How a driver would end before the next step: it may not begin, goes in a circle, or is out of budget; else null. */
const wouldEnd = Effect.fnUntraced(function*(settings: ConvergeSettings, run: Run, repositoryTests: string | null) {
  const driver = yield* takenNow(run)
  const { state } = driver
  const against = (yield* cannotCommit(settings, run.manifest, state, state.rounds.length === 0)) ??
    (yield* withoutConsent("converge", state, settings, run.manifest.worktree, repositoryTests))
  if (against !== null || !isBegun(run)) return against
  const { spending: { agents, reviews } } = yield* spendingOf(run.ref)
  const tokens = agents.input + agents.output + reviews.input + reviews.output
  const view = {
    handoff: null,
    content: yield* presentIdentity(run.manifest),
    used: used(state, tokens, yield* Clock.currentTimeMillis),
    driver: nobody
  }
  const decision = decide(state, view, settings)
  if (decision._tag !== "End") return null
  return yield* endOutcome({ call: "converge", driver, settings }, decision.end)
})

/** Says what the next call would do first: end, review, or begin a round about a hand-off. */
export const inspectConverge = Effect.fn("Inspect.inspectConverge")(
  function*(settings: ConvergeSettings, cwd: string, { repositoryTests = null }: ConvergeOptions = {}) {
    const inspected = yield* inspectStep(settings.step, cwd)
    const { run } = inspected
    const outcome = (run === null ? null : yield* wouldEnd(settings, run, repositoryTests)) ?? inspected.outcome
    return outcome._tag === "HandoffAgent"
      ? { ...inspected, outcome: { _tag: "WouldAdvance", action: outcome.action } } satisfies StepResult
      : { ...inspected, outcome } satisfies StepResult
  },
  (self, { step: { identityTimeout, trustStateRoot } }) =>
    self.pipe(
      Effect.provideService(IdentityTimeout, identityTimeout),
      Effect.provideService(TrustStateRoot, trustStateRoot)
    )
)
