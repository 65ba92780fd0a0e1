// Converge: drives a run until only a person can go on: steps, rounds, marks, and the end.
import { Effect } from "effect"
import type { EventLog, LogReadError } from "../../log/EventLog.ts"
import { IdentityTimeout } from "../../platform/GitCommand.ts"
import { header, type Outcome } from "../../run/Outcome.ts"
import type { Run } from "../../run/Run.ts"
import { RunStore, TrustStateRoot } from "../../run/RunStore.ts"
import { openToLoop } from "../../step/LoopStep.ts"
import { locate } from "../../step/OpenRun.ts"
import { requireNewTarget } from "../../step/TargetCheck.ts"
import { aborted, type DriveOptions, over } from "../Drive.ts"
import { cannotCommit } from "../Ends.ts"
import * as Kernel from "../Kernel.ts"
import { asDriver, firstTurn, leave, recordingFailure } from "../Kernel.ts"
import { hearingSignals } from "../Stop.ts"
import { unspent } from "../Spending.ts"
import type { ConvergeDrive } from "./Drive.ts"
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

const ended = Effect.fnUntraced(function*(last: ConvergeDrive, outcome: Outcome) {
  const { driver, run } = yield* recordingFailure(last, leave(last, outcome, header(outcome)))
  return { outcome, run, driver } satisfies Converged
})

/** The options of a call beside its settings. */
export interface ConvergeOptions extends DriveOptions {
  /** Whether to treat the code as untrusted, although the settings name no pull request and no trusted commit. */
  readonly untrusted?: boolean
  /** Whether the call should end before it does anything. Checked once `stop` can find the run and its driver. */
  readonly isStopped?: Effect.Effect<boolean, LogReadError, EventLog>
}

/** Drives the run of a target until only a person can go on. */
export const converge = Effect.fn("Converge.converge")(
  function*(settings: ConvergeSettings, cwd: string, options: ConvergeOptions = {}) {
    const { fresh = false, onRun = () => Effect.void, isStopped = Effect.succeed(false), repositoryTests = null } =
      options
    const { target: reviewed, trustFrom } = settings.step
    const place = yield* locate(settings.step, cwd, true)
    const { target } = place
    yield* requireNewTarget(settings.step, place, settings.commitFixes !== null)
    const store = yield* RunStore
    const opened = Effect.fnUntraced(function*(pid: number) {
      const run = yield* openToLoop(settings.step, fresh, place, cwd)
      const id = yield* store.newAttemptId
      const drive = yield* driven({
        call: "converge",
        id,
        pid,
        ...(options.call === undefined ? {} : { line: options.call }),
        again: options.again === true,
        onRun,
        isStopped,
        settings,
        cwd,
        run,
        untrusted: options.untrusted === true || trustFrom !== null || reviewed._tag === "PullRequest",
        assignment: null,
        spent: unspent
      })
      const begun = Effect.gen(function*() {
        if (yield* isStopped) return over(drive, aborted)
        const { state } = drive.driver
        const refused = yield* cannotCommit(settings, run.manifest, state, state.rounds.length === 0)
        return yield* firstTurn(drive, refused, repositoryTests)
      })
      const last = yield* Kernel.drive(policy, yield* recordingFailure(drive, begun))
      return yield* ended(last.drive, last.outcome)
    }, hearingSignals)
    return yield* asDriver(target, opened)
  },
  (self, { step: { identityTimeout, trustStateRoot } }) =>
    self.pipe(
      Effect.provideService(IdentityTimeout, identityTimeout),
      Effect.provideService(TrustStateRoot, trustStateRoot)
    )
)
