// ReviewParts: hints are told where there are any, and the parts ask for what the hook reads.
import { assert, describe, it } from "vitest"
import { parseHookVerdict } from "../../../src/hook/Verdict.ts"
import { advicePart, hintsPart, methodPart, readerPart, verdictPart } from "../../../src/hook/Prompts.ts"
import { paragraphs } from "../../../src/text/Phrases.ts"

describe("the parts", () => {
  it("tell each hint on a line, and nothing where there is none", () => {
    assert.strictEqual(hintsPart([], []), "")
    assert.lengthOf(hintsPart(["security", "test"], ["large"]).split("\n"), 4)
  })

  it("are paragraphs, and what is empty is none", () => assert.strictEqual(paragraphs("a", "", "b"), "a\n\nb"))

  it("are no verdict themselves, where an answer repeats them", () => {
    for (const part of [readerPart, methodPart, verdictPart, advicePart]) {
      assert.strictEqual(parseHookVerdict(part), "UNCERTAIN")
    }
  })
})
