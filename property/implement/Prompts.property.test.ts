// Prompts: text of agents, reviewers and documents is in a fence that it cannot close; a plan's text is indented.
// Each line of a stranger's text bears a mark, and no line outside of the fences bears it.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { ReviewIssue } from "../../src/agent/PlanReview.ts"
import { conversionPrompt, correctionPrompt } from "../../src/agent/TaskProgress.ts"
import {
  analysisPrompt,
  fixPrompt,
  implementPrompt,
  type PromptContext,
  type PromptTask,
  reReviewPrompt,
  reviewPrompt,
  type Scope,
  testPrompt
} from "../../src/drive/plan/Prompts.ts"
import { outside } from "../fences.ts"
import { nasty, unprintable } from "../hostile.ts"

const marked = (mark: string) =>
  nasty.map((text) => text.replace(/^|[\n\r\v\f\x1c-\x1e\u0085\u2028\u2029]/g, `$&${mark}`))
const said = marked("STRANGE")
const planned = marked("PLANNED")
const several = fc.array(planned, { maxLength: 2 })

const task: fc.Arbitrary<PromptTask> = fc.record({
  index: fc.nat({ max: 9 }),
  title: planned,
  description: planned,
  files: several,
  docs: several,
  steps: fc.array(fc.record({ prompt: planned, done: fc.boolean() }), { maxLength: 2 })
})
const tasks = fc.array(task, { maxLength: 2 })
const planContext = fc.record({
  title: fc.option(planned),
  goal: fc.option(planned),
  details: fc.option(planned),
  docs: several
})
const issue: fc.Arbitrary<ReviewIssue> = fc.record({
  severity: fc.constantFrom("critical", "major", "minor", "info"),
  place: fc.option(said),
  description: said,
  suggestion: said
})
const scope: fc.Arbitrary<Scope> = fc.oneof(
  fc.constant({ _tag: "Uncommitted" } as const),
  fc.record({ _tag: fc.constant("Since" as const), revision: planned }),
  fc.constant({ _tag: "Everything" } as const)
)
const anything = { _tag: "Everything" } as const
const review = fc.record({ issues: fc.array(issue, { maxLength: 2 }), text: said })

/** Asserts that all marked lines are in fences or, for a plan, indented, and that nothing is hidden. */
const keepsApart = (text: string): void => {
  const free = outside(text)
  if (free === null) return assert.fail("a fence stays open")
  for (const line of free) {
    assert.notInclude(line, "STRANGE")
    if (line.includes("PLANNED")) assert.match(line, /^ {4}/)
    // Our own lines are indented nowhere: whatever else is, a plan's words or a person's flags can only have brought.
    else assert.match(line, /^(?: {4}.*|[^ ].*)?$/)
  }
  assert.notMatch(text.replace(/\t/g, ""), unprintable)
}

describe("a prompt of a plan run", () => {
  it("fences what others said, and indents the plan's words", () =>
    fc.assert(fc.property(
      planContext,
      tasks,
      tasks,
      review,
      fc.array(said, { maxLength: 2 }),
      said,
      fc.record({ flags: several, scope }),
      (plan, done, pending, review, problems, words, { flags, scope }) => {
        const saidBy = () => words
        const context = { file: "/plan.md", plan, tasks: done, pending, tests: flags, protect: flags, saidBy }
        keepsApart(implementPrompt(context, "t", flags, problems))
        keepsApart(testPrompt(context, "t"))
        keepsApart(fixPrompt(context, "t", words))
        keepsApart(reviewPrompt(context, scope))
        keepsApart(reReviewPrompt(context, scope, 1, review))
        keepsApart(analysisPrompt(context, review, problems[0] ?? null))
        keepsApart(conversionPrompt(words))
        keepsApart(correctionPrompt(problems))
      }
    )))

  it("grows no further than its bounds, whatever was said", () => {
    const long = "x y\n".repeat(20_000)
    const one = { title: long, description: long, files: [], docs: [], steps: [] }
    const tasks = Array.from({ length: 40 }, (_, index) => ({ ...one, index }))
    const plan = { title: long, goal: long, details: long, docs: [long] }
    const previous = { issues: [], text: long }
    const problems = Array.from({ length: 99 }, () => long)
    const context: PromptContext = {
      file: "/plan.md",
      plan,
      tasks,
      pending: tasks,
      tests: [],
      protect: [],
      saidBy: () => long
    }
    const prompts = [
      implementPrompt(context, "t", [], problems),
      testPrompt(context, "t"),
      fixPrompt(context, "t", long),
      reviewPrompt(context, anything),
      reReviewPrompt(context, anything, 1, previous),
      analysisPrompt(context, previous, long),
      conversionPrompt(long.repeat(10)),
      correctionPrompt(problems)
    ]
    for (const prompt of prompts) assert.isBelow(prompt.length, 400_000)
  })
})
