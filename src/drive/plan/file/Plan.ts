// Plan: a plan as a value: its tasks, what each waits for, and what else its file says.

/** What a plan's file may say of the plan as a whole. Nothing depends on it: a plan is done when its tasks are. */
export const statuses = [
  "pending",
  "in_progress",
  "needs_review",
  "reviewed",
  "done",
  "cancelled",
  "deferred"
] as const
export type PlanStatus = typeof statuses[number]

export const priorities = ["low", "medium", "high", "urgent", "maybe"] as const
export type PlanPriority = typeof priorities[number]

/** The number or the name of a plan or an issue. */
export type PlanRef = number | string

/** A step of a task, for whoever works on it. */
export interface PlanStep {
  readonly prompt: string
  readonly done: boolean
  /** A key that this program does not know. */
  readonly [key: string]: unknown
}

/** A task is known by its index in the plan, from 0, because titles repeat. It is done when `done` says so. */
export interface PlanTask {
  readonly title: string
  readonly description: string
  readonly done: boolean
  readonly files: ReadonlyArray<string>
  readonly docs: ReadonlyArray<string>
  /** The indexes of the tasks that come before this one. They make no circle. */
  readonly dependencies: ReadonlyArray<number>
  readonly steps: ReadonlyArray<PlanStep>
  /** A key that this program does not know. */
  readonly [key: string]: unknown
}

/** A plan. What its file leaves out is null, or an empty list. Keys that this program does not know are kept. */
export interface Plan {
  readonly title: string | null
  readonly goal: string | null
  /** What is below the front matter; without front matter the key `details`. */
  readonly details: string | null
  readonly id: PlanRef | null
  readonly status: PlanStatus | null
  readonly priority: PlanPriority | null
  /** The plans that come before this one. */
  readonly dependencies: ReadonlyArray<PlanRef>
  readonly parent: PlanRef | null
  readonly issue: ReadonlyArray<PlanRef>
  readonly docs: ReadonlyArray<string>
  readonly baseBranch: string | null
  readonly changedFiles: ReadonlyArray<string>
  readonly createdAt: string | null
  readonly updatedAt: string | null
  readonly tasks: ReadonlyArray<PlanTask>
  /** A key that this program does not know. */
  readonly [key: string]: unknown
}

// Whether a plan is done, and which of its tasks are pending.

/** A task with its index, by which it is known. */
export interface IndexedTask {
  readonly index: number
  readonly task: PlanTask
}

/** Whether a plan is done: all its tasks are. Its status and the flags of steps do not matter. */
export const isDone = ({ tasks }: Plan): boolean => tasks.every(({ done }) => done)

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
