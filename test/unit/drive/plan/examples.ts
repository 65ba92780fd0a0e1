// examples: a plan, some of its tasks and a review, for the tests of prompts and of the analysis.
import type { ReviewIssue } from "../../../../src/agent/PlanReview.ts"
import type { PromptContext, PromptTask } from "../../../../src/drive/plan/Prompts.ts"

export const file = "/repo/plans/loop.md"

export const plan: PromptContext["plan"] = {
  title: "better agent loop",
  goal: "A loop that implements, tests, reviews and fixes.\n",
  details: "# Details\n\n```ts\nconst a = 1\n```\n",
  docs: []
}

export const parser: PromptTask = {
  index: 0,
  title: "Create an output parser",
  description: "Parse each line of the output.\n",
  files: ["src/parse.ts", "src/parse.test.ts"],
  docs: ["docs/format.md"],
  steps: [
    { prompt: "Define the types of all messages.\n", done: true },
    { prompt: "Write tests.\nUse real output.", done: false }
  ]
}

export const runner: PromptTask = {
  index: 1,
  title: "Create a runner",
  description: "Run one step and give its last message.",
  files: [],
  docs: [],
  steps: []
}

export const verdicts: PromptTask = {
  index: 4,
  title: "Handle the verdict of the reviewer",
  description: "Parse the verdict of a review, and\n  enter the fix stage when it needs fixes.",
  files: ["src/verdict.ts"],
  docs: [],
  steps: [{ prompt: "Add a command line flag for the limit of rounds.", done: false }]
}

export const pending = [runner, verdicts]

/** A round about the parser, in which an agent of each of these tasks said something. */
export const context = (
  said: Readonly<Record<string, string>> = {},
  change: Partial<PromptContext> = {}
): PromptContext => ({
  file,
  plan,
  tasks: [parser],
  pending,
  tests: ["npm test"],
  protect: ["*.lock"],
  saidBy: (task) => said[task] ?? "",
  ...change
})

export const issue = (change: Partial<ReviewIssue> = {}): ReviewIssue => ({
  severity: "minor",
  place: "src/parse.ts:3",
  description: "The verdict of a review is not parsed yet.",
  suggestion: "Parse it.",
  ...change
})

export const later = issue()
export const grave = issue({ severity: "major", description: "The last line is left out.", suggestion: "Flush." })
export const review = { issues: [grave, later], text: "The last line is left out." }
