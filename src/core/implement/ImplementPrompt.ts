// ImplementPrompt: what the agent is asked that implements tasks of a plan.
import {
  fenceNote,
  gitRule,
  paragraphs,
  protectPart,
  resultPart,
  statusPart,
  testsPart
} from "../driven/PromptParts.ts"
import { indented } from "../driven/PromptParts.ts"
import { oneLine } from "../text/Text.ts"
import { brief, fence } from "../text/Untrusted.ts"
import type { NamedTask } from "./Event.ts"
import {
  contextPart,
  failedPart,
  type PlanContext,
  planRule,
  type PromptTask,
  tasksPart,
  titlesPart
} from "./PlanParts.ts"

/** What the prompt is made of. */
export interface ImplementAsked {
  readonly taskId: string
  readonly plan: PlanContext
  /** The tasks in play. */
  readonly tasks: ReadonlyArray<PromptTask>
  /** The other pending tasks: they are not to be done now. */
  readonly pending: ReadonlyArray<NamedTask>
  /** The names of the documents in which the repository says how work is done in it. */
  readonly conventions: ReadonlyArray<string>
  readonly tests: ReadonlyArray<string>
  readonly protect: ReadonlyArray<string>
  /** Why the last answer could not be taken; empty at first. */
  readonly problems: ReadonlyArray<string>
}

const bounds = { problems: 10, problem: 300 } as const

/** The lines by which an implementer is asked which tasks are done. */
export const donePart = (tasks: ReadonlyArray<Pick<PromptTask, "index">>): string =>
  [
    "End your message with one line for each task that is completely done, its tests included, in exactly this form:",
    "",
    "DONE: <index>",
    "",
    `The indexes are: ${tasks.map(({ index }) => index).join(", ")}. Leave out a task of which something is left: it ` +
    "is asked for again. Only tasks that you name are tested and reviewed."
  ].join("\n")

const againPart = (problems: ReadonlyArray<string>): string =>
  problems.length === 0 ? "" : paragraphs(
    "You were asked before, and the answer could not be taken:",
    fence(problems.slice(0, bounds.problems).map((one) => brief(one, bounds.problem))),
    "The work so far lies in the worktree. Go on from there, and answer as it is asked for below."
  )

const rules = [
  "Act at once: do not answer with a plan, and do not ask whether you may begin. Then, for each task:",
  "- read the code around it first, and follow its patterns, names and helpers;",
  "- implement all that the task and its steps ask for, and nothing that belongs to other tasks;",
  "- write real tests of what it does: tests that run the code and fail without it. A test that only simulates, " +
  "repeats the implementation or checks a mock is none;",
  "- leave no stub, and no place that says that something is to be done later;",
  "- run the checks of the repository (types, lint, format, tests), and mend what they find."
].join("\n")

/** Asks an agent to implement the tasks in play. */
export const implementPrompt = (asked: ImplementAsked): string => {
  const { conventions, pending, plan, problems, protect, taskId, tasks, tests } = asked
  return paragraphs(
    "Implement the tasks below in this repository. They belong to a plan.",
    contextPart(plan),
    "These tasks are to be done now:",
    tasksPart(tasks, plan.file),
    titlesPart("These tasks of the plan are pending too. They are not to be done now; others follow:", pending),
    conventions.length === 0
      ? ""
      : `The repository says how work is done in it. Read this first, and keep to it:\n\n${indented(conventions)}`,
    againPart(problems),
    problems.length === 0 ? "" : fenceNote,
    rules,
    testsPart(tests),
    protectPart(protect),
    planRule(plan.file),
    gitRule,
    failedPart,
    resultPart({ role: "worker", taskId: oneLine(taskId) }),
    statusPart("the tasks that you name are done, and the checks and tests pass"),
    donePart(tasks)
  )
}
