// Orders: what each agent of a cycle that may write is asked: its prompt, its thread, what it may do.
import { Effect } from "effect"
import type { ResultOrder } from "../../agent/AskForResult.ts"
import { messageOf, redPrompt, taskOrder, threadOf } from "../Kernel.ts"
import { donePart, fixPrompt, implementPrompt, type PromptContext, testPrompt } from "./Prompts.ts"
import { claimed, type PlanState, type RoundState } from "./State.ts"
import type { Plan } from "./file/Plan.ts"
import { isTestFix, lastAgent, lastWorker, planTaskId, type PlanTask, type WorkTask } from "../Tasks.ts"
import { paragraphs } from "../../text/Phrases.ts"
import { PlanFiles } from "./PlanFiles.ts"
import type { PlanDrive } from "./Drive.ts"

// The documents in which repositories say how to work in them.
const conventions = ["AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md", ".github/copilot-instructions.md"]

const saidBy = (state: PlanState, { answered, round }: RoundState, task: PlanTask): string => {
  // The work of a round that a person's fix began was implemented in an earlier one.
  const claim = answered.findLast(({ tasks }) => tasks.length > 0)?.agent
  return messageOf(
    task === "implement" && claim !== undefined
      ? state.agents.agents[claim - 1] ?? null
      : lastAgent(state, round, task)
  )
}

/** What the prompts of a round about these tasks are made of. A task that the plan no longer has is left out. */
export const contextOf = (
  { driver: { state }, file, settings: { protect, tests } }: PlanDrive,
  plan: Plan,
  round: RoundState,
  indexes = claimed(round)
): PromptContext => {
  const all = plan.tasks.map((task, index) => ({ ...task, index }))
  return {
    file,
    plan,
    tasks: indexes.flatMap((index) => all[index] ?? []),
    pending: all.filter(({ done, index }) => !done && !indexes.includes(index)),
    saidBy: (task) => saidBy(state, round, task),
    tests,
    protect
  }
}

/** The whole prompt of a task. A fix of tests that continues a thread needs no more than what is red. */
const wordsOf = Effect.fnUntraced(
  function*(drive: PlanDrive, plan: Plan, round: RoundState, task: WorkTask, thread: string | null, fixes: string) {
    const taskId = planTaskId(round.round, task)
    if (task === "implement") {
      const context = contextOf(drive, plan, round, round.started.tasks.map(({ index }) => index))
      const documents = yield* (yield* PlanFiles).present(drive.run.manifest.worktree, conventions)
      return implementPrompt(context, taskId, documents, round.answered.at(-1)?.problems ?? [])
    }
    const context = contextOf(drive, plan, round)
    if (task === "test") return testPrompt(context, taskId)
    if (!isTestFix(task)) return fixPrompt(context, taskId, fixes)
    const red = yield* redPrompt(drive, round, taskId, thread)
    return thread === null ? paragraphs(testPrompt(context, taskId), red) : red
  }
)

/**
 * The order for an agent of a round that may write. Agents up to `after` have answered the same question before.
 * `fixes` is what a fixer is to do.
 */
export const workOrder = Effect.fn("Orders.workOrder")(
  function*(drive: PlanDrive, plan: Plan, round: RoundState, task: WorkTask, after: number, fixes: string) {
    const thread = isTestFix(task) ? threadOf(lastWorker(drive.driver.state, round.round)) : null
    const prompt = yield* wordsOf(drive, plan, round, task, thread, fixes)
    const taskId = planTaskId(round.round, task)
    const asked = { role: "worker", taskId, round: round.round, prompt, sandbox: "workspace-write" } as const
    const more = task === "implement" ? donePart(round.started.tasks) : ""
    return {
      ...taskOrder(drive, asked, { after, more, thread }),
      mustWork: task === "implement"
    } satisfies ResultOrder
  }
)
