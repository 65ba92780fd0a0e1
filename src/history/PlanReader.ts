// PlanReader: how the log of a plan run is shown: its cycles, its agents, what was reviewed and what was accepted.
import type { PlanEvent } from "../core/implement/Event.ts"
import { planRun, type PlanState } from "../core/implement/PlanRun.ts"
import { identityText } from "../core/run/Identity.ts"
import { counted } from "../core/text/Phrases.ts"
import { oneLine } from "../core/text/Text.ts"
import { longText, quoted } from "./Describe.ts"
import { agentChanges, describeDriven } from "./DescribeDriven.ts"
import type { LogReader } from "./LogReader.ts"

const tasksText = (tasks: ReadonlyArray<number>): string =>
  tasks.length === 0 ? "no task" : `${tasks.length === 1 ? "task" : "tasks"} ${tasks.join(", ")}`

/** What an event says beside its name. */
const describe = (e: PlanEvent): string => {
  switch (e._tag) {
    case "PlanStarted":
      return `${oneLine(e.plan)} in ${oneLine(e.worktree)}`
    case "CycleStarted":
      return `cycle ${e.cycle}: ${e.tasks.map(({ index, title }) => `${index} ${quoted(title)}`).join(", ")}, ` +
        identityText(e.content)
    case "WorkTaken":
      return `cycle ${e.cycle}, agent ${e.agent}: claims ${tasksText(e.tasks)}` +
        e.problems.map((problem) => `; ${quoted(problem)}`).join("") +
        e.protectedFiles.map((file) => `; changed ${quoted(file)}`).join("")
    case "CodeReviewed":
      return `cycle ${e.cycle}, review ${e.round} by agent ${e.agent}: ${e.verdict}, ` +
        `${counted(e.issues.length, "issue")}, ${identityText(e.content)}, ${longText(e.review)}` +
        e.problems.map((problem) => `; ${quoted(problem)}`).join("")
    case "ReviewAnalysed":
      return `cycle ${e.cycle}, agent ${e.agent}: ${e.needsFixes ? "needs fixes" : "needs no fixes"}, ` +
        `${counted(e.dropped.length, "issue")} dropped, ${longText(e.instructions)}` +
        e.dropped.map(({ issue, quote, task }) => `; ${quoted(issue)} belongs to task ${task}: ${quoted(quote)}`)
          .join("") +
        e.problems.map((problem) => `; ${quoted(problem)}`).join("")
    case "CycleAccepted":
      return `cycle ${e.cycle} (${e.because}), ${identityText(e.content)}`
    case "TasksMarked":
      return `cycle ${e.cycle}: ${tasksText(e.tasks)}`
    case "UnresolvedWritten":
      return `cycle ${e.cycle}`
    case "CycleClosed":
      return `cycle ${e.cycle} (${e.because})`
    case "PlanConverged":
      return `run ${oneLine(e.run)}: ${quoted(e.outcome)}`
    default:
      return describeDriven(e)
  }
}

export const planReader: LogReader<PlanEvent, PlanState, string | null> = {
  kind: planRun,
  stateName: "state of the plan run",
  describe,
  changes: ({ after, before }) => agentChanges(before.state, after.state),
  valueText: (value) => value ?? "none"
}
