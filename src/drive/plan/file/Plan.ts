// Plan: a plan as a value: its keys, how each is read from YAML, what its tasks wait for, and whether it is done.
import { isMap, isScalar, isSeq } from "yaml"
import { nearest } from "../../../text/Phrases.ts"
import { brief, oneLine } from "../../../text/Untrusted.ts"
import { emptyAt, type Fault, fieldOf, keyOf, type Node, shown } from "./Yaml.ts"

// How values are read. One of another type is a fault, and reads as undefined: a plan with a fault is not used.

/** Reads a value; `path` is how an error calls it. */
type Read<A> = (node: Node, path: string, faults: Array<Fault>) => A | undefined

const refuse = (node: Node, name: string, expected: string, faults: Array<Fault>): undefined => {
  faults.push({ at: node.range[0], says: `${name} is ${shown(node)}`, remedy: `write ${expected}` })
}

/** A value that is no collection and is one of those that `is` admits. */
const scalar = <A>(expected: string, is: (value: unknown) => A | undefined): Read<A> => (node, path, faults) =>
  (isScalar(node) ? is(node.value) : undefined) ?? refuse(node, path, expected, faults)

const isEmpty = (node: Node): boolean => isScalar(node) && node.value === null

/** A list, which may also be empty. */
const list = <A>(of: string, item: Read<A>): Read<ReadonlyArray<A>> => (node, path, faults) => {
  if (isEmpty(node)) return []
  return isSeq(node)
    ? node.items.flatMap((one, i) => item(one, `${path}[${i}]`, faults) ?? [])
    : refuse(node, path, `a list of ${of}`, faults)
}

/** A key of a mapping. Where it is left out its value is `absent`; without that it must be there. */
interface Key<A> {
  readonly read: Read<A>
  readonly absent?: A
}

const orNull = <A>(read: Read<A>): Key<A | null> => ({
  read: (node, path, faults) => isEmpty(node) ? null : read(node, path, faults),
  absent: null
})

const orNone = <A>(of: string, item: Read<A>): Key<ReadonlyArray<A>> => ({ read: list(of, item), absent: [] })

/** The values of known keys and of unknown ones, which are kept. */
type Values<K extends Readonly<Record<string, Key<unknown>>>> =
  & { readonly [Name in keyof K]: K[Name] extends Key<infer A> ? A : never }
  & { readonly [other: string]: unknown }

/** A mapping with these keys and any others. The path of the plan itself is empty. */
const mapping =
  <K extends Readonly<Record<string, Key<unknown>>>>(expected: string, keys: K): Read<Values<K>> =>
  (node, path, faults) => {
    const name = path === "" ? "the plan" : path
    if (!isMap(node)) return refuse(node, name, expected, faults)
    const fields = new Map(node.items.map(({ key, value }) => [keyOf(key), value ?? emptyAt(key)]))
    const known = Object.entries(keys).map(([key, { absent, read }]) => {
      const value = fields.get(key)
      fields.delete(key)
      if (value === undefined && absent === undefined) {
        faults.push({ at: node.range[0], says: `${name} has no ${key}`, remedy: `add the key ${key}` })
      }
      return [key, value === undefined ? absent : read(value, path === "" ? key : `${path}.${key}`, faults)]
    })
    const others = Array.from(fields, ([key, value]) => [key, value.toJSON()])
    return Object.fromEntries([...others, ...known]) as Values<K>
  }

const text = scalar(
  "a text, in quotes where it looks like something else",
  (value) => typeof value === "string" ? value : undefined
)
const flag = scalar("true or false", (value) => typeof value === "boolean" ? value : undefined)

/** The number or the name of a plan or an issue. */
export type PlanRef = number | string

const reference = scalar(
  "a number or a text",
  (value): PlanRef | undefined =>
    typeof value === "string" || typeof value === "number" && Number.isFinite(value) ? value : undefined
)

const oneOf = <W extends string>(words: ReadonlyArray<W>, meaning: (value: unknown) => unknown = (value) => value) =>
  scalar(`one of ${words.join(", ")}`, (value) => words.find((one) => one === meaning(value)))

// The keys of a plan. What may be left out is null then, false, or an empty list.

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

const texts = orNone("texts", text)
const references = orNone("numbers or texts", reference)
const notDone: Key<boolean> = { read: flag, absent: false }

const stepKeys = { prompt: { read: text }, done: notDone }

/** A step of a task, for the agent that works on it. */
export type PlanStep = Values<typeof stepKeys>

const steps = orNone("steps, each with a prompt", mapping("its keys, with prompt among them", stepKeys))

const index = (own: number, count: number) =>
  scalar(
    `the index of another task, from 0 to ${count - 1}, or nothing`,
    (value) =>
      typeof value === "number" && Number.isInteger(value) && value >= 0 && value < count && value !== own
        ? value
        : undefined
  )

const taskKeys = (own: number, count: number) => ({
  title: { read: text },
  description: { read: text },
  done: notDone,
  files: texts,
  docs: texts,
  dependencies: orNone("indexes of tasks", index(own, count)),
  steps
})

/**
 * A task is known by its index in the plan, from 0, because titles repeat. It is done when `done` says so. The tasks with
 * the indexes in `dependencies` come before it; they make no circle.
 */
export type PlanTask = Values<ReturnType<typeof taskKeys>>

/**
 * Tasks in an order in which each comes after those that it waits for, by the indexes of these. A task that is not wanted
 * is left out, and so is every task that waits for one that is left out.
 */
export const inOrder = (
  dependencies: ReadonlyArray<ReadonlyArray<number>>,
  isWanted: (task: number) => boolean = () => true
): ReadonlyArray<number> => {
  const left = dependencies.map((needed) => needed.length)
  const waiting = dependencies.map((): Array<number> => [])
  dependencies.forEach((needed, task) => needed.forEach((other) => waiting[other]?.push(task)))
  const found = Array.from(left.keys()).filter((task) => left[task] === 0 && isWanted(task))
  // The loop also visits the tasks that it adds.
  for (const done of found) {
    for (const task of waiting[done] ?? []) {
      const now = (left[task] ?? 0) - 1
      left[task] = now
      if (now === 0 && isWanted(task)) found.push(task)
    }
  }
  return found
}

/** Tasks that each wait for the next one, and the last one for the first; null if there is no such circle. */
export const circleOf = (dependencies: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> | null => {
  const free = new Set(inOrder(dependencies))
  // Each task that is left waits for another that is left, so following them leads into a circle.
  const trail = new Set<number>()
  let task = dependencies.findIndex((_, one) => !free.has(one))
  if (task < 0) return null
  while (!trail.has(task)) {
    trail.add(task)
    task = dependencies[task]?.find((other) => !free.has(other)) ?? task
  }
  const way = [...trail]
  return way.slice(way.indexOf(task))
}

const tasks: Read<ReadonlyArray<PlanTask>> = (node, path, faults) => {
  if (!isSeq(node)) return refuse(node, path, "a list of tasks", faults)
  const { items } = node
  const before = faults.length
  const found = items.flatMap((item, i) =>
    mapping("its keys, with title and description among them", taskKeys(i, items.length))(
      item,
      `${path}[${i}]`,
      faults
    ) ?? []
  )
  // Where a task could not be read, the indexes of the others say nothing about a circle.
  const circle = faults.length > before ? null : circleOf(found.map(({ dependencies }) => dependencies))
  const [first = 0] = circle ?? []
  if (circle !== null) {
    const says = `these tasks wait for each other: ${[...circle, first].join(" -> ")}`
    faults.push({ at: (items[first] ?? node).range[0], says, remedy: "remove one of these dependencies" })
  }
  return found
}

const planKeys = {
  title: orNull(text),
  goal: orNull(text),
  /** What is below the front matter, where there is a text; else this key. */
  details: orNull(text),
  id: orNull(reference),
  status: orNull(oneOf(statuses, (word) => word === "complete" || word === "completed" ? "done" : word)),
  priority: orNull(oneOf(priorities)),
  /** The plans that come before this one. */
  dependencies: references,
  parent: orNull(reference),
  issue: references,
  docs: texts,
  baseBranch: orNull(text),
  changedFiles: texts,
  createdAt: orNull(text),
  updatedAt: orNull(text),
  tasks: { read: tasks }
}

/** A plan. What its file leaves out is null, or an empty list. */
export type Plan = Values<typeof planKeys>

/** Reads a plan, with what is below its front matter: null without one. It is a plan only if there is no fault. */
export const planOf = (root: Node, below: string | null, faults: Array<Fault>): Plan | undefined => {
  const expected = "its keys, with tasks among them, as YAML or between two lines --- at the head of a Markdown file"
  const plan = mapping(expected, planKeys)(root, "", faults)
  if (plan === undefined || below === null || below.trim() === "") return plan
  if (plan.details !== null && isMap(root)) {
    const at = fieldOf(root, "details")?.range[0] ?? 0
    faults.push({ at, says: "details are both here and below the front matter", remedy: "keep one of them" })
  }
  return { ...plan, details: below }
}

/** Whether a plan is done: all its tasks are. Its status and the flags of steps do not matter. */
export const isDone = ({ tasks }: Plan): boolean => tasks.every(({ done }) => done)

// Keys that are unknown, each in one line. They are kept, and nothing follows from them.

const longestKey = 64

/** The known key that an unknown one was probably meant for: `dependencies` by `depends`, or null. */
const meant = (key: string, names: ReadonlyArray<string>): string | null => {
  if (key.length < 3 || key.length > longestKey) return null
  const word = key.toLowerCase()
  const begins = (name: string) => name.startsWith(word.slice(0, Math.max(4, word.length - 1)))
  return nearest(word, names) ?? names.find((name) => begins(name.toLowerCase())) ?? null
}

const unknownIn = (values: object, keys: object, where: string): ReadonlyArray<string> =>
  Object.keys(values).filter((key) => !Object.hasOwn(keys, key)).map((key) => {
    const name = meant(key, Object.keys(keys))
    return `unknown key ${oneLine(brief(key, longestKey))} ${where}${name === null ? "" : ` (did you mean ${name}?)`}`
  })

/** The keys of a plan that this program does not know. */
export const unknownKeys = (plan: Plan): ReadonlyArray<string> => [
  ...unknownIn(plan, planKeys, "of the plan"),
  ...plan.tasks.flatMap((task, i) => [
    ...unknownIn(task, taskKeys(0, 0), `of task ${i}`),
    ...task.steps.flatMap((step, j) => unknownIn(step, stepKeys, `of step ${j} of task ${i}`))
  ])
]
