// Implement: works through a plan until its tasks are accepted, or nothing but a person can go on.
import { Effect, Fiber } from "effect"
import { refreshDriver } from "../../agent/TaskLog.ts"
import { converge } from "../converge/Converge.ts"
import { type PlanOutcome, planHeader } from "./Outcome.ts"
import type { ImplementSettings } from "./Settings.ts"
import { lineOf, resultsOf } from "./words.ts"
import { header } from "../../run/Outcome.ts"
import type { Plan } from "./file/Plan.ts"
import type { RunRef } from "../../log/Refs.ts"
import { consentEnd, requireConsents } from "../Ends.ts"
import { record } from "../Work.ts"
import { explainFullDisk } from "../../run/FullDisk.ts"
import { withScratchpad } from "../../code/Scratchpad.ts"
import { Git } from "../../code/Git.ts"
import { Drivers } from "../DriverLock.ts"
import { IdentityTimeout } from "../../platform/GitCommand.ts"
import { Narrator } from "../Narrator.ts"
import { PlanFiles } from "./PlanFiles.ts"
import { RunStore } from "../../run/RunStore.ts"
import { type SignalName, Signals } from "../../platform/Process.ts"
import { looked, turned } from "./Cycle.ts"
import { comparable, locatePlan, obstacleOf, openPlan, type PlanPlace } from "./OpenPlan.ts"
import { on, over, planNow, type Turn, unread, wantedPlan, type Working } from "./Driver.ts"

/** What a call comes to: how it ended, its run, and the plan as it is then. */
export interface Implemented {
  readonly outcome: PlanOutcome
  readonly run: RunRef
  readonly working: Working
  readonly plan: Plan
}

/** What a call may say beside its settings. */
export interface ImplementOptions {
  /** Whether a new run is begun instead of going on with the latest. */
  readonly fresh?: boolean
  /** The digest of tests that the repository itself names: a person must allow them; null where a person named them. */
  readonly repositoryTests?: string | null
  /** Is told of the run of the plan, and of the run that converges its code. */
  readonly onRun?: (run: RunRef) => Effect.Effect<void>
}

/** Asks for consent before anything is spent. */
const consented = (working: Working, repositoryTests: string | null) =>
  requireConsents(working.driver, working.settings, working.run.manifest.worktree, repositoryTests).pipe(
    Effect.map((driver) => on({ ...working, driver })),
    Effect.catchTag("ConsentNeeded", (error) => Effect.succeed(over(working, consentEnd(error.message, "implement"))))
  )

const driven = Effect.fnUntraced(function*(first: Turn, signals: Fiber.Fiber<SignalName>) {
  const { say } = yield* Narrator
  let turn = first
  while (turn._tag === "On") {
    const { decision, working } = yield* looked(turn.working)
    yield* say(lineOf(working.driver.state, decision))
    if (decision._tag === "Converge") return { working, outcome: null }
    turn = yield* turned(working, decision, signals)
    yield* Effect.forEach(resultsOf(working.driver.state, turn.working.driver.state), say, { discard: true })
  }
  return { working: turn.working, outcome: turn.outcome }
})

/** Works while this process alone drives the runs of a plan. Null as outcome: what is left is to converge its code. */
const worked = Effect.fnUntraced(
  function*(asked: ImplementSettings, place: PlanPlace, cwd: string, pid: number, options: ImplementOptions) {
    const { fresh = false, onRun = () => Effect.void, repositoryTests = null } = options
    // Signals are heard from here on, whatever is being done.
    const signals = yield* Effect.forkScoped((yield* Signals).asked, { startImmediately: true })
    yield* (yield* PlanFiles).tidy(place.file)
    const opened = yield* openPlan(place, fresh)
    yield* onRun(opened.ref)
    const id = yield* (yield* RunStore).newAttemptId
    const { driven: settings } = asked
    const manifest = { target: settings.step.target, worktree: place.worktree }
    const run = { ref: opened.ref, manifest }
    const { file } = place
    const before: Working = { id, pid, asked, settings, cwd, file, lastRead: yield* unread, run, driver: opened }
    const branch = yield* (yield* Git).branch(place.worktree)
    const working = yield* record(before, [{ _tag: "DriverStarted", driver: id, pid, branch }])
    const obstacle = yield* obstacleOf(asked, manifest, working.driver.state)
    const first = obstacle === null ? yield* consented(working, repositoryTests) : over(working, obstacle)
    return yield* driven(first, signals)
  },
  Effect.scoped
)

/** Converges the code of a plan whose tasks are done, and remembers how that ended. */
const converged = Effect.fnUntraced(function*(working: Working, options: ImplementOptions) {
  const { repositoryTests = null, onRun = () => Effect.void } = options
  // Somebody may have committed meanwhile.
  const obstacle = yield* obstacleOf(working.asked, working.run.manifest, working.driver.state)
  if (obstacle !== null) return { working, outcome: obstacle }
  const isStopped = Effect.map(refreshDriver(working.driver), ({ state }) => state.stopAsked)
  const { outcome, run } = yield* converge(working.settings, working.cwd, { repositoryTests, onRun, isStopped })
  const now = { ...working, driver: yield* refreshDriver(working.driver) }
  const event = { _tag: "PlanConverged", run: run.ref.runId, outcome: header(outcome), head: run.head } as const
  return { working: yield* record(now, [event]), outcome }
})

const left = Effect.fnUntraced(function*(last: Working, outcome: PlanOutcome) {
  const driver = yield* refreshDriver(last.driver)
  const ended = { _tag: "DriverEnded", driver: last.id, outcome: planHeader(outcome) } as const
  const working = yield* record({ ...last, driver }, [ended])
  return { outcome, run: working.run.ref, working, plan: (yield* planNow(working)).plan } satisfies Implemented
})

/** Works through the plan in `file` (an absolute path). */
export const implement = Effect.fn("Implement.implement")(
  function*(asked: ImplementSettings, file: string, cwd: string, options: ImplementOptions = {}) {
    // A plan that cannot be read or worked on is told before anything is written.
    yield* wantedPlan({ asked, file })
    const { stateRoot } = asked.driven.step
    const place = yield* locatePlan(file, stateRoot, cwd)
    yield* comparable(place, asked)
    const opened = Effect.fnUntraced(function*(pid: number) {
      const { outcome, working } = yield* worked(asked, place, cwd, pid, options)
      if (outcome !== null) return yield* left(working, outcome)
      const after = yield* converged(working, options)
      return yield* left(after.working, after.outcome)
    })
    return yield* (yield* Drivers).driving(
      place.target,
      (pid) => explainFullDisk(place.target.root, withScratchpad(place.target, opened(pid)))
    )
  },
  (self, { driven: { step: { identityTimeout } } }) => Effect.provideService(self, IdentityTimeout, identityTimeout)
)

/** Every way in which a call can fail: what is outside of it does not work, and it can be made again. */
export type ImplementFailure = Effect.Error<ReturnType<typeof implement>>
