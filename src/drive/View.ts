// View: a live view, gathered from the logs.
import { Effect, Schedule } from "effect"
import { tokensOf } from "../agent/PromptBudget.ts"
import { type AgentState, underWay, usageOf } from "../agent/State.ts"
import { agentActivity } from "../agent/stream/Activity.ts"
import type { RunRef } from "../log/Refs.ts"
import { Progress, type WorkRow } from "../review/Progress.ts"
import type { Level } from "../run/Level.ts"
import { narrowSpan } from "../text/Phrases.ts"
import { activityOf, terminalLine } from "../text/ProgramOutput.ts"
import { drivenUntil, type Limits } from "./Budgets.ts"
import type { DriverSeen } from "./DriverWatch.ts"
import { headingOf, type LiveView } from "./LiveView.ts"
import { allTokens, type Spent } from "./Spending.ts"
import type { DrivenState, TestState } from "./State.ts"
import { used } from "./converge/Progress.ts"
import type { PlanState } from "./plan/State.ts"
import { fixesOf } from "./plan/Steps.ts"

// Where a driven run stands now and what its driver has under way, gathered for a person who watches.
// Only the logs and the ends of files are read: nobody is asked whether a process lives.

const sinceThen = (now: number, then: number | null | undefined): number => Math.max(0, now - (then ?? now))

const agentWork = Effect.fnUntraced(
  function*(run: RunRef, { since }: DriverSeen<unknown>, { agent, standing, started }: AgentState, now: number) {
    const { attempt, id, kind, taskId } = started
    const task = terminalLine(taskId.slice(taskId.indexOf("/") + 1))
    const elapsed = sinceThen(now, since.get(agent))
    const name = `agent ${agent}`
    if (standing._tag === "Waiting") {
      const activity = `${task}: tries again in ${narrowSpan(Math.max(0, standing.until - now))}`
      return { name, state: "waiting", elapsed, activity, silentFor: null } satisfies WorkRow
    }
    const { at, end } = yield* (yield* Progress).printed({ run, agent, attempt, id, kind })
    const activity = `${task}: ${agentActivity(kind, end) || "begins"}`
    const silentFor = at === null ? null : sinceThen(now, at)
    return { name, state: "running", elapsed, activity, silentFor } satisfies WorkRow
  }
)

const testWork = Effect.fnUntraced(
  function*(
    run: RunRef,
    { testsSince }: DriverSeen<unknown>,
    { started: { command, id, test } }: TestState,
    now: number
  ) {
    const { at, end } = yield* (yield* Progress).printed({ run, test, id })
    const said = activityOf(end)
    return {
      name: `test ${test}`,
      state: "running",
      elapsed: sinceThen(now, testsSince.get(test)),
      activity: said === "" ? terminalLine(command) : `${terminalLine(command)}: ${said}`,
      silentFor: at === null ? null : sinceThen(now, at)
    } satisfies WorkRow
  }
)

/** What only the driver of a run knows. */
interface DriverKnows {
  readonly ceiling: Level | null
  readonly limits: Limits
}

/** What only the driver of a plan's run knows: how many tasks the plan has that are not done. */
interface PlanDriverKnows {
  readonly pending: number | null
  readonly limits: Limits
}

/** What anybody else knows of it. */
export const unknown: DriverKnows & PlanDriverKnows = {
  ceiling: null,
  pending: null,
  limits: { maxRounds: null, maxTime: null, maxTokens: null }
}

/** What a driver has under way: its agents, then its tests. */
const workOf = Effect.fnUntraced(
  function*(run: RunRef, state: DrivenState, driver: DriverSeen<unknown>, now: number) {
    const agents = yield* Effect.forEach(underWay(state.agents), (one) => agentWork(run, driver, one, now))
    const running = state.tests.filter(({ standing }) => standing._tag === "Running")
    return [...agents, ...yield* Effect.forEach(running, (one) => testWork(run, driver, one, now))]
  }
)

/** Where a driven run stands, as its logs tell; null where they tell of no driver. */
export const gatherView = Effect.fn("View.gatherView")(
  function*(run: RunRef, { driver, log, spending }: Spent, { ceiling, limits }: DriverKnows, now: number) {
    const walked = log?.walked.state ?? null
    const state = driver?.walked.state ?? null
    if (driver === null || walked === null || state === null) return null
    const last = state.rounds.at(-1)
    return {
      place: {
        _tag: "OnLadder",
        floor: walked.run.start_level,
        level: walked.run.current_level,
        ceiling,
        batch: walked.run.batch_number,
        round: last === undefined
          ? null
          : { number: last.started.round, open: last.closed === null, findings: last.started.findings.length }
      },
      used: used(state, allTokens(spending), now),
      limits,
      byAgents: tokensOf(spending.agents),
      work: yield* workOf(run, state, driver, now)
    } satisfies LiveView
  }
)

/** The same of the run of a plan, whose log is that of its driver. */
export const gatherPlanView = Effect.fn("View.gatherPlanView")(
  function*(run: RunRef, driver: DriverSeen<PlanState> | null, { limits, pending }: PlanDriverKnows, now: number) {
    const state = driver?.walked.state ?? null
    if (driver === null || state === null) return null
    const last = state.cycles.at(-1)
    const tokens = tokensOf(usageOf(state.agents))
    return {
      place: {
        _tag: "InPlan",
        plan: terminalLine(state.started.plan.slice(state.started.plan.lastIndexOf("/") + 1)),
        cycle: last === undefined
          ? null
          : {
            number: last.started.cycle,
            open: last.closed === null,
            round: fixesOf(state, last.started.cycle),
            tasks: last.started.tasks
          },
        pending,
        done: state.cycles.reduce((sum, { marked }) => sum + (marked?.tasks.length ?? 0), 0)
      },
      used: { rounds: state.cycles.length, time: drivenUntil(state, now), tokens },
      limits,
      byAgents: tokens,
      work: yield* workOf(run, state, driver, now)
    } satisfies LiveView
  }
)

// What a driven run does, shown to a person who watches, once a second while its driver waits.
// If nobody watches, nothing is gathered.

// Milliseconds between two frames.
const showEvery = 1000

/** Works while a person sees what `looking` finds, which is looked at anew for each frame. */
export const shownWhile = Effect.fn("View.shownWhile")(
  function*<A, E, R, R2>(looking: Effect.Effect<LiveView | null, never, R2>, work: Effect.Effect<A, E, R>) {
    const { clear, on, show } = yield* Progress
    if (!on) return yield* work
    const showing = Effect.flatMap(looking, (view) => show([], view === null ? undefined : headingOf(view))).pipe(
      Effect.repeat(Schedule.spaced(showEvery)),
      Effect.andThen(Effect.never)
    )
    return yield* Effect.ensuring(Effect.raceFirst(work, showing), clear)
  }
)
