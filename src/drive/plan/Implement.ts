// Implement: works through a plan until its tasks are accepted, or only a person can go on. Or says what it would do first.
import { Clock, Effect } from "effect"
import { withScratchpad } from "../../code/Scratchpad.ts"
import type { RunRef } from "../../log/Refs.ts"
import { beginning } from "../../log/StreamKind.ts"
import { IdentityTimeout } from "../../platform/GitCommand.ts"
import { RunStore } from "../../run/RunStore.ts"
import { brief, oneLine } from "../../text/Untrusted.ts"
import { inspectConverge } from "../converge/Converge.ts"
import { type DriveOptions, inspected, inspector } from "../Drive.ts"
import { withoutConsent } from "../Ends.ts"
import * as Kernel from "../Kernel.ts"
import { asDriver, begin } from "../Kernel.ts"
import { isTestFix, type WorkTask } from "../Tasks.ts"
import { foresee } from "./Decide.ts"
import { planDrive, type PlanDrive, type PlanDriver, planNow, unread, wantedPlan } from "./Drive.ts"
import { comparable, locatePlan, obstacleOf, openPlan, type PlanPlace, presentPlan } from "./OpenPlan.ts"
import type { PlanOutcome } from "./Outcome.ts"
import { PlanFiles } from "./PlanFiles.ts"
import { endOutcome, policy, viewOf } from "./Round.ts"
import { decideSettings, type ImplementSettings } from "./Settings.ts"
import { begun, planRun } from "./State.ts"
import type { Plan } from "./file/Plan.ts"

/** The result of a call: its outcome, its run, and the plan at its end. */
export interface Implemented {
  readonly outcome: PlanOutcome
  readonly run: RunRef
  readonly drive: PlanDrive
  readonly plan: Plan
}

/** The options of a call beside its settings. */
export type ImplementOptions = DriveOptions

/** The place of a plan's runs. A plan that cannot be read or worked on is refused before anything is written. */
const placeOf = Effect.fnUntraced(function*(asked: ImplementSettings, file: string, cwd: string) {
  yield* wantedPlan({ asked, file })
  const place = yield* locatePlan(file, asked.driven.step.stateRoot, cwd)
  yield* comparable(place, asked)
  return place
})

const withTimeout = <A, E, R>(work: Effect.Effect<A, E, R>, { driven: { step } }: ImplementSettings) =>
  Effect.provideService(work, IdentityTimeout, step.identityTimeout)

/** Works through the plan in `file` (an absolute path). */
export const implement = Effect.fn("Implement.implement")(
  function*(asked: ImplementSettings, file: string, cwd: string, options: ImplementOptions = {}) {
    const place = yield* placeOf(asked, file, cwd)
    const opened = Effect.fnUntraced(function*(pid: number) {
      yield* (yield* PlanFiles).tidy(place.file)
      const found = yield* openPlan(place, options.fresh === true)
      yield* options.onRun?.(found.ref) ?? Effect.void
      const by = { id: yield* (yield* RunStore).newAttemptId, pid, options, lastRead: yield* unread }
      const begun = yield* begin(planDrive(found, place, asked, cwd, by))
      const obstacle = obstacleOf(asked, begun.run.manifest, begun.driver.state)
      const { drive, outcome } = yield* Kernel.drive(policy, begun, obstacle)
      return { outcome, run: drive.run.ref, drive, plan: (yield* planNow(drive)).plan } satisfies Implemented
    })
    return yield* asDriver(place.target, place.worktree, opened)
  },
  withTimeout
)

/** Every way in which a call can fail: something outside of the run does not work, and the call can be repeated. */
export type ImplementFailure = Effect.Error<ReturnType<typeof implement>>

// What the next call that works on a plan would do first, without doing it.

/** What an inspection finds. `run` is null where the next call would begin one. */
export interface PlanInspected {
  readonly outcome: PlanOutcome
  readonly run: RunRef | null
  readonly drive: PlanDrive
  readonly plan: Plan
  /** What the next call would do first, on one line; null where something keeps it from beginning. */
  readonly next: string | null
}

const workText = (task: WorkTask): string => {
  if (task === "implement") return "implements"
  if (task === "test") return "adds tests"
  return isTestFix(task) ? "works on the failing tests" : "works on what the review found"
}

const mostTitles = 10

const nextText = (decision: ReturnType<typeof foresee>): string => {
  switch (decision._tag) {
    case "End":
      return "the call ends at once"
    case "Converge":
      return "the tasks are done, and their code is reviewed up the ladder"
    case "StartRound": {
      const { round, tasks } = decision
      const titles = tasks.slice(0, mostTitles).map(({ index, title }) => `${index} ${brief(title, 60)}`).join(", ")
      const more = tasks.length > mostTitles ? ` and ${tasks.length - mostTitles} more` : ""
      return oneLine(`round ${round} begins with ${titles}${more}`)
    }
    case "Ask":
      return `round ${decision.round}: an agent ${workText(decision.task)}`
    case "Review":
      return `round ${decision.round}: an agent reviews`
    case "Analyse":
      return `round ${decision.round}: an agent checks the review`
    case "Test":
      return `runs ${brief(decision.command, 80)}`
    default:
      return `round ${decision.round}: its work is recorded`
  }
}

const outcomeOf = Effect.fnUntraced(
  function*(drive: PlanDrive, decision: ReturnType<typeof foresee>) {
    switch (decision._tag) {
      case "End":
        return yield* endOutcome(drive, decision.end)
      case "Converge":
        return (yield* inspectConverge(drive.settings, drive.cwd, drive.options)).outcome
      default:
        return { _tag: "WouldAdvance", action: decision._tag } satisfies PlanOutcome
    }
  }
)

const looked = Effect.fnUntraced(
  function*(asked: ImplementSettings, place: PlanPlace, known: PlanDriver | null, cwd: string, options: DriveOptions) {
    const by = { id: inspector.driver, pid: inspector.pid, options }
    const anew: PlanDriver = { kind: planRun, ref: { ...place.target, runId: "" }, state: begun, head: beginning }
    const drive = planDrive(yield* inspected(known ?? anew), place, asked, cwd, by)
    const { driver: { state }, run: { manifest }, settings } = drive
    const { plan } = yield* planNow(drive)
    const seen = { run: known?.ref ?? null, drive, plan }
    const obstacle = (yield* obstacleOf(asked, manifest, state)) ??
      (yield* withoutConsent(state, settings, manifest.worktree, options.repositoryTests ?? null))
    if (obstacle !== null) return { ...seen, outcome: obstacle, next: null } satisfies PlanInspected
    const view = yield* viewOf(drive)
    const decision = foresee(state, view, decideSettings(asked), yield* Clock.currentTimeMillis)
    const outcome = yield* outcomeOf(drive, decision)
    return { ...seen, outcome, next: nextText(decision) } satisfies PlanInspected
  }
)

/** Says what the next call would do first: end, or the next thing of a cycle. Writes nothing. */
export const inspectPlan = Effect.fn("Implement.inspectPlan")(
  function*(asked: ImplementSettings, file: string, cwd: string, options: DriveOptions = {}) {
    const place = yield* placeOf(asked, file, cwd)
    const known = options.fresh === true ? null : yield* presentPlan(place)
    const looking = looked(asked, place, known, cwd, options)
    // Copies of code lie in the store, which an inspection does not create.
    return yield* known === null ? looking : withScratchpad(place.target, looking)
  },
  withTimeout
)
