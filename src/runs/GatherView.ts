// GatherView: where a driven run stands now and what its driver has under way, gathered for a person who watches.
// Only the logs and the ends of files are read: nobody is asked whether a process lives.
import { Effect } from "effect"
import { agentActivity } from "../core/agent/AgentActivity.ts"
import { type AgentState, underWay, usageOf } from "../core/agent/AgentsState.ts"
import { tokensOf } from "../core/agent/Budget.ts"
import { used } from "../core/converge/Progress.ts"
import { drivenUntil, type Limits } from "../core/driven/Budgets.ts"
import type { DrivenState, TestState } from "../core/driven/DrivenState.ts"
import type { LiveView } from "../core/driven/LiveView.ts"
import type { PlanState } from "../core/implement/PlanRun.ts"
import { fixesOf } from "../core/implement/Steps.ts"
import type { Working } from "../core/loop/Row.ts"
import type { Level } from "../core/run/Level.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { activityOf, onTerminal } from "../core/text/Activity.ts"
import { narrowSpan } from "../core/text/Phrases.ts"
import { Progress } from "../services/Progress.ts"
import type { DriverSeen } from "./DriverSeen.ts"
import { allTokens, type Spent } from "./Spending.ts"

const sinceThen = (now: number, then: number | null | undefined): number => Math.max(0, now - (then ?? now))

const agentWork = Effect.fnUntraced(
  function*(run: RunRef, { since }: DriverSeen<unknown>, { agent, standing, started }: AgentState, now: number) {
    const { attempt, id, kind, taskId } = started
    const task = onTerminal(taskId.slice(taskId.indexOf("/") + 1))
    const elapsed = sinceThen(now, since.get(agent))
    const name = `agent ${agent}`
    if (standing._tag === "Waiting") {
      const activity = `${task}: tries again in ${narrowSpan(Math.max(0, standing.until - now))}`
      return { name, state: "waiting", elapsed, activity, silentFor: null } satisfies Working
    }
    const { at, end } = yield* (yield* Progress).printed({ run, agent, attempt, id, kind })
    const activity = `${task}: ${agentActivity(kind, end) || "begins"}`
    const silentFor = at === null ? null : sinceThen(now, at)
    return { name, state: "running", elapsed, activity, silentFor } satisfies Working
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
      activity: said === "" ? onTerminal(command) : `${onTerminal(command)}: ${said}`,
      silentFor: at === null ? null : sinceThen(now, at)
    } satisfies Working
  }
)

/** What only the driver of a run knows. */
export interface DriverKnows {
  readonly ceiling: Level | null
  readonly limits: Limits
}

/** What only the driver of a plan's run knows: how many tasks the plan has that are not done. */
export interface PlanDriverKnows {
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
export const gatherView = Effect.fn("GatherView.gatherView")(
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
export const gatherPlanView = Effect.fn("GatherView.gatherPlanView")(
  function*(run: RunRef, driver: DriverSeen<PlanState> | null, { limits, pending }: PlanDriverKnows, now: number) {
    const state = driver?.walked.state ?? null
    if (driver === null || state === null) return null
    const last = state.cycles.at(-1)
    const tokens = tokensOf(usageOf(state.agents))
    return {
      place: {
        _tag: "InPlan",
        plan: onTerminal(state.started.plan.slice(state.started.plan.lastIndexOf("/") + 1)),
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
