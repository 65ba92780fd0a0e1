// PlanRun: the audit of a plan run.
import { Effect } from "effect"
import { isLogEvent } from "../../log/StreamKind.ts"
import type { WalkedLine } from "../../log/Walk.ts"
import type { PlanEvent, PlanEventOf } from "../../drive/plan/Event.ts"
import { claimed, planRun, type PlanState, type RoundState } from "../../drive/plan/State.ts"
import { lastWorker, planTaskId, type PlanTask } from "../../drive/Tasks.ts"
import { sameContent } from "../../run/Identity.ts"
import { type Found, found, type LogAuditor } from "../LogReader.ts"

// The checks on the log of a plan run: nothing is accepted or marked without its grounds.

/** Why a cycle could not be accepted, or null if its reviews justify it. */
const unreviewed = ({ analysed, reviews }: RoundState, because: "Acceptable" | "OutOfScope"): string | null => {
  const last = reviews.at(-1)
  if (because === "Acceptable") {
    return last?.verdict === "ACCEPTABLE" ? null : "the cycle is accepted, but its last review is not ACCEPTABLE"
  }
  return last !== undefined && last.round === 0 && analysed?.needsFixes === false
    ? null
    : "the cycle is accepted as out of scope, but no analysis says so of its last review"
}

/** A test of the cycle that did not pass after the last agent that wrote, or null. */
const untested = (state: PlanState, cycle: number): string | null => {
  const agents = lastWorker(state, cycle)?.agent ?? 0
  const runs = state.tests.filter(({ started }) => started.round === cycle)
  const green = new Set(
    runs.flatMap(({ agents: before, standing, started }) =>
      before >= agents && standing._tag === "Finished" && standing.finished.exit === 0 ? [started.command] : []
    )
  )
  const red = runs.find(({ started }) => !green.has(started.command))
  return red === undefined ? null : `the cycle is accepted, but its test ${red.started.test} was not green at last`
}

/** Why the tasks of an accepted cycle could not be marked, or null if the accepted code is the reviewed code. */
const unseen = (state: PlanState, { accepted, reviews, round }: RoundState): string | null => {
  const last = reviews.at(-1)
  if (accepted === null || last === undefined) return null
  if ((lastWorker(state, round)?.agent ?? 0) > last.agent) {
    return "tasks are marked, but an agent worked after the review"
  }
  return sameContent(last.content, accepted.content) === "Different"
    ? "tasks are marked, but other code was reviewed than accepted"
    : null
}

/** An agent that was not asked for the step that it is named for, or null. */
const notAsked = (state: PlanState, agent: number, cycle: number, task: PlanTask): string | null =>
  state.agents.agents[agent - 1]?.started.taskId === planTaskId(cycle, task)
    ? null
    : `agent ${agent} is named for ${planTaskId(cycle, task)}, but was not asked for it`

/** A review must be recorded with the verdict of its judged answer, and no review twice. */
const notSaid = (state: PlanState, { agent, cycle, round, verdict }: PlanEventOf<"CodeReviewed">): string | null => {
  if ((state.rounds[cycle - 1]?.reviews ?? []).some((one) => one.agent === agent)) {
    return `the review of agent ${agent} is recorded twice`
  }
  return (state.agents.agents[agent - 1]?.judged?.action === "accept") === (verdict === "ACCEPTABLE")
    ? notAsked(state, agent, cycle, `review-${round}`)
    : `the review of agent ${agent} is recorded as ${verdict}, but its answer was judged otherwise`
}

const notTaken = (state: PlanState, agent: number): string | null =>
  state.agents.agents[agent - 1]?.judged?.action === "accept"
    ? null
    : `the work of agent ${agent} is taken, but its result was not accepted`

const sameTasks = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean =>
  a.length === b.length && a.every((task) => b.includes(task))

/** What is wrong with an event after the events before it. */
const problems = (state: PlanState, event: PlanEvent): ReadonlyArray<string | null> => {
  const cycleOf = (cycle: number) => state.rounds[cycle - 1] ?? null
  switch (event._tag) {
    case "WorkTaken":
      return [notTaken(state, event.agent)]
    case "CodeReviewed":
      return [notSaid(state, event)]
    case "ReviewAnalysed":
      return [notAsked(state, event.agent, event.cycle, "analysis")]
    case "CycleAccepted": {
      const cycle = cycleOf(event.cycle)
      if (cycle === null) return ["a cycle is accepted that never began"]
      return [unreviewed(cycle, event.because), untested(state, event.cycle)]
    }
    case "TasksMarked": {
      const cycle = cycleOf(event.cycle)
      if (cycle === null || cycle.accepted === null) return ["tasks are marked whose cycle was not accepted"]
      return [
        sameTasks(claimed(cycle), event.tasks) ? null : "tasks are marked that no agent claimed to have done",
        unseen(state, cycle)
      ]
    }
    default:
      return []
  }
}

const ofLine = ({ happenings, line }: WalkedLine<PlanEvent, PlanState>): ReadonlyArray<Found> =>
  happenings.flatMap(({ before, event }) =>
    event === null || isLogEvent(event) || before.state === null
      ? []
      : problems(before.state, event).flatMap((problem) =>
        problem === null ? [] : [found("transition", line.seq, problem)]
      )
  )

/** A run that converged the code of a plan, and the line that says so. */
export interface Converged {
  readonly line: number
  readonly event: PlanEventOf<"PlanConverged">
}

/** The knowledge of a plan run: how many reviews there were, and which run converged its code. */
export interface KnownPlan {
  readonly reviews: number
  readonly converged: ReadonlyArray<Converged>
}

const convergedIn = ({ happenings, line }: WalkedLine<PlanEvent, PlanState>): ReadonlyArray<Converged> =>
  happenings.flatMap(({ event }) => event?._tag === "PlanConverged" ? [{ line: line.seq, event }] : [])

/** The auditor of plan runs. */
export const planAuditor: LogAuditor<PlanEvent, PlanState, KnownPlan, Found, never, never> = {
  kind: planRun,
  begin: { reviews: 0, converged: [] },
  examine: ({ converged, reviews }, lines) => {
    const more = lines.flatMap(({ happenings }) => happenings).filter(({ event }) => event?._tag === "CodeReviewed")
    const known = { reviews: reviews + more.length, converged: [...converged, ...lines.flatMap(convergedIn)] }
    return Effect.succeed({ known, words: lines.flatMap(ofLine) })
  },
  ended: () => Effect.succeed([])
}
