// Acting: one turn of a plan run: what is decided from what is durable, and done.
import { Clock, Effect, Fiber } from "effect"
import { askForResult, type AskedResult } from "../agents/AskForResult.ts"
import { refreshDriver } from "../agents/Driver.ts"
import { usageOf } from "../core/agent/AgentsState.ts"
import { drivenUntil } from "../core/driven/Budgets.ts"
import { decide } from "../core/implement/Decide.ts"
import type { Decision, View } from "../core/implement/Decision.ts"
import { inPlay } from "../core/implement/InPlay.ts"
import { decideSettings } from "../core/implement/Settings.ts"
import { presentIdentity } from "../runs/PresentIdentity.ts"
import type { SignalName } from "../services/Signals.ts"
import { agentFailedEnd, consentEnd, gitChangedEnd } from "../driving/Ends.ts"
import { runTest } from "../driving/TestRuns.ts"
import { caughtUp, isSignal, stopWork, waitFor } from "../driving/Waiting.ts"
import { record } from "../driving/Work.ts"
import { asImplement, endOutcome } from "./Ends.ts"
import { workOrder } from "./Orders.ts"
import * as Analyses from "./Analyses.ts"
import * as Reviews from "./Reviews.ts"
import { shown } from "./Showing.ts"
import * as Turns from "./Turns.ts"
import { cycleOf, markedBy, on, over, planNow, type Turn, wantedPlan, type Working } from "./Working.ts"

/** What is decided from beside the log: what the plan and the worktree hold now, and what has been used. */
export const viewOf = Effect.fn("Acting.viewOf")(function*(working: Working) {
  const { asked, driver: { state }, id, run } = working
  const plan = yield* wantedPlan(working)
  const { input, output } = usageOf(state.agents)
  const used = {
    rounds: state.cycles.length,
    time: drivenUntil(state, yield* Clock.currentTimeMillis),
    tokens: input + output
  }
  const content = yield* presentIdentity(run.manifest)
  const done = plan.tasks.flatMap((task, index) => task.done ? [index] : [])
  return { inPlay: inPlay(plan, asked.wanted, markedBy(working)), done, content, used, driver: id } satisfies View
})

/** What is decided from all that has been committed so far. */
export const looked = Effect.fn("Acting.looked")(function*(before: Working) {
  const working: Working = { ...before, driver: yield* refreshDriver(before.driver) }
  const view = yield* viewOf(working)
  return { working, decision: decide(working.driver.state, view, decideSettings(working.asked)) }
})

const aborted = { _tag: "DoneAborted" } as const

/** Waits for work that goes on without this process; a signal ends the call, and a person's signal the work too. */
const following = Effect.fnUntraced(function*<E, R>(
  before: Working,
  signals: Fiber.Fiber<SignalName>,
  work: Effect.Effect<Turn, E, R>
) {
  const ended = yield* waitFor(signals, shown(before, work))
  if (!isSignal(ended)) return ended
  const working = yield* caughtUp(before)
  return over(ended === "SIGINT" ? yield* stopWork(working, "Interrupt") : working, aborted)
})

/** What an agent that may write came to: most of it stands in the log, from which the next decision is made. */
const taken = (working: Working, result: AskedResult): Turn => {
  // A stop is recorded before it ends the agent. If one is recorded, the agent's own end says nothing.
  if (working.driver.state.stopAsked) return on(working)
  switch (result._tag) {
    case "Judged":
      return on(working)
    case "Halted":
      return over(working, agentFailedEnd(asImplement(working), result))
    case "GitStateChanged":
      return over(working, gitChangedEnd(asImplement(working), result.what))
    case "Stopped":
      return over(working, aborted)
  }
}

const work = Effect.fnUntraced(function*(working: Working, { after, cycle, step }: Of<"Work">) {
  const now = yield* cycleOf(working, cycle)
  const { plan } = yield* planNow(working)
  const fixes = step._tag === "Fix" ? yield* Analyses.instructionsFor(working, plan, now, step.round) : ""
  const order = yield* workOrder(working, plan, now, step, after, fixes)
  const { driver, result } = yield* askForResult(working.driver, order)
  return taken({ ...working, driver: yield* refreshDriver(driver) }, result)
})

interface Told {
  readonly working: Working
  readonly unfinished: Reviews.Unfinished | null
}

const read = Effect.fnUntraced(function*({ unfinished, working: before }: Told) {
  if (unfinished === null) return on(before)
  const working = yield* caughtUp(before)
  if (working.driver.state.stopAsked) return on(working)
  return over(working, unfinished._tag === "Stopped" ? aborted : agentFailedEnd(asImplement(working), unfinished))
})

type Of<Tag extends Decision["_tag"]> = Extract<Decision, { readonly _tag: Tag }>

const acted = Effect.fnUntraced(function*(working: Working, decision: Decision) {
  switch (decision._tag) {
    case "Warn": {
      const { budget, limit, used } = decision
      return on(yield* record(working, [{ _tag: "BudgetWarned", budget, used, limit }]))
    }
    case "StartCycle":
      return on(yield* Turns.startCycle(working, decision.cycle, decision.tasks))
    case "Work":
      return yield* work(working, decision)
    case "Take":
      return on(yield* Turns.take(working, decision.cycle, decision.step, decision.agent))
    case "Test":
      return on(yield* runTest(working, decision.cycle, decision.command, decision.running))
    case "Restore":
      return on(yield* Turns.restore(working, decision.cycle))
    case "Review": {
      const cycle = yield* cycleOf(working, decision.cycle)
      return yield* read(yield* Reviews.review(working, (yield* planNow(working)).plan, cycle, decision))
    }
    case "Analyse": {
      const cycle = yield* cycleOf(working, decision.cycle)
      return yield* read(yield* Analyses.analysis(working, (yield* planNow(working)).plan, cycle))
    }
    case "Accept":
      return on(yield* Turns.accept(working, decision.cycle, decision.because))
    case "Mark":
      return on(yield* Turns.mark(working, decision.cycle, decision.tasks))
    case "Commit":
      return on(yield* Turns.commit(working, decision.cycle, decision.agent))
    case "WriteUnresolved":
      return on(yield* Turns.unresolved(working, decision.cycle))
    case "Close":
      return on(yield* Turns.close(working, decision.cycle, decision.because))
    case "Converge":
      return yield* Effect.die(new Error("the plan's code is converged when its cycles are over"))
    case "End":
      return over(working, yield* endOutcome(working, decision.end))
  }
})

/** Whether a decision is about work that goes on without this process, so that a signal may end the waiting for it. */
const isLong = ({ _tag }: Decision): boolean =>
  _tag === "Work" || _tag === "Test" || _tag === "Review" || _tag === "Analyse"

/** Does one turn. Where a person must allow something first, the call ends. */
export const turned = (working: Working, decision: Decision, signals: Fiber.Fiber<SignalName>) => {
  const turn = acted(working, decision)
  return (isLong(decision) ? following(working, signals, turn) : turn).pipe(
    Effect.catchTag("ConsentNeeded", (error) => Effect.succeed(over(working, consentEnd(error.message, "implement")))),
    Effect.catchIf(
      (error) => error._tag === "SnapshotFailed" && error.reason._tag === "Partial",
      (error) => Effect.succeed(over(working, consentEnd(error.message, "implement")))
    )
  )
}
