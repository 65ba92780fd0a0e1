// Converge: drives a run until only a person can go on: steps, rounds, marks, and the end. Or says what it would do first.
import { Clock, Effect } from "effect"
import { presentIdentity } from "../../code/PresentIdentity.ts"
import { beginning } from "../../log/StreamKind.ts"
import type { Outcome } from "../../run/Outcome.ts"
import { isBegun, type Run } from "../../run/Run.ts"
import { RunStore } from "../../run/RunStore.ts"
import { inspectStep } from "../../step/InspectStep.ts"
import { openToLoop } from "../../step/LoopStep.ts"
import { locate } from "../../step/OpenRun.ts"
import { RunGuard } from "../../step/RunGuard.ts"
import type { StepResult } from "../../step/StepResult.ts"
import { requireNewTarget } from "../../step/TargetCheck.ts"
import { brief } from "../../text/Untrusted.ts"
import { used } from "../Budgets.ts"
import { aborted, type DriveOptions, inspected, inspector } from "../Drive.ts"
import { cannotCommit, movedBaseEnd, withoutConsent } from "../Ends.ts"
import * as Kernel from "../Kernel.ts"
import { asDriver } from "../Kernel.ts"
import { guarded, movedBase } from "../Held.ts"
import { allTokens, spendingOf, unspent } from "../Spending.ts"
import { answerEvents, decide } from "./Decide.ts"
import { type ConvergeOptions, withStepSettings } from "./Drive.ts"
import { driven, endOutcome, policy } from "./Round.ts"
import type { ConvergeSettings } from "./Settings.ts"
import { begun, type ConvergeDriver, convergeRun, evolveConverge, readConverge } from "./State.ts"

/** The result of a call of `converge`: its outcome, the run that it drove last, and that run's driver. */
export interface Converged {
  readonly outcome: Outcome
  readonly run: Run
  readonly driver: ConvergeDriver
}

/** Every way in which a call can fail: something outside of the run does not work, and the call can be repeated. */
export type ConvergeFailure = Effect.Error<ReturnType<typeof converge>>

/** Drives the run of a target until only a person can go on. */
export const converge = Effect.fn("Converge.converge")(
  function*(settings: ConvergeSettings, cwd: string, options: ConvergeOptions = {}) {
    const { target: reviewed, trustFrom } = settings.step
    const place = yield* locate(settings.step, cwd, true)
    yield* requireNewTarget(settings.step, place, settings.commitFixes !== null)
    const store = yield* RunStore
    const carried: Array<string> = []
    const opened = Effect.fnUntraced(function*(pid: number) {
      const run = yield* openToLoop(settings.step, options.fresh === true, place, cwd)
      const id = yield* store.newAttemptId
      const begun = yield* driven({
        call: "converge",
        id,
        pid,
        options: { ...options, carried },
        settings,
        cwd,
        run,
        untrusted: options.untrusted === true || trustFrom !== null || reviewed._tag === "PullRequest",
        assignment: null,
        spent: unspent
      })
      const { state } = begun.driver
      const obstacle = Effect.gen(function*() {
        if (yield* options.isStopped ?? Effect.succeed(false)) return aborted
        return yield* cannotCommit(settings, run.manifest, state, state.rounds.length === 0)
      })
      const { drive, outcome } = yield* Kernel.drive(policy, begun, obstacle)
      return { outcome, run: drive.run, driver: drive.driver } satisfies Converged
    })
    const held = yield* guarded(settings.allow, carried)
    return yield* asDriver(
      place.target,
      place.repository.root,
      (pid) => Effect.provideService(opened(pid), RunGuard, held)
    )
  },
  withStepSettings
)

// What the next turn of a driven run would be, without doing it.

/** What an inspection says. `next` is what the call would do before its next step; null for nothing. */
export interface ConvergeInspected extends StepResult {
  readonly next: string | null
}

/** The stream of a run's driver as one that takes the run now would find it. */
const takenNow = Effect.fnUntraced(function*(run: Run) {
  const driver = isBegun(run)
    ? yield* Effect.catchTag(readConverge(run.ref), ["LogMissing", "NoSuchRun"], () => Effect.succeed(null))
    : null
  return yield* inspected(driver ?? { kind: convergeRun, ref: run.ref, state: begun, head: beginning })
})

/** How a call would end before its next step, and what it would do first: each null for nothing. */
interface Before {
  readonly end: Outcome | null
  readonly next: string | null
}

const endsIn = (end: Outcome | null): Before => ({ end, next: null })

const before = Effect.fnUntraced(function*(
  settings: ConvergeSettings,
  run: Run,
  { again = false, repositoryTests = null }: DriveOptions
) {
  const driver = yield* takenNow(run)
  const { state } = driver
  const against = (yield* cannotCommit(settings, run.manifest, state, state.rounds.length === 0)) ??
    (yield* withoutConsent(state, settings, run.manifest.worktree, repositoryTests))
  if (against !== null || !isBegun(run)) return endsIn(against)
  const moved = settings.allow.includes("moved-base") ? null : yield* movedBase(state, run.ref, run.manifest)
  if (moved !== null) return endsIn(movedBaseEnd(moved))
  const { spending } = yield* spendingOf(run.ref)
  const view = {
    handoff: null,
    content: yield* presentIdentity(run.manifest),
    used: used(state, allTokens(spending), yield* Clock.currentTimeMillis),
    driver: inspector.driver,
    again
  }
  const first = decide(state, view, settings)
  // A fix answers the batch, and then reviewers look at it.
  if (first._tag === "TakeAnswer" && first.answer === "Fixed") {
    return endsIn({ _tag: "WouldAdvance", action: "RunReviews" })
  }
  const at = yield* Clock.currentTimeMillis
  const decision = first._tag === "TakeAnswer"
    ? decide(
      answerEvents(state, first.answer, view.content).reduce((now, event) => evolveConverge(now, event, at), state),
      view,
      settings
    )
    : first
  if (decision._tag === "End") return endsIn(endOutcome(state, decision.end))
  if (decision._tag !== "Test") return endsIn(null)
  return { end: null, next: `runs ${brief(decision.command, 80)} first, since the code changed` } satisfies Before
})

/** Says what the next call would do first: end, review, or begin a round about a hand-off. */
export const inspectConverge = Effect.fn("Converge.inspectConverge")(
  function*(settings: ConvergeSettings, cwd: string, options: DriveOptions = {}) {
    const result = yield* inspectStep(settings.step, cwd)
    const { run } = result
    const { end, next } = run === null ? endsIn(null) : yield* before(settings, run, options)
    const last = end ?? result.outcome
    const outcome: Outcome = last._tag === "HandoffAgent"
      ? { _tag: "WouldAdvance", action: last.action }
      : last
    return { ...result, next, outcome } satisfies ConvergeInspected
  },
  withStepSettings
)
