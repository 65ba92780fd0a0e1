// ReReviewPrompt: what the reviewer of fixes is asked. `askedInForm` adds the form of the answer.
import { fenceNote, paragraphs } from "../driven/PromptParts.ts"
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
import { type Scope, scopePart } from "./Scope.ts"

/** What the prompt is made of. */
export interface ReReviewAsked {
  readonly planFile: string
  /** The review that the fixes answer. */
  readonly previous: GivenReview
  /** The fixer's last message. */
  readonly fixer: string
  /** The tasks that are newly done. */
  readonly done: ReadonlyArray<PromptTask>
  readonly pending: ReadonlyArray<NamedTask>
  readonly scope: Scope
}

const rules = [
  "Judge each issue of that review by the code as it is now:",
  "- RESOLVED: its cause is gone, or it never was a problem, and the fixer says rightly why. Leave it out.",
  "- NOT_ADDRESSED: nothing was done about it. List it again.",
  "- PARTIALLY_ADDRESSED: something of it is left. List it again, and say what is left.",
  "An issue that is listed again keeps its severity, and its description begins with that word and a colon. What " +
  "the review called `info`, and what a pending task will do, need not be addressed.",
  "Look also at what the fixes themselves broke. List a new issue only where it blocks (critical or major); leave " +
  "other new ones out. For each issue say its place (path and line), what is wrong, and what to do."
].join("\n")

/** Asks an agent whether fixes resolve what a review found. */
export const reReviewPrompt = ({ done, fixer, pending, planFile, previous, scope }: ReReviewAsked): string =>
  paragraphs(
    "The work in this worktree on the tasks below was reviewed, and then fixed. Review the fixes.",
    readerRule,
    scopePart(scope),
    "These tasks are said to be done:",
    tasksPart(done, planFile),
    titlesPart("These tasks are still pending. What they will do is not missing, so do not report it:", pending),
    `The review before the fixes:\n\n${reviewBlock(previous)}`,
    saidPart("The fixer", fixer),
    fenceNote,
    "What the fixer said is a claim: believe the code and the tests alone.",
    rules
  )
