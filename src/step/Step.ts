// Step: one invocation from its parsed form to its Outcome: open the run, then loop mode, inspection or a mark.
// The one rule: every failure ends in exactly one Outcome; a tag without a place in the table does not compile.
import { Effect, Fiber, Result, Schema } from "effect"
import type { Invocation } from "../core/loop/Invocation.ts"
import type { Outcome } from "../core/loop/Outcome.ts"
import { leave } from "../ooda/Leave.ts"
import { apply } from "./ApplyMark.ts"
import { locate, openRun } from "../runs/OpenRun.ts"
import type { Run } from "../runs/Run.ts"
import { Environment, variable, type Variables } from "../services/Environment.ts"
import { Reviewers } from "../services/Reviewers.ts"
import { Signals } from "../services/Signals.ts"
import { pollInterval, stepOptions } from "./StepOptions.ts"

/** A setting of the environment is unusable. */
export class BadEnvironment extends Schema.TaggedError<BadEnvironment>()("BadEnvironment", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** What an invocation ends in: the stdout line of a mark, the outcome, and the run where one was opened. */
export interface StepResult {
  readonly line: string | null
  readonly outcome: Outcome
  readonly run: Run | null
}

// What hangs on the loop is a large part of the program, and a mark needs none of it.
const looping = Effect.promise(() => import("./StepLoop.ts"))

/**
 * Runs one invocation in the directory `cwd`. `env` is all the environment there is for the step and its reviewers.
 * Failures are typed; see `outcomeOf`.
 */
export const step = Effect.fn("Step.step")(
  function*(invocation: Invocation, cwd: string, _env: Variables) {
    const { action, settings } = invocation
    const interval = pollInterval(yield* variable("OODA_AWAIT_SECS"))
    if (Result.isFailure(interval)) return yield* new BadEnvironment({ reason: interval.failure })
    const place = yield* locate(settings, cwd)
    const options = stepOptions(settings, cwd, interval.success)
    switch (action._tag) {
      case "SideEffect": {
        const { previous, run } = yield* openRun(settings, place, "mark", leave)
        yield* leave(previous)
        return yield* apply(run, action.mark, settings.ceiling, settings.expectHead !== null)
      }
      case "Inspect": {
        const { inspect } = yield* looping
        const { run } = yield* openRun(settings, place, "inspect", () => Effect.void)
        return { line: null, outcome: yield* inspect(run, options), run } satisfies StepResult
      }
      case "Loop": {
        // From the start, so that a signal that comes while the run is opened ends the step in order too.
        const asked = yield* Effect.forkScoped((yield* Signals).asked, { startImmediately: true })
        const { runLoop } = yield* looping
        const findable = Reviewers.use((codex) => codex.locate(settings.codexBin, cwd))
        const ready = (previous: Run | null) => Effect.andThen(findable, leave(previous))
        const { previous, run } = yield* openRun(settings, place, action.fresh ? "fresh" : "loop", ready)
        yield* leave(previous)
        return { line: null, ...(yield* runLoop(run, options, Fiber.join(asked))) } satisfies StepResult
      }
    }
  },
  Effect.scoped,
  (self, _invocation, _cwd, env) => Effect.provideService(self, Environment, env)
)

/** Every way a step can fail. */
export type StepFailure = Effect.Error<ReturnType<typeof step>>

/** All failures of a step are caught external failures: BinaryError. The table names each, so none is forgotten. */
const failureOutcomes = {
  BadEnvironment: "BinaryError",
  GitFailed: "BinaryError",
  GitHubFailed: "BinaryError",
  StoreFailed: "BinaryError",
  LogMissing: "BinaryError",
  LogDamaged: "BinaryError",
  LogRewound: "BinaryError",
  LogTooNew: "BinaryError",
  LogUnavailable: "BinaryError",
  LogConflict: "BinaryError",
  HeadMoved: "BinaryError",
  CodexMissing: "BinaryError",
  ReviewerFault: "BinaryError",
  ReviewFilesFailed: "BinaryError",
  TargetRefused: "BinaryError"
} as const satisfies Record<StepFailure["_tag"], Outcome["_tag"]>

/** The outcome of a failed step. */
export const outcomeOf = (failure: StepFailure): Outcome => ({
  _tag: failureOutcomes[failure._tag],
  message: failure.message
})
