// Prompts: each says what is asked, of whom, and in which form the answer is read.
import { assert, describe, it } from "vitest"
import { patternsPrompt, retroPrompt } from "../../../../src/drive/converge/Prompts.ts"

describe("a prompt", () => {
  it("asks a reader for patterns", () => {
    const text = retroPrompt({
      contractPrompt: "All clean.\n",
      taskId: "round-3/retro",
      historyFile: "/h.md",
      level: "high"
    })
    assert.isTrue(text.startsWith("All clean.\n\nYou only read"))
    assert.include(text, "up to level high: /h.md")
    assert.include(text, "role: code-quality-reviewer\ntask_id: round-3/retro\n")
    assert.notInclude(text, "git_range")
  })

  it("asks a worker for the patterns", () => {
    const text = patternsPrompt({
      taskId: "round-3/patterns",
      patterns: "Paths are joined by hand.",
      historyFile: "/h.md",
      tests: ["npm test"],
      protect: ["*.lock"],
      floor: "medium"
    })
    for (
      const part of [
        "| Paths are joined by hand.",
        "History: /h.md",
        "    npm test\n",
        "    *.lock\n",
        "at level medium"
      ]
    ) {
      assert.include(text, part)
    }
    assert.include(text, "role: worker\ntask_id: round-3/patterns\n")
  })
})
