// TaskChoice: which tasks of a plan a round is about, and why what is wanted of a plan cannot be worked on.
import { Schema } from "effect"
import { exits } from "../../platform/Failure.ts"
import { takeFitting } from "../../run/LongText.ts"
import { brief, cut } from "../../text/Untrusted.ts"
import type { NamedTask } from "./Event.ts"
import type { Wanted } from "./Settings.ts"
import { inOrder, type Plan } from "./file/Plan.ts"

// The most tasks of one round: a prompt has room for so many tasks, and an event for so many titles.
const bounds = { tasks: 200, title: 1000, bytes: 40_000 } as const

const isNamed = (names: ReadonlyArray<string>, title: string, index: number): boolean =>
  names.some((name) => name.trim() === title.trim() || name === `${index}`)

/** The names that no task of a plan has: neither its title nor its index. */
export const unknownNames = ({ tasks }: Plan, wanted: Wanted): ReadonlyArray<string> =>
  wanted._tag === "Named"
    ? wanted.names.filter((name) => !tasks.some(({ title }, index) => isNamed([name], title, index)))
    : []

/** The pending tasks that named ones wait for without being named themselves: nothing named can begin before them. */
export const neededToo = ({ tasks }: Plan, wanted: Wanted): ReadonlyArray<number> => {
  if (wanted._tag !== "Named") return []
  const isPending = (index: number) => tasks[index]?.done === false
  const named = tasks.flatMap(({ title }, i) => isPending(i) && isNamed(wanted.names, title, i) ? [i] : [])
  // The loop also visits what it adds to the set, so it finds the needs of needs.
  const needed = new Set(named)
  for (const index of needed) (tasks[index]?.dependencies ?? []).filter(isPending).forEach((one) => needed.add(one))
  return [...needed].slice(named.length).sort((a, b) => a - b)
}

/**
 * The tasks that can be worked on now: pending, wanted, and waiting for nothing but done tasks or one another. A task
 * comes before those that wait for it, and there are no more than are worked on at once. If at most N tasks are wanted,
 * `marked` says how many of the N are already done.
 */
export const inPlay = ({ tasks }: Plan, wanted: Wanted, marked = 0): ReadonlyArray<NamedTask> => {
  const most = wanted._tag === "AtMost" ? Math.max(0, wanted.count - marked) : tasks.length
  // A done task keeps nothing waiting, whatever it waits for itself.
  const needed = tasks.map(({ dependencies }) => dependencies.filter((one) => tasks[one]?.done === false))
  const titleOf = (index: number) => tasks[index]?.title ?? ""
  const chosen = inOrder(
    needed,
    (index) => tasks[index]?.done === false && (wanted._tag !== "Named" || isNamed(wanted.names, titleOf(index), index))
  )
  return takeFitting(
    chosen.slice(0, Math.min(most, bounds.tasks)).map((index) => ({
      index,
      title: cut(titleOf(index), bounds.title)
    })),
    bounds.bytes
  )
}

/** What is wanted cannot be worked on. Its message is one line. */
export class WantedError extends Schema.TaggedError<WantedError>()("WantedError", { message: Schema.String }) {
  readonly exitCode = exits.couldNot
}

/** Nothing can be compared with the plan's `baseBranch`: `problem` says why and what to do. */
export const noBase = (problem: string): WantedError =>
  new WantedError({ message: `the plan's baseBranch: ${problem}` })

/** Why the wanted tasks cannot be worked on, or null. */
export const wantedError = (plan: Plan, wanted: Wanted): WantedError | null => {
  const names = unknownNames(plan, wanted)
  if (names.length > 0) {
    const listed = brief(names.map((name) => brief(name, 80)).join(", "), 400)
    const message = `the plan has no task named ${listed} [use a title, or an index from 0]`
    return new WantedError({ message })
  }
  const tasks = neededToo(plan, wanted)
  if (tasks.length === 0) return null
  const waited = brief(tasks.join(", "), 200)
  const message = `the chosen tasks wait for others that are pending: ${waited} [add these to --tasks]`
  return new WantedError({ message })
}
