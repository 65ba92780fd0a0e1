// PlanSummary: where a plan run stands, in one token for programs and a few words for people.
import { Effect, Stream } from "effect"
import { usageOf } from "../core/agent/AgentsState.ts"
import type { PlanEvent } from "../core/implement/Event.ts"
import { planRun, type PlanState } from "../core/implement/PlanRun.ts"
import { beginning, type Head } from "../core/log/Head.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { noUsage } from "../core/run/Usage.ts"
import { counted } from "../core/text/Phrases.ts"
import { brief } from "../core/text/Untrusted.ts"
import { spent } from "../runs/Spending.ts"
import { walkLog, type WalkStep } from "../runs/WalkLog.ts"
import { recovered } from "../services/Note.ts"
import { RunStore } from "../services/RunStore.ts"
import type { Standing } from "./Standing.ts"
import type { Summary } from "./Summary.ts"
import { unreadable } from "./Unread.ts"

/** Where a plan run stands: what its cycles have marked as done, and what its last driver ended in. */
export const planStanding = ({ cycles, drivers }: PlanState): Standing => {
  const done = cycles.reduce((sum, { marked }) => sum + (marked?.tasks.length ?? 0), 0)
  const cycle = cycles.findLast(({ closed }) => closed === null)?.started.cycle
  const where = `${counted(done, "task")} done${cycle === undefined ? "" : `, in cycle ${cycle}`}`
  const outcome = drivers.at(-1)?.outcome ?? null
  return outcome === null
    ? { kind: "PlanUnderWay", text: `${where}, not ended` }
    : {
      kind: outcome.startsWith("Done") && outcome !== "DoneAborted" ? "PlanDone" : "PlanLeft",
      text: `${where}, ${brief(outcome, 80)}`
    }
}

interface PlanSeen {
  state: PlanState | null
  head: Head
  created: string | null
  updated: string | null
}

const seenPlan = (seen: PlanSeen, step: WalkStep<PlanEvent, PlanState>): void => {
  if (step._tag === "End") return
  const { after, line } = step
  seen.state = after.state ?? seen.state
  seen.head = { seq: line.seq, hash: line.hash }
  seen.created ??= line.at
  seen.updated = line.at
}

/** Reads a plan run in a few figures. Its reviews are those of its cycles, and there are no levels. */
export const summarisePlan = Effect.fn("PlanSummary.summarisePlan")(function*(stored: RunRef) {
  const { runPlaces } = yield* RunStore
  const seen: PlanSeen = { state: null, head: beginning, created: null, updated: null }
  const failure = yield* walkLog(planRun, stored).pipe(
    Stream.runForEachArray((steps) => Effect.sync(() => steps.forEach((step) => seenPlan(seen, step)))),
    Effect.tapError(recovered("the run is listed as unreadable")),
    Effect.match({ onFailure: (error) => error, onSuccess: () => null })
  )
  const { created, head, state, updated } = seen
  return {
    run: stored.runId,
    repo: stored.repoId,
    target: stored.targetKey,
    worktree: state?.started.worktree ?? null,
    directory: runPlaces(stored).directory,
    floor: null,
    level: null,
    batch: null,
    batches: state?.cycles.length ?? 0,
    reviews: state?.cycles.reduce((sum, { reviews }) => sum + reviews.length, 0) ?? 0,
    failures: 0,
    created,
    updated,
    milliseconds: created === null || updated === null ? null : Math.max(0, Date.parse(updated) - Date.parse(created)),
    head,
    standing: failure !== null
      ? unreadable(failure)
      : state === null
      ? { kind: "Empty", text: "empty: no line" }
      : planStanding(state),
    opened: null,
    ...spent({ reviews: noUsage, agents: state === null ? noUsage : usageOf(state.agents) })
  } satisfies Summary
})
