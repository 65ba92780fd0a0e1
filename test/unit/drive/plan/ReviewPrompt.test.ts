import { assert, it } from "vitest"
import { addAnswerForm } from "../../../../src/agent/TaskProgress.ts"
import { reviewPrompt } from "../../../../src/drive/plan/Prompts.ts"
import { parser, pending, plan } from "./examples.ts"

it("a reviewer gets the work, what is pending, and the severities; the form of the answer is left to who adds it", () => {
  const text = reviewPrompt({ plan, done: [parser], pending, tester: "All green.", scope: { _tag: "Uncommitted" } })
  for (
    const part of [
      "change no file",
      "`git diff HEAD`",
      "    Title: better agent loop\n",
      "## Task 0\n\n    Create an output parser",
      "What they will do is not missing, so do not report it:\n\n    1: Create a runner\n",
      "said:\n\n```text\n| All green.\n```",
      "report nothing else",
      "before this work is `info`"
    ]
  ) assert.include(text, part)
  assert.notMatch(text, /verdict:|json|acceptable/i)
  assert.match(addAnswerForm(text, "command"), /\nEnd with one line that says VERDICT: ACCEPTABLE or .*\n$/)
})
