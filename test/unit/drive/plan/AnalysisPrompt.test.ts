import { assert, it } from "vitest"
import { Analysis } from "../../../../src/drive/plan/Analysis.ts"
import { analysisPrompt } from "../../../../src/drive/plan/Prompts.ts"
import { parser, pending, plan, review, runner, verdicts } from "./examples.ts"

const asked = {
  planFile: plan.file,
  review,
  reviewDocument: "Report leaks.",
  done: [{ index: parser.index, title: parser.title }],
  pending: [runner, verdicts],
  implementer: "It is there."
}

it("an analysis gets the review, the pending tasks in full, and the form of its answer", () => {
  const text = analysisPrompt(asked)
  for (
    const part of [
      "change no file",
      "\n    0: Create an output parser\n",
      "## Task 4\n\n    Handle the verdict of the reviewer",
      "\n| 2. [minor] src/parse.ts:3: The verdict of a review is not parsed yet.\n",
      "\n| Report leaks.\n",
      "The implementer said:\n\n```text\n| It is there.\n```",
      "security, data or correctness",
      "exactly"
    ]
  ) assert.include(text, part)
  for (const field of Object.keys(Analysis.fields)) assert.include(text, `"${field}": `)
  for (const field of ["issue", "task", "quote"]) assert.include(text, `- \`${field}\`: `)
})

it("an analysis without pending tasks is told so, and without a document nothing of one", () => {
  const text = analysisPrompt({ ...asked, reviewDocument: "\n", pending: [] })
  assert.include(text, "No other task is pending.")
  assert.notInclude(text, "## Task")
  assert.notInclude(text, "the repository says of reviews")
  assert.include(analysisPrompt({ ...asked, pending: [verdicts] }), pending[1]?.title ?? "?")
})
