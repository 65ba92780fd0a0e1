// Parse: a plan file as a plan, or its first fault.
import { Result } from "effect"
import {
  type Plan,
  type PlanPriority,
  type PlanStatus,
  type PlanStep,
  type PlanTask,
  priorities,
  statuses
} from "./Plan.ts"
import { type Fault, firstOf, type Mapping, type Node, plainValue, problemOf, readYaml, shown } from "./Yaml.ts"
import { nearest } from "../../../text/Phrases.ts"
import { brief, oneLine } from "../../../text/Untrusted.ts"

// Where the YAML of a plan file is, and what is below it.

/** The parts of a file. `start` is where its YAML begins. `below` is null in a file that is all YAML. */
interface Parts {
  readonly yaml: string
  readonly start: number
  readonly below: string | null
}

const border = /^---[ \t]*$/m

/** The parts of a text with `\n` at the ends of its lines: front matter begins on its first line, or there is none. */
export const partsOf = (text: string): Result.Result<Parts, Fault> => {
  const [first = ""] = text.split("\n", 1)
  if (!border.test(first)) return Result.succeed({ yaml: text, start: 0, below: null })
  const start = first.length + 1
  const rest = text.slice(start)
  const end = border.exec(rest)
  return end === null
    ? Result.fail({ at: 0, says: "the front matter has no end", remedy: "write a line --- below its YAML" })
    : Result.succeed({ yaml: rest.slice(0, end.index), start, below: rest.slice(end.index + end[0].length + 1) })
}

// Reads the values of a plan's YAML by their types; what has another type is a fault and reads as nothing.

/** Reads a value; `path` is how an error calls it. */
export type Read<A> = (node: Node, path: string, faults: Array<Fault>) => A

/** A value that is no collection and is one of those that `is` admits. */
const scalarOf =
  <A>(is: (value: string | number | boolean | null) => A | undefined, expected: string, nothing: A): Read<A> =>
  (node, path, faults) => {
    const value = node._tag === "Scalar" ? is(node.value) : undefined
    if (value !== undefined) return value
    faults.push({ at: node.at, says: `${path} is ${shown(node)}`, remedy: `write ${expected}` })
    return nothing
  }

export const text: Read<string> = scalarOf(
  (value) => typeof value === "string" ? value : undefined,
  "a text, in quotes where it looks like something else",
  ""
)

export const flag: Read<boolean> = scalarOf(
  (value) => typeof value === "boolean" ? value : undefined,
  "true or false",
  false
)

export const reference: Read<number | string> = scalarOf(
  (value) => typeof value === "string" || (typeof value === "number" && Number.isFinite(value)) ? value : undefined,
  "a number or a text",
  0
)

/** A value that may also be empty. */
export const orNull = <A>(read: Read<A>): Read<A | null> => (node, path, faults) =>
  node._tag === "Scalar" && node.value === null ? null : read(node, path, faults)

/** A list, which may also be empty. */
export const listOf = <A>(read: Read<A>, of: string): Read<ReadonlyArray<A>> => (node, path, faults) => {
  if (node._tag === "List") return node.items.map((item, i) => read(item, `${path}[${i}]`, faults))
  if (node._tag === "Mapping" || node.value !== null) {
    faults.push({ at: node.at, says: `${path} is ${shown(node)}`, remedy: `write a list of ${of}` })
  }
  return []
}

/** The fields of a mapping. */
interface Fields {
  /** A field that may be left out. */
  readonly field: <A>(name: string, read: Read<A>, absent: A) => A
  /** A field that must be there. */
  readonly required: <A>(name: string, read: Read<A>, nothing: A) => A
  /** All fields but those with one of these names, as plain data. */
  readonly others: (known: ReadonlySet<string>) => Readonly<Record<string, unknown>>
}

/** The fields of a value that must be a mapping. The path of the plan itself is empty. */
export const fieldsOf = (node: Node, path: string, expected: string, faults: Array<Fault>): Fields => {
  const name = path === "" ? "the plan" : path
  if (node._tag !== "Mapping") {
    faults.push({ at: node.at, says: `${name} is ${shown(node)}`, remedy: `write ${expected}` })
  }
  const fields: Mapping["fields"] = node._tag === "Mapping" ? node.fields : new Map()
  const field: Fields["field"] = (key, read, absent) => {
    const value = fields.get(key)
    return value === undefined ? absent : read(value, path === "" ? key : `${path}.${key}`, faults)
  }
  return {
    field,
    required: (key, read, nothing) => {
      if (!fields.has(key)) {
        faults.push({ at: node.at, says: `${name} has no ${key}`, remedy: `add the key ${key}` })
      }
      return field(key, read, nothing)
    },
    others: (known) =>
      Object.fromEntries(
        Array.from(fields).filter(([key]) => !known.has(key)).map(([key, value]) => [key, plainValue(value)])
      )
  }
}

// Tasks that wait for each other, so that none of them can ever begin.

/** Tasks each of which waits for the next one, and the last one for the first; null where there is no such circle. */
export const circleOf = (dependencies: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> | null => {
  const left = dependencies.map((needed) => needed.length)
  const waiting = dependencies.map((): Array<number> => [])
  dependencies.forEach((needed, task) => needed.forEach((other) => waiting[other]?.push(task)))
  const free = Array.from(left.keys()).filter((task) => left[task] === 0)
  for (const done of free) {
    for (const task of waiting[done] ?? []) {
      const now = (left[task] ?? 0) - 1
      left[task] = now
      if (now === 0) free.push(task)
    }
  }
  // Whatever is left waits for something that is left, so whoever follows it comes round.
  const trail: Array<number> = []
  const places = new Map<number, number>()
  let task = left.findIndex((count) => count > 0)
  if (task < 0) return null
  while (!places.has(task)) {
    places.set(task, trail.length)
    trail.push(task)
    task = dependencies[task]?.find((other) => (left[other] ?? 0) > 0) ?? task
  }
  return trail.slice(places.get(task))
}

// The plan that a YAML tree holds, and every fault in it.

const synonyms: ReadonlyArray<unknown> = ["complete", "completed"]

const status: Read<PlanStatus> = scalarOf(
  (value) => statuses.find((one) => one === value) ?? (synonyms.includes(value) ? "done" : undefined),
  `one of ${statuses.join(", ")}`,
  "pending"
)

const priority: Read<PlanPriority> = scalarOf(
  (value) => priorities.find((one) => one === value),
  `one of ${priorities.join(", ")}`,
  "medium"
)

const texts = listOf(text, "texts")
const references = listOf(reference, "numbers or texts")

const stepKeys: ReadonlySet<string> = new Set(["prompt", "done"])
const step: Read<PlanStep> = (node, path, faults) => {
  const { field, others, required } = fieldsOf(node, path, "its keys, with prompt among them", faults)
  return { ...others(stepKeys), prompt: required("prompt", text, ""), done: field("done", flag, false) }
}
const steps = listOf(step, "steps, each with a prompt")

/** The index of one of `count` tasks other than `own`. */
const index = (own: number, count: number): Read<number> =>
  scalarOf(
    (value) =>
      typeof value === "number" && Number.isInteger(value) && value >= 0 && value < count && value !== own
        ? value
        : undefined,
    `the index of another task, from 0 to ${count - 1}, or nothing`,
    0
  )

const taskKeys: ReadonlySet<string> = new Set([
  "title",
  "description",
  "done",
  "files",
  "docs",
  "dependencies",
  "steps"
])
const task = (own: number, count: number): Read<PlanTask> => (node, path, faults) => {
  const { field, others, required } = fieldsOf(node, path, "its keys, with title and description among them", faults)
  return {
    ...others(taskKeys),
    title: required("title", text, ""),
    description: required("description", text, ""),
    done: field("done", flag, false),
    files: field("files", texts, []),
    docs: field("docs", texts, []),
    dependencies: field("dependencies", listOf(index(own, count), "indexes of tasks"), []),
    steps: field("steps", steps, [])
  }
}

const tasks: Read<ReadonlyArray<PlanTask>> = (node, path, faults) => {
  if (node._tag !== "List") {
    faults.push({ at: node.at, says: `${path} is ${shown(node)}`, remedy: "write a list of tasks" })
    return []
  }
  const before = faults.length
  const found = node.items.map((item, i) => task(i, node.items.length)(item, `${path}[${i}]`, faults))
  // If a dependency could not be read, the indices that were read say nothing about a circle.
  const circle = faults.length > before ? null : circleOf(found.map(({ dependencies }) => dependencies))
  const [first = 0] = circle ?? []
  if (circle !== null) {
    const round = [...circle, first].join(" -> ")
    faults.push({
      at: node.items[first]?.at ?? node.at,
      says: `these tasks wait for each other: ${round}`,
      remedy: "remove one of these dependencies"
    })
  }
  return found
}

const planKeys: ReadonlySet<string> = new Set([
  "title",
  "goal",
  "details",
  "id",
  "status",
  "priority",
  "dependencies",
  "parent",
  "issue",
  "docs",
  "baseBranch",
  "changedFiles",
  "createdAt",
  "updatedAt",
  "tasks"
])

const longestKey = 64

/** The known key that an unknown one was probably meant for: `dependencies` by `depends`, or null. */
const meant = (key: string, known: ReadonlySet<string>): string | null => {
  if (key.length < 3 || key.length > longestKey) return null
  const [word, names] = [key.toLowerCase(), [...known]]
  const begins = (name: string) => name.startsWith(word.slice(0, Math.max(4, word.length - 1)))
  return nearest(word, names) ?? names.find((name) => begins(name.toLowerCase())) ?? null
}

const unknownIn = (of: object, known: ReadonlySet<string>, where: string): ReadonlyArray<string> =>
  Object.keys(of).flatMap((key) => {
    if (known.has(key)) return []
    const name = meant(key, known)
    return [`unknown key ${oneLine(brief(key, longestKey))} ${where}${name === null ? "" : ` (did you mean ${name}?)`}`]
  })

/** The keys of a plan that this program does not know, each in one line. They are kept, and nothing follows from them. */
export const unknownKeys = (plan: Plan): ReadonlyArray<string> => [
  ...unknownIn(plan, planKeys, "of the plan"),
  ...plan.tasks.flatMap((task, i) => [
    ...unknownIn(task, taskKeys, `of task ${i}`),
    ...task.steps.flatMap((step, j) => unknownIn(step, stepKeys, `of step ${j} of task ${i}`))
  ])
]

/** Reads a plan, with what is below its front matter: null without one. A fault where anything is wrong. */
export const readPlan = (root: Node, below: string | null): Result.Result<Plan, Fault> => {
  const faults: Array<Fault> = []
  const { field, others, required } = fieldsOf(
    root,
    "",
    "its keys, with tasks among them, as YAML or between two lines --- at the head of a Markdown file",
    faults
  )
  const rest = below === null || below.trim() === "" ? null : below
  const details: Read<string | null> = (node, path, found) => {
    const own = orNull(text)(node, path, found)
    if (own !== null && rest !== null) {
      found.push({ at: node.at, says: "details are both here and below the front matter", remedy: "keep one of them" })
    }
    return own
  }
  const plan: Plan = {
    ...others(planKeys),
    title: field("title", orNull(text), null),
    goal: field("goal", orNull(text), null),
    details: field("details", details, null) ?? rest,
    id: field("id", orNull(reference), null),
    status: field("status", orNull(status), null),
    priority: field("priority", orNull(priority), null),
    dependencies: field("dependencies", references, []),
    parent: field("parent", orNull(reference), null),
    issue: field("issue", references, []),
    docs: field("docs", texts, []),
    baseBranch: field("baseBranch", orNull(text), null),
    changedFiles: field("changedFiles", texts, []),
    createdAt: field("createdAt", orNull(text), null),
    updatedAt: field("updatedAt", orNull(text), null),
    tasks: required("tasks", tasks, [])
  }
  const first = firstOf(faults)
  return first === undefined ? Result.succeed(plan) : Result.fail(first)
}

// A plan file as a plan, or the first thing that is wrong with it.

/** A plan, or on one line what is wrong with its file: the line and column, and what to do. */
export type ParsedPlan =
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly problem: string }

/** A plan with the places of its values, which count from the start of the YAML. */
export interface PlacedPlan {
  readonly plan: Plan
  readonly root: Node
  readonly parts: Parts
}

/** The most characters of a plan file. */
export const longest = 8 * 1024 * 1024

/** The text of a file without its byte order mark, with `\n` at the ends of its lines. */
export const normalOf = (text: string): string => text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n")

/** The fault of a file that is too long. */
export const tooLong = (at: number): Fault => ({
  at,
  says: `a plan file has at most ${longest} characters`,
  remedy: "move what is long into other files"
})

/** Reads a plan with its places from a text as `normalOf` gives it. */
export const placedPlan = (text: string): Result.Result<PlacedPlan, Fault> => {
  if (text.length > longest) return Result.fail(tooLong(longest))
  return Result.flatMap(partsOf(text), (parts) => {
    const { faults, root } = readYaml(parts.yaml)
    const first = firstOf(faults)
    const plan = first !== undefined
      ? Result.fail(first)
      : root === null
      ? Result.fail({ at: 0, says: "the plan is empty", remedy: "write its tasks, each with title and description" })
      : Result.map(readPlan(root, parts.below), (plan) => ({ plan, root, parts }))
    return Result.mapError(plan, (fault) => ({ ...fault, at: fault.at + parts.start }))
  })
}

/**
 * Reads a plan file: YAML, or Markdown with YAML between two lines `---` at its head. A byte order mark and the kind of
 * line ends make no difference. Any text gives a plan or a problem.
 */
export const parsePlan = (text: string): ParsedPlan => {
  const normal = normalOf(text)
  return Result.match(placedPlan(normal), {
    onSuccess: ({ plan }): ParsedPlan => ({ ok: true, plan }),
    onFailure: (fault): ParsedPlan => ({ ok: false, problem: problemOf(normal, fault) })
  })
}
