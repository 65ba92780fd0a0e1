// Converge: drives a run until nothing but a person can go on: steps, rounds, marks, and the end.
// Every turn is decided from what is durable, so that any later call goes on where a killed one ended.
import { Effect, Fiber } from "effect"
import { refreshDriver } from "../../agent/TaskLog.ts"
import { type ConvergeDriver, openDriver } from "./State.ts"
import type { ConvergeSettings } from "./Settings.ts"
import { lineOf } from "./words.ts"
import { testLines } from "../Tests.ts"
import type { Outcome } from "../../run/Outcome.ts"
import type { RunRef } from "../../log/Refs.ts"
import { explainFullDisk } from "../../run/FullDisk.ts"
import { locate } from "../../step/OpenRun.ts"
import type { Run } from "../../run/Run.ts"
import { unspent } from "../Spending.ts"
import { Git } from "../../code/Git.ts"
import { withScratchpad } from "../../code/Scratchpad.ts"
import { Drivers } from "../DriverLock.ts"
import type { EventLog, LogReadError } from "../../log/EventLog.ts"
import { IdentityTimeout } from "../../platform/GitCommand.ts"
import { Narrator } from "../Narrator.ts"
import { RunStore, TrustStateRoot } from "../../run/RunStore.ts"
import { type SignalName, Signals } from "../../platform/Process.ts"
import { openToLoop } from "../../step/LoopStep.ts"
import { driven, left, looked, turned } from "./Round.ts"
import { type Driving, on, over, type Turn, worktreeOf } from "./Driver.ts"
import { cannotCommit, consentEnd, requireConsents } from "../Ends.ts"
import { record } from "../Work.ts"

/** What a call of `converge` comes to: its outcome, the run that it drove last, and what was done for that run. */
export interface Converged {
  readonly outcome: Outcome
  readonly run: Run
  readonly driver: ConvergeDriver
}

/** Every way in which driving a run can fail: what is outside of it does not work, and a call can be made again. */
export type ConvergeFailure = Effect.Error<ReturnType<typeof converge>>

const ended = Effect.fnUntraced(function*(last: Driving, outcome: Outcome) {
  const now = { ...last, driver: yield* refreshDriver(last.driver) }
  const { driver, run } = yield* record(now, [left(last, outcome)])
  return { outcome, run, driver } satisfies Converged
})

const driving = Effect.fnUntraced(function*(first: Turn, signals: Fiber.Fiber<SignalName>) {
  const { say } = yield* Narrator
  let turn = first
  while (turn._tag === "On") {
    const { decision, driving } = yield* looked(turn.driving)
    yield* say(lineOf(driving.driver.state, decision))
    turn = yield* turned(driving, decision, signals)
    const { driver, run: { ref } } = turn.driving
    // Another run has tests of its own.
    const ended = ref.runId === driving.run.ref.runId ? testLines(driving.driver.state, driver.state) : []
    yield* Effect.forEach(ended, say, { discard: true })
  }
  return yield* ended(turn.driving, turn.outcome)
})

/** What a call may say beside its settings. */
export interface ConvergeOptions {
  /** Whether a new run is begun instead of going on with the latest. */
  readonly fresh?: boolean
  /** The digest of tests that the repository itself names: a person must allow them; null where a person named them. */
  readonly repositoryTests?: string | null
  /** Whether the code may be somebody else's, although the settings name no pull request and no trusted commit. */
  readonly untrusted?: boolean
  /** Is told of the run that is driven, and of each further one that takes its place. */
  readonly onRun?: (run: RunRef) => Effect.Effect<void>
  /** Whether the call is to end before it does anything. It is asked once a `stop` can find the run and its driver. */
  readonly isStopped?: Effect.Effect<boolean, LogReadError, EventLog>
}

/** Asks for consent before anything is spent. */
const consented = (first: Driving, repositoryTests: string | null) =>
  requireConsents(first.driver, first.settings, worktreeOf(first), repositoryTests).pipe(
    Effect.map((driver) => on({ ...first, driver })),
    Effect.catchTag("ConsentNeeded", (error) => Effect.succeed(over(first, consentEnd(error.message, "converge"))))
  )

/** Drives the run of a target until nothing but a person can go on. */
export const converge = Effect.fn("Converge.converge")(
  function*(settings: ConvergeSettings, cwd: string, options: ConvergeOptions = {}) {
    const { fresh = false, onRun = () => Effect.void, isStopped = Effect.succeed(false), repositoryTests = null } =
      options
    const { target: reviewed, trustFrom } = settings.step
    const place = yield* locate(settings.step, cwd)
    const { target } = place
    const store = yield* RunStore
    const opened = Effect.fnUntraced(function*(pid: number) {
      // Signals are heard from here on, whatever is being done.
      const signals = yield* Effect.forkScoped((yield* Signals).asked, { startImmediately: true })
      const run = yield* openToLoop(settings.step, fresh, place, cwd)
      const id = yield* store.newAttemptId
      const driver = yield* openDriver(run.ref)
      const untrusted = options.untrusted === true || trustFrom !== null || reviewed._tag === "PullRequest"
      const branch = yield* (yield* Git).branch(run.manifest.worktree)
      const from = { id, pid, branch, onRun, isStopped, settings, cwd, place, run, untrusted, driver }
      const first = yield* driven({ ...from, standing: null, spent: unspent })
      if (yield* isStopped) return yield* ended(first, { _tag: "DoneAborted" })
      const refused = yield* cannotCommit(settings, run.manifest, first.driver.state, driver.state.rounds.length === 0)
      return yield* driving(
        refused === null ? yield* consented(first, repositoryTests) : over(first, refused),
        signals
      )
    }, Effect.scoped)
    return yield* (yield* Drivers).driving(
      target,
      (pid) => explainFullDisk(target.root, withScratchpad(target, opened(pid)))
    )
  },
  (self, { step: { identityTimeout, trustStateRoot } }) =>
    self.pipe(
      Effect.provideService(IdentityTimeout, identityTimeout),
      Effect.provideService(TrustStateRoot, trustStateRoot)
    )
)
