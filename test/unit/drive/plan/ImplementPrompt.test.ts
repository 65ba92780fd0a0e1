import { assert, describe, it } from "vitest"
import { claims } from "../../../../src/drive/plan/Steps.ts"
import { donePart, implementPrompt } from "../../../../src/drive/plan/Prompts.ts"
import { parser, pending, plan, runner } from "./examples.ts"

const asked = {
  taskId: "cycle-1/implement",
  plan,
  tasks: [parser],
  pending,
  conventions: ["AGENTS.md", "CONTRIBUTING.md"],
  tests: ["npm test"],
  protect: ["*.lock"],
  problems: []
}

describe("an implementer", () => {
  it("gets the tasks in play in full, and the others by title alone", () => {
    const text = implementPrompt(asked)
    assert.include(text, "## Task 0\n\n    Create an output parser")
    assert.include(text, "Step 2: Write tests.\n    Use real output.")
    assert.include(text, "\n    1: Create a runner\n    4: Handle the verdict of the reviewer\n")
    assert.notInclude(text, runner.description)
  })

  it("is told what it may not do, and how to answer", () => {
    const text = implementPrompt(asked)
    for (
      const part of [
        "\n    AGENTS.md\n    CONTRIBUTING.md\n",
        "do not answer with a plan",
        `Do not edit the plan, ${plan.file},`,
        "\n    npm test\n",
        "\n    *.lock\n",
        "\nFAILED: <one sentence>\n",
        "\nrole: worker\ntask_id: cycle-1/implement\n"
      ]
    ) assert.include(text, part)
  })

  it("is told why its last answer could not be taken, and at first nothing of that", () => {
    assert.notInclude(implementPrompt(asked), "asked before")
    const text = implementPrompt({ ...asked, problems: Array.from({ length: 20 }, (_, i) => `why ${i}\n`) })
    assert.include(text, "\n| why 0\\n\n")
    assert.notInclude(text, "why 10")
  })

  it("whose prompt is echoed claims nothing", () =>
    assert.deepStrictEqual(claims(donePart([parser, runner]), [0, 1]).tasks, []))
})
