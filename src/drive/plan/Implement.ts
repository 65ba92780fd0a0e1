// Implement: works through a plan until its tasks are accepted, or only a person can go on.
import { Effect } from "effect"
import { refreshDriver } from "../../agent/TaskLog.ts"
import type { RunRef } from "../../log/Refs.ts"
import { IdentityTimeout } from "../../platform/GitCommand.ts"
import { header } from "../../run/Outcome.ts"
import { RunStore } from "../../run/RunStore.ts"
import { type DriveOptions, record } from "../Drive.ts"
import * as Kernel from "../Kernel.ts"
import { asDriver, begin, firstTurn, leave, recordingFailure } from "../Kernel.ts"
import { hearingSignals } from "../Stop.ts"
import { converge } from "../converge/Converge.ts"
import { planDrive, type PlanDrive, planNow, unread, wantedPlan } from "./Drive.ts"
import { comparable, locatePlan, obstacleOf, openPlan, type PlanPlace } from "./OpenPlan.ts"
import { type PlanOutcome, planHeader } from "./Outcome.ts"
import { PlanFiles } from "./PlanFiles.ts"
import { policy } from "./Round.ts"
import type { ImplementSettings } from "./Settings.ts"
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

/** Works on the tasks of a plan. A null outcome: the tasks are done, and the plan's code is to be converged. */
const worked = Effect.fnUntraced(
  function*(asked: ImplementSettings, place: PlanPlace, cwd: string, pid: number, options: ImplementOptions) {
    const { fresh = false, onRun = () => Effect.void, repositoryTests = null } = options
    yield* (yield* PlanFiles).tidy(place.file)
    const opened = yield* openPlan(place, fresh)
    yield* onRun(opened.ref)
    const by = {
      id: yield* (yield* RunStore).newAttemptId,
      pid,
      ...(options.call === undefined ? {} : { line: options.call }),
      again: options.again === true,
      lastRead: yield* unread
    }
    const drive = yield* begin(planDrive(opened, place, asked, cwd, by))
    const begun = Effect.flatMap(
      obstacleOf(asked, drive.run.manifest, drive.driver.state),
      (obstacle) => firstTurn(drive, obstacle, repositoryTests)
    )
    return yield* Kernel.drive(policy, yield* recordingFailure(drive, begun))
  },
  hearingSignals
)

/** Converges the code of a plan whose tasks are done, and remembers how that ended. */
const converged = Effect.fnUntraced(function*(drive: PlanDrive, options: ImplementOptions) {
  const { again = false, fresh = false, repositoryTests = null, onRun = () => Effect.void } = options
  // Another process may have committed meanwhile.
  const obstacle = yield* obstacleOf(drive.asked, drive.run.manifest, drive.driver.state)
  if (obstacle !== null) return { drive, outcome: obstacle }
  const isStopped = Effect.map(refreshDriver(drive.driver), ({ state }) => state.stopAsked)
  const { outcome, run } = yield* converge(drive.settings, drive.cwd, {
    again,
    fresh,
    repositoryTests,
    onRun,
    isStopped
  })
  const now = { ...drive, driver: yield* refreshDriver(drive.driver) }
  const event = { _tag: "PlanConverged", run: run.ref.runId, outcome: header(outcome), head: run.head } as const
  return { drive: yield* record(now, [event]), outcome }
})

const ended = Effect.fnUntraced(function*(last: PlanDrive, outcome: PlanOutcome) {
  const drive = yield* recordingFailure(last, leave(last, outcome, planHeader(outcome)))
  return { outcome, run: drive.run.ref, drive, plan: (yield* planNow(drive)).plan } satisfies Implemented
})

/** Works through the plan in `file` (an absolute path). */
export const implement = Effect.fn("Implement.implement")(
  function*(asked: ImplementSettings, file: string, cwd: string, options: ImplementOptions = {}) {
    // A plan that cannot be read or worked on is refused before anything is written.
    yield* wantedPlan({ asked, file })
    const { stateRoot } = asked.driven.step
    const place = yield* locatePlan(file, stateRoot, cwd)
    yield* comparable(place, asked)
    const opened = Effect.fnUntraced(function*(pid: number) {
      const { drive, outcome } = yield* worked(asked, place, cwd, pid, options)
      if (outcome !== null) return yield* ended(drive, outcome)
      const after = yield* recordingFailure(drive, converged(drive, options))
      return yield* ended(after.drive, after.outcome)
    })
    return yield* asDriver(place.target, opened)
  },
  (self, { driven: { step: { identityTimeout } } }) => Effect.provideService(self, IdentityTimeout, identityTimeout)
)

/** Every way in which a call can fail: something outside of the run does not work, and the call can be repeated. */
export type ImplementFailure = Effect.Error<ReturnType<typeof implement>>
