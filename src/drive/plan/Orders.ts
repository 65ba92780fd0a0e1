// Orders: what each agent of a cycle that may write is asked: its prompt, its thread, what it may do.
import { Effect } from "effect"
import type { ResultOrder } from "../../agent/AskForResult.ts"
import type { AgentState } from "../../agent/State.ts"
import { messageOf, orderOf, threadOf } from "../Kernel.ts"
import { finishPrompt, fixTestsPrompt } from "../Prompts.ts"
import type { NamedTask } from "./Event.ts"
import { donePart, fixPrompt, implementPrompt, type PlanContext, type PromptTask, testPrompt } from "./Prompts.ts"
import { claimed, type CycleState } from "./State.ts"
import { lastOfStep, lastWorker, type Step, stepIdOf, type WorkStep } from "./Steps.ts"
import type { Plan } from "./file/Plan.ts"
import { redTest } from "../TestRuns.ts"
import { paragraphs } from "../../text/Phrases.ts"
import { PlanFiles } from "./PlanFiles.ts"
import type { PlanDrive } from "./Drive.ts"

// The documents in which repositories tell agents how to work.
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

const mendWords = Effect.fnUntraced(function*(drive: PlanDrive, cycle: number, mend: number, whole: boolean) {
  const { settings } = drive
  return fixTestsPrompt({
    taskId: stepIdOf(cycle, { _tag: "Mend", mend }),
    attempt: mend,
    of: settings.fixAttempts,
    fingerprints: [],
    whole,
    timeout: settings.testTimeout,
    ...yield* redTest(drive, cycle)
  })
})

/** The whole prompt of a step. A mending that continues a thread needs no more than what is red. */
const wordsOf = Effect.fnUntraced(
  function*(drive: PlanDrive, plan: Plan, cycle: CycleState, step: WorkStep, thread: string | null, fixes: string) {
    const { driver: { state }, file, settings: { protect, tests } } = drive
    const number = cycle.started.cycle
    const taskId = stepIdOf(number, step)
    const said = (one: Step) => messageOf(lastOfStep(state, number, one))
    const done = tasksOf(plan, claimed(cycle))
    const shared = { taskId, planFile: file, done, implementer: said({ _tag: "Implement" }), tests, protect }
    switch (step._tag) {
      case "Implement": {
        const inPlay = cycle.started.tasks.map(({ index }) => index)
        return implementPrompt({
          taskId,
          plan: contextOf(file, plan),
          tasks: tasksOf(plan, inPlay),
          pending: othersOf(plan, inPlay),
          conventions: yield* (yield* PlanFiles).present(drive.run.manifest.worktree, conventions),
          tests,
          protect,
          problems: cycle.taken.at(-1)?.problems ?? []
        })
      }
      case "Test":
        return testPrompt(shared)
      case "Fix":
        return fixPrompt({ ...shared, tester: said({ _tag: "Test" }), instructions: fixes })
      case "Mend": {
        const red = yield* mendWords(drive, number, step.mend, thread === null)
        return thread === null ? paragraphs(testPrompt(shared), red) : red
      }
    }
  }
)

/** The order after an answer that named gaps: what is left, on that agent's thread if it has one. */
const again = (cycle: CycleState, step: WorkStep, whole: string, last: AgentState) => {
  const thread = threadOf(last)
  const taskId = stepIdOf(cycle.started.cycle, step)
  const asked = last.judged?.action === "remediate"
    ? paragraphs(
      finishPrompt({ taskId, issues: messageOf(last), fingerprints: [] }),
      step._tag === "Implement" ? donePart(cycle.started.tasks) : ""
    )
    : whole
  return { thread, prompt: thread === null && asked !== whole ? paragraphs(whole, asked) : asked }
}

/**
 * The order for an agent of a cycle that may write. Agents up to `after` have answered the same question before.
 * `fixes` is what a fixer is to do.
 */
export const workOrder = Effect.fn("Orders.workOrder")(
  function*(drive: PlanDrive, plan: Plan, cycle: CycleState, step: WorkStep, after: number, fixes: string) {
    const { driver: { state } } = drive
    const number = cycle.started.cycle
    const first = step._tag === "Mend" ? threadOf(lastWorker(state, number)) : null
    const whole = yield* wordsOf(drive, plan, cycle, step, first, fixes)
    const last = state.agents.agents[after - 1]
    const asked = last === undefined ? { prompt: whole, thread: first } : again(cycle, step, whole, last)
    const common = orderOf(drive, { role: "worker", taskId: stepIdOf(number, step), prompt: asked.prompt })
    return {
      ...common,
      task: { ...common.task, sandbox: "workspace-write" },
      after,
      mustWork: step._tag === "Implement",
      ...(asked.thread === null ? {} : { thread: asked.thread })
    } satisfies ResultOrder
  }
)
