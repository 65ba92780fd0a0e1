// ReadPlan: the plan that a YAML tree holds, and every fault in it.
import { Result } from "effect"
import { type Fault, firstOf } from "./Fault.ts"
import {
  type Plan,
  type PlanPriority,
  type PlanStatus,
  type PlanStep,
  type PlanTask,
  priorities,
  statuses
} from "./Plan.ts"
import { fieldsOf, flag, listOf, orNull, type Read, reference, scalarOf, text } from "./Reading.ts"
import { circleOf } from "./TaskCircle.ts"
import { type Node, shown } from "./Yaml.ts"

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

/** Reads a plan, with what stands below its front matter: null without one. A fault where anything is wrong. */
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
      found.push({ at: node.at, says: "details stand here and below the front matter", remedy: "keep one of them" })
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
