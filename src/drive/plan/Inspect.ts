// Inspect: what the next call that works on a plan would do first, without doing it.
import { Clock, Effect } from "effect"
import { inspectConverge } from "../converge/Inspect.ts"
import { foresee } from "./Decide.ts"
import type { PlanOutcome } from "./Outcome.ts"
import { begun, planRun } from "./State.ts"
import { decideSettings, type ImplementSettings } from "./Settings.ts"
import { beginning } from "../../log/StreamKind.ts"
import type { Plan } from "./file/Plan.ts"
import type { RunRef } from "../../log/Refs.ts"
import { withoutConsent } from "../Ends.ts"
import { isTestFix, type WorkTask } from "../Tasks.ts"
import { brief, oneLine } from "../../text/Untrusted.ts"
import { withScratchpad } from "../../code/Scratchpad.ts"
import { IdentityTimeout } from "../../platform/GitCommand.ts"
import { endOutcome, viewOf } from "./Round.ts"
import { type DriveOptions, inspected, inspector } from "../Drive.ts"
import { comparable, locatePlan, obstacleOf, type PlanPlace, presentPlan } from "./OpenPlan.ts"
import { planDrive, type PlanDrive, planNow, type PlanDriver, wantedPlan } from "./Drive.ts"

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
  function*(
    asked: ImplementSettings,
    place: PlanPlace,
    known: PlanDriver | null,
    cwd: string,
    options: DriveOptions
  ) {
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
export const inspectPlan = Effect.fn("Inspect.inspectPlan")(
  function*(asked: ImplementSettings, file: string, cwd: string, options: DriveOptions = {}) {
    const { fresh = false } = options
    yield* wantedPlan({ asked, file })
    const { stateRoot } = asked.driven.step
    const place = yield* locatePlan(file, stateRoot, cwd)
    yield* comparable(place, asked)
    const known = fresh ? null : yield* presentPlan(place)
    const looking = looked(asked, place, known, cwd, options)
    // Copies of code lie in the store, which an inspection does not create.
    return yield* known === null ? looking : withScratchpad(place.target, looking)
  },
  (self, { driven: { step: { identityTimeout } } }) => Effect.provideService(self, IdentityTimeout, identityTimeout)
)
