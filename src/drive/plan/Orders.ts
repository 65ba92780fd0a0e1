// Orders: what each agent of a cycle that may write is asked: its prompt, its thread, what it may do.
import { Effect } from "effect"
import type { ResultOrder } from "../../agent/AskForResult.ts"
import type { AgentState } from "../../agent/State.ts"
import { messageOf, orderOf, threadOf } from "../Kernel.ts"
import { finishPrompt, fixTestsPrompt } from "../Prompts.ts"
import type { NamedTask } from "./Event.ts"
import { donePart, fixPrompt, implementPrompt, type PlanContext, type PromptTask, testPrompt } from "./Prompts.ts"
import { claimed, type PlanState, type RoundState } from "./State.ts"
import type { Plan } from "./file/Plan.ts"
import { isTestFix, lastAgent, lastWorker, numberOf, planTaskId, type PlanTask, type WorkTask } from "../Tasks.ts"
import { redTest } from "../TestRuns.ts"
import { paragraphs } from "../../text/Phrases.ts"
import { PlanFiles } from "./PlanFiles.ts"
import type { PlanDrive } from "./Drive.ts"

// The documents in which repositories say how to work in them.
const conventions = ["AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md", ".github/copilot-instructions.md"]

/** The plan for a prompt. */
export const contextOf = (file: string, { details, docs, goal, title }: Plan): PlanContext => ({
  file,
  title,
  goal,
  details,
  docs
})

/** Tasks of a plan for a prompt. A task that the plan has no more is left out. */
export const tasksOf = ({ tasks }: Plan, indexes: ReadonlyArray<number>): ReadonlyArray<PromptTask> =>
  indexes.flatMap((index) => {
    const task = tasks[index]
    return task === undefined ? [] : [{ ...task, index }]
  })

/** The pending tasks that are none of these. */
export const othersOf = ({ tasks }: Plan, indexes: ReadonlyArray<number>): ReadonlyArray<NamedTask> =>
  tasks.flatMap(({ done, title }, index) => done || indexes.includes(index) ? [] : [{ index, title }])

/** What the agent of a task of a round said last. */
export const saidBy = (state: PlanState, { answered, round }: RoundState, task: PlanTask): string => {
  // The work of a round that a person's fix began was implemented in an earlier one.
  const claim = answered.findLast(({ tasks }) => tasks.length > 0)?.agent
  return messageOf(
    task === "implement" && claim !== undefined
      ? state.agents.agents[claim - 1] ?? null
      : lastAgent(state, round, task)
  )
}

/** The whole prompt of a task. A fix of tests that continues a thread needs no more than what is red. */
const wordsOf = Effect.fnUntraced(
  function*(drive: PlanDrive, plan: Plan, round: RoundState, task: WorkTask, thread: string | null, fixes: string) {
    const { driver: { state }, file, settings } = drive
    const { protect, tests } = settings
    const taskId = planTaskId(round.round, task)
    const done = tasksOf(plan, claimed(round))
    const implementer = saidBy(state, round, "implement")
    const shared = { taskId, planFile: file, done, implementer, tests, protect }
    if (task === "implement") {
      const inPlay = round.started.tasks.map(({ index }) => index)
      return implementPrompt({
        taskId,
        plan: contextOf(file, plan),
        tasks: tasksOf(plan, inPlay),
        pending: othersOf(plan, inPlay),
        conventions: yield* (yield* PlanFiles).present(drive.run.manifest.worktree, conventions),
        tests,
        protect,
        problems: round.answered.at(-1)?.problems ?? []
      })
    }
    if (task === "test") return testPrompt(shared)
    if (!isTestFix(task)) return fixPrompt({ ...shared, tester: saidBy(state, round, "test"), instructions: fixes })
    const red = fixTestsPrompt({
      taskId,
      attempt: numberOf(task),
      of: settings.fixAttempts,
      fingerprints: [],
      whole: thread === null,
      timeout: settings.testTimeout,
      ...yield* redTest(drive, round.round)
    })
    return thread === null ? paragraphs(testPrompt(shared), red) : red
  }
)

/** The order after an answer that named gaps: what is left, on that agent's thread if it has one. */
const again = ({ round, started }: RoundState, task: WorkTask, whole: string, last: AgentState) => {
  const thread = threadOf(last)
  const asked = last.judged?.action === "remediate"
    ? paragraphs(
      finishPrompt({ taskId: planTaskId(round, task), issues: messageOf(last), fingerprints: [] }),
      task === "implement" ? donePart(started.tasks) : ""
    )
    : whole
  return { thread, prompt: thread === null && asked !== whole ? paragraphs(whole, asked) : asked }
}

/**
 * The order for an agent of a round that may write. Agents up to `after` have answered the same question before.
 * `fixes` is what a fixer is to do.
 */
export const workOrder = Effect.fn("Orders.workOrder")(
  function*(drive: PlanDrive, plan: Plan, round: RoundState, task: WorkTask, after: number, fixes: string) {
    const { driver: { state } } = drive
    const first = isTestFix(task) ? threadOf(lastWorker(state, round.round)) : null
    const whole = yield* wordsOf(drive, plan, round, task, first, fixes)
    const last = state.agents.agents[after - 1]
    const asked = last === undefined ? { prompt: whole, thread: first } : again(round, task, whole, last)
    const common = orderOf(drive, { role: "worker", taskId: planTaskId(round.round, task), prompt: asked.prompt })
    return {
      ...common,
      task: { ...common.task, sandbox: "workspace-write" },
      after,
      mustWork: task === "implement",
      ...(asked.thread === null ? {} : { thread: asked.thread })
    } satisfies ResultOrder
  }
)
