// Prompts: what agents of a plan are asked.
import type { ReviewIssue } from "../../agent/PlanReview.ts"
import type { Identity } from "../../run/Identity.ts"
import { counted, paragraphs } from "../../text/Phrases.ts"
import { brief, excerpt, fence, oneLine } from "../../text/Untrusted.ts"
import { render } from "../../prompts/Prompt.ts"
import { indented, type ProjectRules, projectHoles, resultHoles, wordsBlock } from "../Prompts.ts"
import type { NamedTask } from "./Event.ts"
import type { RoundState } from "./State.ts"
import type * as Tasks from "../Tasks.ts"
import type { Plan, PlanTask } from "./file/Plan.ts"

// What the prompts of a plan run share: the plan and its tasks in their author's words, and common rules.
// The words of a plan are indented, so that none of them can be taken for a line of ours.

/** A task of the plan, by its index. */
export interface PromptTask extends Pick<PlanTask, "title" | "description" | "files" | "docs" | "steps"> {
  readonly index: number
}

/** What the prompts of a round are made of. */
export interface PromptContext extends ProjectRules {
  readonly file: string
  readonly plan: Pick<Plan, "title" | "goal" | "details" | "docs">
  /** The tasks that the round is about; after their implementation, those that are newly done. */
  readonly tasks: ReadonlyArray<PromptTask>
  /** The other pending tasks. */
  readonly pending: ReadonlyArray<PromptTask>
  /** The last message of the agent of a task; empty if it had none. */
  readonly saidBy: (task: Tasks.PlanTask) => string
}

/** A parsed review: its issues, and its text, which is all there is if no issues could be read. */
export interface GivenReview {
  readonly issues: ReadonlyArray<ReviewIssue>
  readonly text: string
}

const bounds = { details: 30_000, task: 12_000, tasks: 60_000, least: 300, titles: 200, title: 160, review: 40_000 }

const quoted = (text: string, most: number, file: string): string => {
  const { lines, whole } = excerpt(text, most)
  return paragraphs(indented(lines), whole ? "" : `Cut here. The rest is in ${oneLine(file)}`)
}

const listed = (name: string, values: ReadonlyArray<string>): string =>
  values.length === 0 ? "" : `${name}: ${values.join(", ")}`

const contextHoles = ({ file, plan: { details, docs, goal, title } }: PromptContext) => {
  const text = paragraphs(
    title === null ? "" : `Title: ${title}`,
    goal === null ? "" : `Goal: ${goal.trim()}`,
    listed("Documents", docs),
    (details ?? "").trim()
  )
  return { planFile: oneLine(file), context: text === "" ? "" : quoted(text, bounds.details, file) }
}

const taskText = ({ description, docs, files, steps, title }: PromptTask): string =>
  paragraphs(
    title,
    description.trim(),
    listed("Files", files),
    listed("Documents", docs),
    ...steps.map(({ done, prompt }, i) => `Step ${i + 1}${done ? " (done)" : ""}: ${prompt.trim()}`)
  )

/** Tasks with all that the plan says of them, each under its index; of very many the first ones. */
export const tasksPart = (tasks: ReadonlyArray<PromptTask>, file: string): string => {
  const shown = tasks.slice(0, bounds.tasks / bounds.least)
  const most = Math.min(bounds.task, Math.floor(bounds.tasks / Math.max(1, shown.length)))
  const more = tasks.length - shown.length
  return paragraphs(
    ...shown.map((task) => `## Task ${task.index}\n\n${quoted(taskText(task), most, file)}`),
    more === 0 ? "" : `And ${counted(more, "more task")}, which you find in ${oneLine(file)}`
  )
}

/** Tasks by index and title; empty where there are none. */
export const titlesPart = (tasks: ReadonlyArray<NamedTask>): string => {
  const shown = tasks.slice(0, bounds.titles).map(({ index, title }) => `${index}: ${brief(title, bounds.title)}`)
  const more = tasks.length - shown.length
  return tasks.length === 0
    ? ""
    : paragraphs(indented(shown), more === 0 ? "" : `And ${counted(more, "more task")}.`)
}

/** What an agent before this one said, as a fenced block. */
export const saidPart = (who: string, words: string): string =>
  words.trim() === "" ? `${who} said nothing.` : `${who} said:\n\n${wordsBlock(words)}`

const issueText = ({ description, place, severity, suggestion }: ReviewIssue, i: number): string =>
  `${i + 1}. [${severity}] ${place ?? "no place"}: ${description.trim()}\n   Suggestion: ${suggestion.trim()}`

/** A review as a fenced block: its issues with their numbers from 1 or, where none could be read, its text. */
export const reviewBlock = ({ issues, text }: GivenReview): string =>
  wordsBlock(issues.length === 0 ? text : issues.map(issueText).join("\n\n"), bounds.review)

// What reviewers compare the work of a plan's agents with.

/** What to review: what is not committed, what has changed since a merge base, or everything in the worktree. */
export type Scope =
  | { readonly _tag: "Uncommitted" }
  | { readonly _tag: "Since"; readonly revision: string }
  | { readonly _tag: "Everything" }

/**
 * The scope that holds all that was done since a round began. If HEAD is another commit now, the work may be committed.
 * If no commit says what was there before, the work may be anything.
 */
export const scopeSince = ({ started: { content: { head } } }: RoundState, now: Identity): Scope => {
  if (head === now.head) return { _tag: "Uncommitted" }
  return typeof head === "string" ? { _tag: "Since", revision: head } : { _tag: "Everything" }
}

/** What reviewers get that run no commands and obey no files: a file with what agents have changed, and rules. */
export interface Material {
  readonly changes: string
  readonly rules: string
}

const noMaterial: Material = { changes: "", rules: "" }

const scopeHoles = (scope: Scope, { changes }: Material) => ({
  changes: indented([changes]),
  uncommitted: scope._tag === "Uncommitted" ? scope._tag : "",
  revision: scope._tag === "Since" ? indented([scope.revision]) : "",
  everything: scope._tag === "Everything" ? scope._tag : ""
})

// What the agent is asked that implements tasks of a plan.

const problemBounds = { problems: 10, problem: 300 } as const

const indexesOf = (tasks: ReadonlyArray<Pick<PromptTask, "index">>) => ({
  indexes: tasks.map(({ index }) => index).join(", ")
})

/** The lines by which an implementer is asked which tasks are done. */
export const donePart = (tasks: ReadonlyArray<Pick<PromptTask, "index">>): string => render("done", indexesOf(tasks))

const problemsBlock = (problems: ReadonlyArray<string>): string =>
  problems.length === 0
    ? ""
    : fence(problems.slice(0, problemBounds.problems).map((one) => brief(one, problemBounds.problem)))

/**
 * Asks an agent to implement the tasks. `conventions` are the documents in which the repository says how to work in it;
 * `problems` say why the last answer could not be used.
 */
export const implementPrompt = (
  context: PromptContext,
  taskId: string,
  conventions: ReadonlyArray<string>,
  problems: ReadonlyArray<string>
): string =>
  render("implement", {
    ...contextHoles(context),
    tasks: tasksPart(context.tasks, context.file),
    pending: titlesPart(context.pending),
    conventions: indented(conventions),
    problems: problemsBlock(problems),
    ...projectHoles(context),
    ...resultHoles({ role: "worker", taskId }),
    ...indexesOf(context.tasks)
  })

// What the agents are asked that test the tasks that are newly done, and fix what a review found in them.

const testHoles = (context: PromptContext, taskId: string) => ({
  planFile: oneLine(context.file),
  tasks: tasksPart(context.tasks, context.file),
  implementer: saidPart("The implementer", context.saidBy("implement")),
  ...projectHoles(context),
  ...resultHoles({ role: "worker", taskId })
})

/** Asks an agent to test the tasks that are newly done. */
export const testPrompt = (context: PromptContext, taskId: string): string => render("test", testHoles(context, taskId))

// Issues are at the end of the instructions, so they get more room than what agents said.
const mostInstructions = 60_000

/** Asks an agent to fix what a review found: `instructions` are the analysis of the first review, later the review. */
export const fixPrompt = (context: PromptContext, taskId: string, instructions: string): string =>
  render("fix", {
    ...testHoles(context, taskId),
    tester: saidPart("The tester", context.saidBy("test")),
    instructions: wordsBlock(instructions, mostInstructions)
  })

// What reviewers of the work are asked. `addAnswerForm` adds the form of the answer.

/** Asks an agent to review the tasks that are newly done. */
export const reviewPrompt = (context: PromptContext, scope: Scope, material: Material = noMaterial): string =>
  render("review", {
    ...scopeHoles(scope, material),
    rules: material.rules.trim() === "" ? "" : wordsBlock(material.rules),
    ...contextHoles(context),
    tasks: tasksPart(context.tasks, context.file),
    pending: titlesPart(context.pending),
    tester: saidPart("The agent that tested the work", context.saidBy("test"))
  })

/** Asks an agent whether the fix of this number resolves what the review before it found. */
export const reReviewPrompt = (
  context: PromptContext,
  scope: Scope,
  fix: number,
  previous: GivenReview,
  material: Material = noMaterial
): string =>
  render("review-fixes", {
    ...scopeHoles(scope, material),
    tasks: tasksPart(context.tasks, context.file),
    pending: titlesPart(context.pending),
    review: reviewBlock(previous),
    fixer: saidPart("The fixer", context.saidBy(`fix-${fix}`))
  })

/**
 * Asks an agent which issues of a review belong to the tasks that are done. `document` is what the repository says on
 * reviews; null if it says nothing.
 */
export const analysisPrompt = (context: PromptContext, review: GivenReview, document: string | null): string =>
  render("analysis", {
    done: titlesPart(context.tasks),
    tasks: tasksPart(context.pending, context.file),
    review: reviewBlock(review),
    document: (document ?? "").trim() === "" ? "" : wordsBlock(document ?? ""),
    implementer: saidPart("The implementer", context.saidBy("implement"))
  })
