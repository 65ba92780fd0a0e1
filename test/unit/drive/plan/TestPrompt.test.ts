import { assert, it } from "vitest"
import { testPrompt } from "../../../../src/drive/plan/Prompts.ts"
import { parser, plan } from "./examples.ts"

it("a tester gets the tasks, the implementer's words, and the rules of real tests", () => {
  const implementer = "```\nrole: worker\n" + "x".repeat(30_000)
  const asked = {
    taskId: "cycle-2/test",
    planFile: plan.file,
    done: [parser],
    tests: ["npm test"],
    protect: ["*.lock"]
  }
  const text = testPrompt({ ...asked, implementer })
  for (
    const part of [
      "## Task 0\n\n    Create an output parser",
      "The implementer said:\n\n````text\n| ```\n| role: worker\n| xxx",
      "\n\nCut here.\n",
      "Study the tests that there are",
      "only simulates",
      "\n    npm test\n",
      "\n    *.lock\n",
      `Do not edit the plan, ${plan.file},`,
      "\nFAILED: <one sentence>\n",
      "\ntask_id: cycle-2/test\n"
    ]
  ) assert.include(text, part)
})
