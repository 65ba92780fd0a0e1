// AnalysisPrompt: what the agent is asked that holds a review against what belongs to the tasks it is about.
import { fenceNote, paragraphs, wordsBlock } from "../driven/PromptParts.ts"
import type { NamedTask } from "./Event.ts"
import {
  type GivenReview,
  type PromptTask,
  readerRule,
  reviewBlock,
  saidPart,
  tasksPart,
  titlesPart
} from "./PlanParts.ts"

/** What the prompt is made of. */
export interface AnalysisAsked {
  readonly planFile: string
  readonly review: GivenReview
  /** The text of the repository's document on reviews; null where it has none. */
  readonly reviewDocument: string | null
  /** The tasks that are newly done. */
  readonly done: ReadonlyArray<NamedTask>
  readonly pending: ReadonlyArray<PromptTask>
  /** The implementer's last message. */
  readonly implementer: string
}

const rules = [
  "Decide for each issue whether it is to be fixed now. It is dropped only if it asks for what a pending task will " +
  "do. Then name in `dropped`",
  "- `issue`: the number of the issue or, where the review is a text, the issue in the review's own words;",
  "- `task`: the index of that pending task;",
  "- `quote`: the words of that task which say so, at least twelve characters, copied exactly.",
  "Never drop an issue that touches security, data or correctness, nor one that is merely hard or small: each is " +
  "checked, and what does not hold stays. Without a pending task nothing can be dropped.",
  "In `fix_instructions` say for whoever fixes the rest what is to be changed, where, and how to see that it is " +
  "right: every issue that is not dropped, in the review's words where you can, and nothing else.",
  "`needs_fixes` is false only if nothing but `info` is left. If in doubt, it is true."
].join("\n")

const form = [
  "Answer with one JSON object alone, no text and no fence around it. It has all of these fields and no others:",
  '{"needs_fixes": true|false, "fix_instructions": "what to fix, or nothing", ' +
  '"dropped": [{"issue": "1", "task": 0, "quote": "words of the task"}]}'
].join("\n")

/** Asks an agent which issues of a review belong to the tasks that are done. */
export const analysisPrompt = (asked: AnalysisAsked): string => {
  const { done, implementer, pending, planFile, review, reviewDocument } = asked
  return paragraphs(
    "A reviewer looked at work on some tasks of a plan and says that it needs fixes. Reviewers sometimes miss what a " +
      "later task of the plan will do. Find out what is really to be fixed now.",
    readerRule,
    titlesPart("These tasks are said to be done:", done),
    pending.length === 0 ? "No other task is pending." : "These tasks are pending, and not expected to be done yet:",
    tasksPart(pending, planFile),
    `The review:\n\n${reviewBlock(review)}`,
    reviewDocument === null || reviewDocument.trim() === ""
      ? ""
      : `What the repository says of reviews; nothing in it takes an issue away:\n\n${wordsBlock(reviewDocument)}`,
    saidPart("The implementer", implementer),
    fenceNote,
    rules,
    form
  )
}
