// PlanPrompt: what strangers wrote stands in the element alone.
import { assert, describe, it } from "vitest"
import { planPrompt } from "../../../src/hook/Prompts.ts"
import { evil, outsideOf, tag } from "./evil.ts"

describe("the prompt", () => {
  it("holds what strangers wrote in its element and nowhere else", () => {
    const text = planPrompt({ tag, plan: evil })
    assert.lengthOf(text.split("EVIL"), 1 + 1)
    assert.notInclude(outsideOf(text), "EVIL")
    assert.notInclude(text, "hunter2")
    assert.notInclude(text, "\u202e")
  })

  it("asks for a verdict", () => assert.include(planPrompt({ tag, plan: "a" }), "PASS or FAIL"))
})
