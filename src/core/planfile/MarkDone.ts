// MarkDone: tasks of a plan, and the plan itself, marked as done in the plan's file.
import { Result } from "effect"
import type { Node } from "../plan/Yaml.ts"
import { alwaysAs, setField, wordOf } from "./Field.ts"
import type { PlanDocument } from "./PlanDocument.ts"
import { PlanError } from "./PlanError.ts"
import { pendingTasks } from "./Queries.ts"
import { inText, rewritten } from "./Rewrite.ts"

/** The mapping of each task. */
const taskNodes = ({ root }: PlanDocument): ReadonlyArray<Node> => {
  const tasks: Node | undefined = root._tag === "Mapping" ? root.fields.get("tasks") : undefined
  return tasks?._tag === "List" ? tasks.items : []
}

/**
 * Marks tasks as done, by their indexes. `now` is in milliseconds since 1970; it becomes the plan's `updatedAt`, if the
 * plan has one. A document whose tasks are done already stays as it is.
 */
export const markDone = (
  document: PlanDocument,
  indexes: ReadonlyArray<number>,
  now: number
): Result.Result<PlanDocument, PlanError> => {
  const { parts: { yaml }, plan } = document
  const stray = indexes.find((index) => plan.tasks[index] === undefined)
  if (stray !== undefined) {
    return Result.fail(new PlanError({ reason: { _tag: "NoSuchTask", index: stray, count: plan.tasks.length } }))
  }
  const marked = new Set(indexes.filter((index) => plan.tasks[index]?.done === false))
  if (marked.size === 0) return Result.succeed(document)
  const nodes = taskNodes(document)
  const edits = [...marked].flatMap((index) => setField(yaml, nodes[index], "done", alwaysAs("true"), "title"))
  const tasks = plan.tasks.map((task, index) => marked.has(index) ? { ...task, done: true } : task)
  const what = [...marked].map((index) => `tasks[${index}].done`).join(", ")
  return rewritten(document, { plan: { ...plan, tasks }, edits: inText(document, edits) }, now, what)
}

/** Gives a plan whose tasks are all done the status `done`. One that has it stays as it is. `now` is as above. */
export const markPlanDone = (document: PlanDocument, now: number): Result.Result<PlanDocument, PlanError> => {
  const { parts: { yaml }, plan, root } = document
  const pending = pendingTasks(plan)
  if (pending.length > 0) {
    const tasks = pending.map(({ index }) => index)
    return Result.fail(new PlanError({ reason: { _tag: "StillPending", tasks } }))
  }
  if (plan.status === "done") return Result.succeed(document)
  const edits = setField(yaml, root, "status", wordOf("done"), "title")
  return rewritten(document, { plan: { ...plan, status: "done" }, edits: inText(document, edits) }, now, "status")
}
