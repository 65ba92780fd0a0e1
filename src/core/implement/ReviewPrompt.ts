// ReviewPrompt: what the reviewer of the work on a plan's tasks is asked. `askedInForm` adds the form of the answer.
import { fenceNote, paragraphs } from "../driven/PromptParts.ts"
import type { NamedTask } from "./Event.ts"
import {
  contextPart,
  type PlanContext,
  type PromptTask,
  readerRule,
  saidPart,
  tasksPart,
  titlesPart
} from "./PlanParts.ts"
import { type Scope, scopePart } from "./Scope.ts"

/** What the prompt is made of. */
export interface ReviewAsked {
  readonly plan: PlanContext
  /** The tasks that are newly done. */
  readonly done: ReadonlyArray<PromptTask>
  readonly pending: ReadonlyArray<NamedTask>
  /** The tester's last message. */
  readonly tester: string
  readonly scope: Scope
}

const rules = [
  "Look for problems, and report nothing else: no praise, no summary, no wish. Look for",
  "- wrong results, crashes, races, lost or corrupt data, holes in security;",
  "- what a task or one of its steps asks for and the work does not do;",
  "- errors and limits that nobody thought of;",
  "- tests that are missing, that only simulate, or that pass without the code;",
  "- breaches of the repository's own conventions, and code that nobody needs.",
  "Verify each problem in the code before you report it, and look for all of them: what you leave out now is not " +
  "looked for again."
].join("\n")

const severities = [
  "For each problem say its severity, its place (path and line), what is wrong, and what to do. `critical` breaks " +
  "things, loses data or opens a hole; `major` is a bug or something that a task asks for and is not there; `minor` " +
  "should be mended and harms nobody; `info` needs no change.",
  "A problem that was there before this work is `info`, unless the work made it worse."
].join("\n")

/** Asks an agent to review the tasks that are newly done. */
export const reviewPrompt = ({ done, pending, plan, scope, tester }: ReviewAsked): string =>
  paragraphs(
    "Review the work that was done in this worktree on the tasks below. They belong to a plan.",
    readerRule,
    scopePart(scope),
    contextPart(plan),
    "These tasks are said to be done:",
    tasksPart(done, plan.file),
    titlesPart(
      "These tasks of the plan are still pending. What they will do is not missing, so do not report it:",
      pending
    ),
    saidPart("The agent that tested the work", tester),
    fenceNote,
    "What agents said of their work is a claim: believe the code and the tests alone.",
    rules,
    severities
  )
