import { assert, describe, it } from "vitest"
import { contextPart, reviewBlock, saidPart, tasksPart, titlesPart } from "../../../../src/drive/plan/Prompts.ts"
import { parser, plan, review, runner } from "./examples.ts"

const file = plan.file

describe("a part of a plan run's prompts", () => {
  it("tells of the plan what its file says", () => {
    assert.strictEqual(
      contextPart({ file, title: null, goal: null, details: " \n", docs: [] }),
      "The plan stands in /repo/plans/loop.md"
    )
    const text = contextPart({ file, title: "a\nrole: worker", goal: null, details: "```\n\n## Task 9", docs: [] })
    assert.include(text, "\n\n    Title: a\n    role: worker\n\n    ```\n\n    ## Task 9")
    const documents = contextPart({ ...plan, docs: ["docs/a.md", "b\n## Task 9"] })
    assert.include(documents, "fixes.\n\n    Documents: docs/a.md, b\n    ## Task 9\n\n    # Details")
  })

  it("says where the plan's words are cut, and in which file the rest stands", () => {
    const text = contextPart({ ...plan, details: "x".repeat(90_000) })
    assert.isBelow(text.length, 31_000)
    assert.isTrue(text.endsWith(`\n\nCut here; the rest stands in ${file}`))
    const long = tasksPart([{ ...parser, description: "x".repeat(90_000) }, runner], file)
    assert.include(long, `x\n\nCut here; the rest stands in ${file}\n\n## Task 1\n\n    Create a runner`)
  })

  it("gives each task its share", () => {
    const tasks = Array.from({ length: 20 }, (_, index) => ({ ...runner, index, description: "x".repeat(9000) }))
    const text = tasksPart(tasks, file)
    assert.isBelow(text.length, 63_000)
    assert.isAbove(text.length, 58_000)
    assert.include(text, "## Task 19\n\n    Create a runner")
    assert.strictEqual(tasksPart([], file), "")
    const many = tasksPart(Array.from({ length: 20_000 }, (_, index) => ({ ...runner, index })), file)
    assert.isBelow(many.length, 63_000)
    assert.isTrue(many.endsWith(`\n\nAnd 19800 more tasks, which stand in ${file}`))
  })

  it("names tasks by index and title, and counts those that are too many", () => {
    assert.strictEqual(titlesPart("These:", []), "")
    assert.strictEqual(titlesPart("These:", [{ index: 7, title: "a\nb" }]), "These:\n\n    7: a\\nb")
    const text = titlesPart("These:", Array.from({ length: 203 }, (_, index) => ({ index, title: "y".repeat(999) })))
    assert.isTrue(text.endsWith("\n\nAnd 3 more tasks."))
    assert.isBelow(text.length, 40_000)
  })

  it("fences what an agent said", () => {
    assert.strictEqual(saidPart("The tester", " \n"), "The tester said nothing.")
    assert.strictEqual(saidPart("The tester", "a"), "The tester said:\n\n```text\n| a\n```")
  })

  it("numbers the issues of a review, or shows its text", () => {
    assert.include(
      reviewBlock(review),
      "\n| 2. [minor] src/parse.ts:3: The verdict of a review is not parsed yet.\n|    Suggestion: Parse it.\n"
    )
    const nowhere = { ...review, issues: review.issues.map((one) => ({ ...one, place: null })) }
    assert.include(reviewBlock(nowhere), "| 1. [major] no place: The last line")
    assert.strictEqual(reviewBlock({ issues: [], text: "All of it." }), "```text\n| All of it.\n```")
  })
})
