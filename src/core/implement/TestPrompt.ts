// TestPrompt: what the agent is asked that tests what an implementer of a plan's tasks has done.
import {
  fenceNote,
  gitRule,
  paragraphs,
  protectPart,
  resultPart,
  statusPart,
  testsPart
} from "../driven/PromptParts.ts"
import { oneLine } from "../text/Text.ts"
import { failedPart, planRule, type PromptTask, saidPart, tasksPart } from "./PlanParts.ts"

/** What the prompt is made of. */
export interface TestAsked {
  readonly taskId: string
  readonly planFile: string
  /** The tasks that are newly done. */
  readonly done: ReadonlyArray<PromptTask>
  /** The implementer's last message. */
  readonly implementer: string
  readonly tests: ReadonlyArray<string>
  readonly protect: ReadonlyArray<string>
}

const rules = [
  "Work in this order:",
  "1. Study the tests that there are: how they are written, what they use, and what of this work they cover.",
  "2. Fill the gaps: what a task asks for and no test shows, limits, errors, and inputs that nobody expects.",
  "3. Run the tests, and mend those that fail. Where the code is wrong mend the code, where a test is wrong the " +
  "test, and say which it was. Never weaken or skip a test so that it passes.",
  "4. Replace each test that only simulates: one that checks its own mocks, repeats the implementation, or passes " +
  "without the code that it is about. A good test runs the real thing, with real files where there are files.",
  "Add no feature, and change nothing else."
].join("\n")

/** Asks an agent to test the tasks that are newly done. */
export const testPrompt = ({ done, implementer, planFile, protect, taskId, tests }: TestAsked): string =>
  paragraphs(
    "Another agent has just implemented the tasks below; its work lies in this worktree. Make sure by tests that it " +
      "does what they ask for.",
    tasksPart(done, planFile),
    saidPart("The implementer", implementer),
    fenceNote,
    rules,
    testsPart(tests),
    protectPart(protect),
    planRule(planFile),
    gitRule,
    failedPart,
    resultPart({ role: "worker", taskId: oneLine(taskId) }),
    statusPart("what these tasks ask for is tested, and the tests pass")
  )
