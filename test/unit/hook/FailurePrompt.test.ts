// FailurePrompt: what strangers wrote stands in the element alone.
import { assert, describe, it } from "vitest"
import { failurePrompt } from "../../../src/hook/Prompts.ts"
import { evil, outsideOf, tag } from "./evil.ts"

describe("the prompt", () => {
  it("holds what strangers wrote in its element and nowhere else", () => {
    const text = failurePrompt({ tag, command: evil, error: evil, hints: [] })
    assert.lengthOf(text.split("EVIL"), 2 + 1)
    assert.notInclude(outsideOf(text), "EVIL")
    assert.notInclude(text, "hunter2")
    assert.notInclude(text, "\u202e")
  })

  it("says what the command is about", () => {
    assert.include(failurePrompt({ tag, command: "git x", error: "y", hints: ["git"] }), "- git:")
    assert.notInclude(failurePrompt({ tag, command: "x", error: "y", hints: [] }), "The command is about")
  })
})
