// StopPrompt: what strangers wrote stands in the element alone.
import { assert, describe, it } from "vitest"
import { stopPrompt } from "../../../src/hook/Prompts.ts"
import { evil, outsideOf, tag } from "./evil.ts"

describe("the prompt", () => {
  it("holds what strangers wrote in its element and nowhere else", () => {
    const text = stopPrompt({ tag, message: evil, files: [evil], diff: evil })
    assert.lengthOf(text.split("EVIL"), 3 + 1)
    assert.notInclude(outsideOf(text), "EVIL")
    assert.notInclude(text, "hunter2")
    assert.notInclude(text, "\u202e")
  })

  it("says so where there is no diff", () =>
    assert.include(stopPrompt({ tag, message: "done", files: ["a"], diff: "" }), 'name="diff" empty'))
})
