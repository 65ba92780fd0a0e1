// Acting: one turn of a driven run: what is decided from what is durable, and done.
import { Clock, Effect, Fiber } from "effect"
import { openDriver, refreshDriver } from "../agents/Driver.ts"
import { atFixedPoint, decide } from "../core/converge/Decide.ts"
import type { Decision } from "../core/converge/Decision.ts"
import { used } from "../core/converge/Progress.ts"
import { lineOf } from "../core/converge/TurnText.ts"
import { header, type Outcome } from "../core/loop/Outcome.ts"
import type { Identity } from "../core/run/Identity.ts"
import { presentIdentity } from "../runs/PresentIdentity.ts"
import { allTokens, spendingOf, unspent } from "../runs/Spending.ts"
import { Narrator } from "../services/Narrator.ts"
import type { SignalName } from "../services/Signals.ts"
import { loopStep } from "../step/LoopStep.ts"
import { askAgent, interrupted, waitOn } from "./Asking.ts"
import { type Driving, on, over } from "./Driving.ts"
import { record } from "../driving/Work.ts"
import { consentEnd } from "../driving/Ends.ts"
import { endOutcome } from "./Ends.ts"
import { type Standing, standingOf } from "./Handoff.ts"
import { showingReviews } from "./Showing.ts"
import { runTest } from "../driving/TestRuns.ts"
import * as Turns from "./Turns.ts"

const unasked: Identity = { _tag: "Unknown", why: "not needed" }

/** What is decided from: all that has been committed so far, and what the worktree holds where a circle may close. */
export const looked = Effect.fnUntraced(function*(before: Driving) {
  const driving = {
    ...before,
    driver: yield* refreshDriver(before.driver),
    spent: yield* spendingOf(before.run.ref, before.spent)
  }
  const { driver: { state }, id, run, standing } = driving
  const content = standing === null && state.rounds.length > 0 ? yield* presentIdentity(run.manifest) : unasked
  const now = yield* Clock.currentTimeMillis
  const view = {
    handoff: standing?.handoff ?? null,
    content,
    driver: id,
    used: used(state, allTokens(driving.spent.spending), now)
  }
  return { driving, decision: decide(state, view, driving.settings) }
})

/** Begins to drive a run. */
export const driven = Effect.fnUntraced(function*(driving: Driving) {
  const driver = yield* openDriver(driving.run.ref)
  yield* driving.onRun(driving.run.ref)
  return yield* record({ ...driving, driver }, [{ _tag: "DriverStarted", driver: driving.id, pid: driving.pid }])
})

/** What is recorded when a driver leaves. */
export const left = ({ id }: Driving, outcome: Outcome) =>
  ({ _tag: "DriverEnded", driver: id, outcome: header(outcome) }) as const

const test = Effect.fnUntraced(function*(
  driving: Driving,
  { command, round, running }: Extract<Decision, { readonly _tag: "Test" }>,
  signals: Fiber.Fiber<SignalName>
) {
  const work = runTest(driving, round, command, running)
  const ended = yield* waitOn(driving, driving.standing, signals, work)
  const turn = yield* interrupted(driving, ended)
  return turn ?? (typeof ended === "string" ? on(driving) : on(ended))
})

/** Tells a fixed point whose tests are green. Else a test runs first, and then another step looks at the code again. */
const green = Effect.fnUntraced(function*(driving: Driving, proven: Outcome, signals: Fiber.Fiber<SignalName>) {
  const { driver: { state }, id: driver, run, settings } = driving
  const content = settings.tests.length === 0 ? unasked : yield* presentIdentity(run.manifest)
  const decision = atFixedPoint(state, { content, driver }, settings)
  if (decision === null) return over(driving, proven)
  yield* (yield* Narrator).say(lineOf(state, decision))
  if (decision._tag === "Test") return yield* test(driving, decision, signals)
  return decision._tag === "End" ? over(driving, yield* endOutcome(driving, decision.end)) : on(driving)
})

/** Calls a step. It may have opened another run than the one that was driven. */
const step = Effect.fnUntraced(function*(driving: Driving, signals: Fiber.Fiber<SignalName>) {
  const { cwd, run: before, settings } = driving
  const asked = Effect.map(refreshDriver(driving.driver), ({ state }) => state.stopAsked)
  const isStopped = Effect.flatMap(asked, (own) => own ? Effect.succeed(true) : driving.isStopped)
  const { outcome, run } = yield* showingReviews(driving, loopStep(settings.step, false, cwd, isStopped))
  if (run === null) return over(driving, outcome)
  const same = run.ref.runId === before.ref.runId
  const after = same ? driving : yield* record(driving, [left(driving, outcome)])
  // Somebody may have asked the driver of the run before to end after the step last looked.
  if (!same && after.driver.state.stopAsked) return over(after, { _tag: "DoneAborted" })
  const now = same ? { ...driving, run } : yield* driven({ ...after, run, spent: unspent })
  if (outcome._tag === "DoneFixedPoint") return yield* green(now, outcome, signals)
  if (outcome._tag !== "HandoffAgent") return over(now, outcome)
  return on({
    ...now,
    standing: yield* standingOf(run, { kind: outcome.action, prompt: outcome.prompt }, settings.step)
  })
})

type Rounds = Exclude<Decision, { readonly _tag: "Step" | "Resume" | "Test" | "Warn" | "End" }>

/** One turn in a round. */
const inRound = Effect.fnUntraced(function*(
  driving: Driving,
  standing: Standing,
  decision: Rounds,
  signals: Fiber.Fiber<SignalName>
) {
  const { round } = decision
  switch (decision._tag) {
    case "StartRound":
      return on(yield* Turns.startRound(driving, standing, round))
    case "Skip":
      return on(yield* Turns.skip(driving, round, decision.because))
    case "Ask":
      return yield* askAgent(driving, standing, round, decision.task, signals)
    case "Answer":
      return on(yield* Turns.answer(driving, standing, round, decision.agent))
    case "Restore":
      return on(yield* Turns.restore(driving, round))
    case "Commit":
      return on(yield* Turns.commitFixes(driving, standing, round, decision.agent))
    case "Conclude":
      return on(yield* Turns.conclude(driving, round, decision.mark))
    case "Mark":
      return on(yield* Turns.mark(driving, round, decision.mark))
    case "Close":
      return on(yield* Turns.close(driving, round, decision.because))
  }
})

const acted = Effect.fnUntraced(function*(driving: Driving, decision: Decision, signals: Fiber.Fiber<SignalName>) {
  switch (decision._tag) {
    case "Step":
      return yield* step(driving, signals)
    case "Test":
      return yield* test(driving, decision, signals)
    case "Resume":
      return on(yield* Turns.resume(driving, decision.round))
    case "Warn": {
      const { budget, limit, used } = decision
      return on(yield* record(driving, [{ _tag: "BudgetWarned", budget, used, limit }]))
    }
    case "End":
      return over(driving, yield* endOutcome(driving, decision.end))
    default: {
      const { standing } = driving
      if (standing === null) return yield* Effect.die(new Error("a round needs a hand-off"))
      return yield* inRound(driving, standing, decision, signals)
    }
  }
})

/** One turn; what needs a person's consent ends the call. */
export const turned = (driving: Driving, decision: Decision, signals: Fiber.Fiber<SignalName>) =>
  acted(driving, decision, signals).pipe(
    Effect.catchTag("ConsentNeeded", (error) => Effect.succeed(over(driving, consentEnd(error.message, "converge")))),
    Effect.catchIf(
      (error) => error._tag === "SnapshotFailed" && error.reason._tag === "Partial",
      (error) => Effect.succeed(over(driving, consentEnd(error.message, "converge")))
    )
  )
