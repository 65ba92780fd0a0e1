// LoopStep: loop mode: opens the run, loops, and records if a signal ends the step.
// A step that a signal ends leaves no reviewer running that a person meant to stop.
import { Effect, Fiber } from "effect"
import type { Settings } from "../run/Settings.ts"
import type { Event } from "../run/Event.ts"
import { endOpen, endReviews, recordFinished } from "../review/End.ts"
import { loop, type LoopOptions } from "./Loop.ts"
import { explainFullDisk } from "../run/FullDisk.ts"
import { locate, openRun } from "./OpenRun.ts"
import { RunGuard } from "./RunGuard.ts"
import { tidy, tidyOlder } from "../code/PrivateRepository.ts"
import { commit, noteOpened, refresh, type Run, transact } from "../run/Run.ts"
import type { WorkPlace } from "./RunOfWorktree.ts"
import { requireNewTarget, requireTarget } from "./TargetCheck.ts"
import { withScratchpad } from "../code/Scratchpad.ts"
import { IdentityTimeout } from "../platform/GitCommand.ts"
import { Progress } from "../review/Progress.ts"
import { Reviewers } from "../review/Reviewers.ts"
import { eventsHeard, type SignalName, Signals } from "../platform/Process.ts"
import { pollInterval } from "../review/Limits.ts"
import type { StepResult } from "./StepResult.ts"

/** Records that a signal ended the step. A person's signal (SIGINT) ends the reviewers too. */
const abort = Effect.fnUntraced(function*(run: Run, signal: SignalName) {
  const aborted: Event = { _tag: "StepAborted", signal }
  return yield* signal === "SIGINT"
    ? endOpen(yield* recordFinished(run), "Interrupt", [aborted])
    : commit(run, [aborted])
})

/** Loops until there is an outcome or an `asked` signal. */
const looped = Effect.fnUntraced(function*(run: Run, options: LoopOptions, asked: Effect.Effect<SignalName>) {
  const { clear } = yield* Progress
  yield* eventsHeard
  const ended = yield* Effect.ensuring(Effect.raceFirst(asked, loop(run, options)), clear)
  if (typeof ended !== "string") return { line: null, ...ended } satisfies StepResult
  const after = yield* transact(yield* refresh(run), (read) => abort(read, ended))
  return { line: null, outcome: { _tag: "DoneAborted" }, run: after } satisfies StepResult
})

const endReplaced = (previous: Run | null) => previous === null ? Effect.void : endReviews(previous, "Fresh")

/** Opens the run that the settings lead to or, with `fresh`, a new one, and ends the reviewers of one it replaces. */
export const openToLoop = Effect.fn("LoopStep.openToLoop")(
  function*(settings: Settings, fresh: boolean, place: WorkPlace, cwd: string) {
    const findable = Reviewers.use((reviewers) => reviewers.locate(settings.codexBin, cwd))
    // This happens before the run is replaced, so that a step killed in between leaves no reviewer behind.
    const guard = yield* RunGuard
    const ready = (previous: Run | null) =>
      requireTarget(settings, place).pipe(
        Effect.andThen(findable),
        Effect.andThen(previous === null ? Effect.void : guard(previous, fresh ? "Fresh" : "Replace")),
        Effect.andThen(endReplaced(previous))
      )
    const { previous, run } = yield* openRun(settings, place, fresh ? "fresh" : "loop", ready)
    if (previous === null) yield* guard(run, "Resume")
    yield* noteOpened(run)
    // Once more, because another step may have started reviewers in the replaced run meanwhile.
    yield* endReplaced(previous)
    yield* Effect.andThen(tidyOlder(run), tidy(run))
    return run
  }
)

const stepAt = Effect.fnUntraced(
  function*(settings: Settings, fresh: boolean, place: WorkPlace, options: LoopOptions) {
    // Signals are handled from here on, so that one that arrives while the run is opened also ends the step in order.
    const asked = yield* Effect.forkScoped((yield* Signals).asked, { startImmediately: true })
    const run = yield* openToLoop(settings, fresh, place, options.cwd)
    return yield* Effect.ensuring(looped(run, options, Fiber.join(asked)), tidy(run))
  },
  Effect.scoped,
  (self, { identityTimeout }) => Effect.provideService(self, IdentityTimeout, identityTimeout)
)

const unasked: LoopOptions["isStopped"] = Effect.succeed(false)

/**
 * Loop mode, on the run of the settings or, with `fresh`, on a new one. `isStopped`: whether the caller was asked to
 * end, so that reviewers which the step has just started end too.
 */
export const loopStep = Effect.fn("LoopStep.loopStep")(
  function*(settings: Settings, fresh: boolean, cwd: string, isStopped = unasked) {
    const options = { settings, cwd, pollInterval: yield* pollInterval, isStopped }
    const place = yield* locate(settings, cwd)
    const { target } = place
    yield* Effect.provideService(requireNewTarget(settings, place), IdentityTimeout, settings.identityTimeout)
    return yield* explainFullDisk(target.root, withScratchpad(target, stepAt(settings, fresh, place, options)))
  }
)
