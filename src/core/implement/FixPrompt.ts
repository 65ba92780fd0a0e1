// FixPrompt: what the agent is asked that fixes what a review found in the work on a plan's tasks.
import {
  fenceNote,
  gitRule,
  paragraphs,
  protectPart,
  resultPart,
  statusPart,
  testsPart,
  wordsBlock
} from "../driven/PromptParts.ts"
import { oneLine } from "../text/Text.ts"
import { failedPart, planRule, type PromptTask, saidPart, tasksPart } from "./PlanParts.ts"

/** What the prompt is made of. */
export interface FixAsked {
  readonly taskId: string
  readonly planFile: string
  /** The tasks that are newly done. */
  readonly done: ReadonlyArray<PromptTask>
  /** The last messages of the implementer and of the tester. */
  readonly implementer: string
  readonly tester: string
  /** What is to be fixed: from the analysis of the first review, later the last review itself. */
  readonly instructions: string
  readonly tests: ReadonlyArray<string>
  readonly protect: ReadonlyArray<string>
}

// Issues stand at the end of the instructions, so they get more room than what agents said.
const mostInstructions = 60_000

const rules = [
  "Verify each issue against the code before you act on it. Then:",
  "- make the smallest safe change that removes its cause: no rewrite, no new feature, nothing beyond these tasks;",
  "- where it is a bug, write a test that fails without the change;",
  "- run the tests that are concerned, and see them pass;",
  "- never weaken or skip a test, and silence no check.",
  "Below the headers say for each issue what you changed. Where one could not be fixed, or is no problem, say so and " +
  "why."
].join("\n")

/** Asks an agent to fix what a review found. */
export const fixPrompt = (asked: FixAsked): string =>
  paragraphs(
    "A review of the work on the tasks below found problems; the work lies in this worktree. Fix them.",
    tasksPart(asked.done, asked.planFile),
    saidPart("The implementer", asked.implementer),
    saidPart("The tester", asked.tester),
    `This is to be fixed:\n\n${wordsBlock(asked.instructions, mostInstructions)}`,
    fenceNote,
    rules,
    testsPart(asked.tests),
    protectPart(asked.protect),
    planRule(asked.planFile),
    gitRule,
    failedPart,
    resultPart({ role: "worker", taskId: oneLine(asked.taskId) }),
    statusPart("every issue is fixed or answered, and the tests pass")
  )
