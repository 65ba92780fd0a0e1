// Converge: drives a run until only a person can go on: steps, rounds, marks, and the end.
import { Effect } from "effect"
import type { Outcome } from "../../run/Outcome.ts"
import type { Run } from "../../run/Run.ts"
import { RunStore } from "../../run/RunStore.ts"
import { openToLoop } from "../../step/LoopStep.ts"
import { locate } from "../../step/OpenRun.ts"
import { requireNewTarget } from "../../step/TargetCheck.ts"
import { aborted } from "../Drive.ts"
import { cannotCommit } from "../Ends.ts"
import * as Kernel from "../Kernel.ts"
import { asDriver } from "../Kernel.ts"
import { unspent } from "../Spending.ts"
import { type ConvergeOptions, withStepSettings } from "./Drive.ts"
import { driven, policy } from "./Round.ts"
import type { ConvergeSettings } from "./Settings.ts"
import type { ConvergeDriver } from "./State.ts"

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
    const opened = Effect.fnUntraced(function*(pid: number) {
      const run = yield* openToLoop(settings.step, options.fresh === true, place, cwd)
      const id = yield* store.newAttemptId
      const begun = yield* driven({
        call: "converge",
        id,
        pid,
        options,
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
    return yield* asDriver(place.target, opened)
  },
  withStepSettings
)
