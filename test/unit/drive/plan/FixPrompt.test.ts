import { assert, it } from "vitest"
import { fixPrompt } from "../../../../src/drive/plan/Prompts.ts"
import { parser, plan } from "./examples.ts"

it("a fixer gets the instructions whole, what was said before, and the rules of small changes", () => {
  const asked = {
    taskId: "cycle-2/fix-3",
    planFile: plan.file,
    done: [parser],
    tests: ["npm test"],
    protect: ["*.lock"]
  }
  const instructions = `${"x".repeat(40_000)}\nthe last issue`
  const text = fixPrompt({ ...asked, implementer: "It is there.", tester: "It is tested.", instructions })
  for (
    const part of [
      "## Task 0\n\n    Create an output parser",
      "The implementer said:\n\n```text\n| It is there.\n",
      "The tester said:\n\n```text\n| It is tested.\n",
      "\n| the last issue\n```\n",
      "smallest safe change",
      "could not be fixed",
      "\n    npm test\n",
      "\n    *.lock\n",
      `Do not edit the plan, ${plan.file},`,
      "\nFAILED: <one sentence>\n",
      "\ntask_id: cycle-2/fix-3\n"
    ]
  ) assert.include(text, part)
  assert.notInclude(text, "Cut here.")
})
