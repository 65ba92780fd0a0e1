// PlanParts: what the prompts of a plan run share: the plan and its tasks in their author's words, and common rules.
// The one rule: the words of a plan are indented, so that none of them can be taken for a line of ours.
import type { ReviewIssue } from "../agent/PlanReview.ts"
import { indented, paragraphs, wordsBlock } from "../driven/PromptParts.ts"
import type { PlanTask } from "../plan/Plan.ts"
import { counted } from "../text/Phrases.ts"
import { oneLine } from "../text/Text.ts"
import { brief, excerpt } from "../text/Untrusted.ts"
import type { NamedTask } from "./Event.ts"

/** The plan as a whole, and its file. */
export interface PlanContext {
  readonly file: string
  readonly title: string | null
  readonly goal: string | null
  readonly details: string | null
  /** The documents that the plan as a whole names. */
  readonly docs: ReadonlyArray<string>
}

/** A task of the plan, by its index. */
export interface PromptTask extends Pick<PlanTask, "title" | "description" | "files" | "docs" | "steps"> {
  readonly index: number
}

/** A review as it was read: its issues, and the text, which is all there is where no issues could be read. */
export interface GivenReview {
  readonly issues: ReadonlyArray<ReviewIssue>
  readonly text: string
}

const bounds = { details: 30_000, task: 12_000, tasks: 60_000, least: 300, titles: 200, title: 160, review: 40_000 }

const quoted = (text: string, most: number, file: string): string => {
  const { lines, whole } = excerpt(text, most)
  return paragraphs(indented(lines), whole ? "" : `Cut here; the rest stands in ${oneLine(file)}`)
}

const listed = (name: string, values: ReadonlyArray<string>): string =>
  values.length === 0 ? "" : `${name}: ${values.join(", ")}`

/** The plan as context: its title, goal, documents and details. */
export const contextPart = ({ details, docs, file, goal, title }: PlanContext): string => {
  const text = paragraphs(
    title === null ? "" : `Title: ${title}`,
    goal === null ? "" : `Goal: ${goal.trim()}`,
    listed("Documents", docs),
    (details ?? "").trim()
  )
  return paragraphs(
    `The plan stands in ${oneLine(file)}`,
    text === "" ? "" : `In its author's words, as context:\n\n${quoted(text, bounds.details, file)}`
  )
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
    more === 0 ? "" : `And ${counted(more, "more task")}, which stand in ${oneLine(file)}`
  )
}

/** Tasks by index and title; empty where there are none. */
export const titlesPart = (intro: string, tasks: ReadonlyArray<NamedTask>): string => {
  const shown = tasks.slice(0, bounds.titles).map(({ index, title }) => `${index}: ${brief(title, bounds.title)}`)
  const more = tasks.length - shown.length
  return tasks.length === 0
    ? ""
    : paragraphs(`${intro}\n\n${indented(shown)}`, more === 0 ? "" : `And ${counted(more, "more task")}.`)
}

/** What an agent before this one said, as a fenced block. */
export const saidPart = (who: string, words: string): string =>
  words.trim() === "" ? `${who} said nothing.` : `${who} said:\n\n${wordsBlock(words)}`

const issueText = ({ description, place, severity, suggestion }: ReviewIssue, i: number): string =>
  `${i + 1}. [${severity}] ${place ?? "no place"}: ${description.trim()}\n   Suggestion: ${suggestion.trim()}`

/** A review as a fenced block: its issues with their numbers from 1 or, where none could be read, its text. */
export const reviewBlock = ({ issues, text }: GivenReview): string =>
  wordsBlock(issues.length === 0 ? text : issues.map(issueText).join("\n\n"), bounds.review)

/** What holds for every worker on a plan: whose words are whose, and that the plan's file is not its business. */
export const planRule = (file: string): string =>
  `Do not edit the plan, ${oneLine(file)}, and mark nothing in it: that is done for you when the work is accepted.`

/** How a worker says that it could not do the task at all. */
export const failedPart = [
  "If you cannot do what is asked (the requirements contradict each other, or something is missing that you cannot " +
  "provide), do not guess. Give this report instead of the result below, with nothing before it:",
  "",
  "FAILED: <one sentence>",
  "Requirements:",
  "<what was asked for>",
  "Problems:",
  "<what stands in the way>",
  "Possible solutions:",
  "<what a person can decide or do>"
].join("\n")

/** What holds for whoever only reads. */
export const readerRule = "You only read: change no file, and do not change git's state."
