// CodePrompt: what strangers wrote stands in the element alone.
import { assert, describe, it } from "vitest"
import { codePrompt } from "../../../src/hook/Prompts.ts"
import { evil, outsideOf, tag } from "./evil.ts"

describe("the prompt", () => {
  it("holds what strangers wrote in its element and nowhere else", () => {
    const text = codePrompt({
      tag,
      tool: evil,
      path: evil,
      before: evil,
      after: evil,
      response: evil,
      focus: [],
      size: []
    })
    assert.lengthOf(text.split("EVIL"), 5 + 1)
    assert.notInclude(outsideOf(text), "EVIL")
    assert.notInclude(text, "hunter2")
    assert.notInclude(text, "\u202e")
  })

  it("tells what to look at first", () => {
    const asked = { tag, tool: "Edit", path: "a", before: "b", after: "c", response: null, size: [] }
    assert.include(codePrompt({ ...asked, focus: ["security"] }), "the path tells of security")
    assert.notInclude(codePrompt({ ...asked, focus: [] }), "Look at this first")
  })
})
