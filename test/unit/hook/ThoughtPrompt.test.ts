// ThoughtPrompt: what strangers wrote stands in the element alone.
import { assert, describe, it } from "vitest"
import { thoughtPrompt } from "../../../src/hook/Prompts.ts"
import { evil, outsideOf, tag } from "./evil.ts"

describe("the prompt", () => {
  it("holds what strangers wrote in its element and nowhere else", () => {
    const text = thoughtPrompt({ tag, thought: evil, number: 1, total: 3, stage: "early" })
    assert.lengthOf(text.split("EVIL"), 1 + 1)
    assert.notInclude(outsideOf(text), "EVIL")
    assert.notInclude(text, "hunter2")
    assert.notInclude(text, "\u202e")
  })

  it("asks for another thing at each stage, and for no verdict", () => {
    const stages = (["early", "mid", "late"] as const).map((stage) =>
      thoughtPrompt({ tag, thought: "a", number: 2, total: 5, stage })
    )
    assert.strictEqual(new Set(stages).size, 3)
    for (const text of stages) assert.notInclude(text, "PASS")
  })
})
