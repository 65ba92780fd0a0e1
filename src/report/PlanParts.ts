// PlanParts: what a report tells of a plan run beside its outcome: its tasks, its cycles, its log.
import { Effect } from "effect"
import { cycleParts, taskParts } from "../core/report/CycleParts.ts"
import type { Fact } from "../core/report/ReportData.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { planRun } from "../core/implement/PlanRun.ts"
import { planReader } from "../history/PlanReader.ts"
import { fold } from "../core/log/Walk.ts"
import { NoSuchRun } from "../runs/NoSuchRun.ts"
import { EventLog } from "../services/EventLog.ts"
import { changedByAgents, printedByTests } from "./Artifacts.ts"
import { readEvents, timesSeen } from "./Events.ts"

/** Gathers them. Fails where the log cannot be read. */
export const planParts = Effect.fn("PlanParts.planParts")(function*(run: RunRef) {
  const { commits } = yield* (yield* EventLog).read(planRun, run)
  const state = fold(planRun, commits)
  if (state === null) return yield* new NoSuchRun({ reason: { _tag: "NotBegun", runId: run.runId } })
  const times = timesSeen()
  const converged: Array<Fact> = []
  const events = yield* readEvents(planReader, run, (happening) => {
    times.seen(happening)
    const { event } = happening
    if (event?._tag !== "PlanConverged") return
    converged.push({ name: "Converged", value: `by run ${event.run}: ${event.outcome}` })
  })
  const records = {
    agents: times.agents,
    tests: times.tests,
    printed: yield* printedByTests(run, state),
    diffs: yield* changedByAgents(run, state.started.worktree, state)
  }
  return {
    title: `Work on ${state.started.plan.slice(state.started.plan.lastIndexOf("/") + 1)}`,
    more: [{ name: "Plan file", value: state.started.plan }, ...converged],
    path: null,
    findings: null,
    tasks: taskParts(state),
    turns: cycleParts(state, records),
    logs: [events]
  }
})
