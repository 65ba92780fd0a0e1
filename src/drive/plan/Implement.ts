// Implement: works through a plan until its tasks are accepted, or only a person can go on.
import { Effect } from "effect"
import type { RunRef } from "../../log/Refs.ts"
import { IdentityTimeout } from "../../platform/GitCommand.ts"
import { RunStore } from "../../run/RunStore.ts"
import type { DriveOptions } from "../Drive.ts"
import * as Kernel from "../Kernel.ts"
import { asDriver, begin } from "../Kernel.ts"
import { planDrive, type PlanDrive, planNow, unread, wantedPlan } from "./Drive.ts"
import { comparable, locatePlan, obstacleOf, openPlan } from "./OpenPlan.ts"
import type { PlanOutcome } from "./Outcome.ts"
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

/** Works through the plan in `file` (an absolute path). */
export const implement = Effect.fn("Implement.implement")(
  function*(asked: ImplementSettings, file: string, cwd: string, options: ImplementOptions = {}) {
    // A plan that cannot be read or worked on is refused before anything is written.
    yield* wantedPlan({ asked, file })
    const { stateRoot } = asked.driven.step
    const place = yield* locatePlan(file, stateRoot, cwd)
    yield* comparable(place, asked)
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
    return yield* asDriver(place.target, opened)
  },
  (self, { driven: { step: { identityTimeout } } }) => Effect.provideService(self, IdentityTimeout, identityTimeout)
)

/** Every way in which a call can fail: something outside of the run does not work, and the call can be repeated. */
export type ImplementFailure = Effect.Error<ReturnType<typeof implement>>
