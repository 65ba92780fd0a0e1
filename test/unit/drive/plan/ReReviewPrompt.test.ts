import { assert, it } from "vitest"
import { reReviewPrompt } from "../../../../src/drive/plan/Prompts.ts"
import { parser, pending, plan, review } from "./examples.ts"

it("a reviewer of fixes gets the issues before them, the fixer's words, and three words to judge by", () => {
  const scope = { _tag: "Since", revision: "main" } as const
  const asked = { planFile: plan.file, previous: review, fixer: "Mended.", done: [parser], pending, scope }
  const text = reReviewPrompt(asked)
  for (
    const part of [
      "change no file",
      "merge base",
      "\n    main\n",
      "## Task 0\n\n    Create an output parser",
      "do not report it:\n\n    1: Create a runner\n",
      "\n| 1. [major] src/parse.ts:3: The last line is left out.\n",
      "The fixer said:\n\n```text\n| Mended.\n```",
      "- RESOLVED: ",
      "- NOT_ADDRESSED: ",
      "- PARTIALLY_ADDRESSED: ",
      "keeps its severity, and its description begins with that word",
      "only where it blocks"
    ]
  ) assert.include(text, part)
  assert.notMatch(text, /verdict:|json|acceptable/i)
  assert.include(reReviewPrompt({ ...asked, previous: { issues: [], text: "Raw." } }), "\n| Raw.\n")
})
