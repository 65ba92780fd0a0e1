// CompactPrompt: what strangers wrote stands in the element alone.
import { assert, describe, it } from "vitest"
import { compactPrompt } from "../../../src/hook/Prompts.ts"
import { evil, outsideOf, tag } from "./evil.ts"

describe("the prompt", () => {
  it("holds what strangers wrote in its element and nowhere else", () => {
    const text = compactPrompt({ tag, transcript: evil, open: evil })
    assert.lengthOf(text.split("EVIL"), 2 + 1)
    assert.notInclude(outsideOf(text), "EVIL")
    assert.notInclude(text, "hunter2")
    assert.notInclude(text, "\u202e")
  })

  it("asks for no verdict", () => assert.notInclude(compactPrompt({ tag, transcript: "a", open: "b" }), "PASS"))
})
