// Queries: which tasks of a plan are done, which are pending, and which can be worked on next.
import type { Plan, PlanTask } from "../plan/Plan.ts"

/** A task with its index, by which it is known. */
export interface IndexedTask {
  readonly index: number
  readonly task: PlanTask
}

/** Whether a plan is done: all its tasks are. Its status and the flags of steps do not matter. */
export const isDone = ({ tasks }: Plan): boolean => tasks.every(({ done }) => done)

const indexed = ({ tasks }: Plan): ReadonlyArray<IndexedTask> => tasks.map((task, index) => ({ index, task }))

/** The tasks that are done, in the order of the file. */
export const doneTasks = (plan: Plan): ReadonlyArray<IndexedTask> => indexed(plan).filter(({ task }) => task.done)

/** The indexes of all tasks, each behind those that it depends on, otherwise in the order of the file. */
const ordered = (tasks: ReadonlyArray<PlanTask>): ReadonlyArray<number> => {
  const entered = new Set<number>()
  const placed = new Set<number>()
  for (const first of tasks.keys()) {
    // A stack of its own: a row of tasks may be longer than calls may nest.
    const open = [first]
    for (let index = open.at(-1); index !== undefined; index = open.at(-1)) {
      if (placed.has(index) || entered.has(index)) {
        placed.add(index)
        open.pop()
        continue
      }
      entered.add(index)
      for (const needed of (tasks[index]?.dependencies ?? []).toReversed()) if (!placed.has(needed)) open.push(needed)
    }
  }
  return [...placed]
}

/** The tasks that are not done, each behind those that it depends on, otherwise in the order of the file. */
export const pendingTasks = ({ tasks }: Plan): ReadonlyArray<IndexedTask> =>
  ordered(tasks).flatMap((index) => {
    const task = tasks[index]
    return task === undefined || task.done ? [] : [{ index, task }]
  })

/** The pending tasks that can begin: all that they depend on is done. In the order of the file. */
export const readyTasks = (plan: Plan): ReadonlyArray<IndexedTask> =>
  indexed(plan).filter(({ task }) =>
    !task.done && task.dependencies.every((needed) => plan.tasks[needed]?.done === true)
  )
