import { assert, describe, it } from "vitest"
import {
  answersPart,
  endOf,
  indented,
  outputBlock,
  protectPart,
  resultPart,
  testsPart,
  wordsBlock
} from "../../../src/drive/Prompts.ts"
import { paragraphs } from "../../../src/text/Phrases.ts"

describe("a part of a prompt", () => {
  it("stands apart from the others, and not at all where it is empty", () =>
    assert.strictEqual(paragraphs("a", "", "b"), "a\n\nb"))

  it("tells how a test ended", () => {
    assert.strictEqual(endOf({ exit: 2, timeout: 1000 }), "ended with exit status 2")
    assert.strictEqual(endOf({ exit: null, timeout: 1_800_000 }), "was killed after 30m 00s")
  })

  it("shows the end of an output and the beginning of words, fenced", () => {
    assert.strictEqual(outputBlock(" \n"), "It printed nothing.")
    assert.strictEqual(outputBlock("a\n```"), "The end of its output:\n\n````text\n| a\n| ```\n````")
    const output = outputBlock(`first${"x".repeat(16_000)}last`)
    assert.include(output, "last")
    assert.notInclude(output, "first")
    const words = wordsBlock(`first${"x".repeat(20_000)}last`)
    assert.include(words, "first")
    assert.notInclude(words, "last")
    assert.isTrue(words.endsWith("\n\nCut here."))
    assert.strictEqual(wordsBlock("abc", 2), "```text\n| ab\n```\n\nCut here.")
    assert.strictEqual(wordsBlock("x".repeat(20_000)), "```text\n| " + "x".repeat(20_000) + "\n```")
  })

  it("names tests and protected files", () => {
    assert.include(testsPart([]), "no tests")
    assert.include(testsPart(["npm test", "a\nb"]), "\n\n    npm test\n    a\n    b")
    const long = `npm test ${"x".repeat(30_000)}`
    assert.include(testsPart([long]), `    ${long}`)
    assert.strictEqual(protectPart([]), "")
    assert.include(protectPart(["*.lock"]), "\n\n    *.lock")
  })

  it("indents what a person gave, and leaves blank lines blank", () =>
    assert.strictEqual(indented(["a\n\n```\rb", "\tc"]), "    a\n\n    ```\n    b\n    \tc"))

  it("asks for a result by the contract, and for a range of a worker alone", () => {
    const worker = resultPart({ role: "worker", taskId: "round-1/address" })
    assert.include(worker, "\nrole: worker\ntask_id: round-1/address\nstatus: pass|gaps|error\ngit_range: ")
    assert.include(worker, "HEAD..HEAD")
    assert.notInclude(resultPart({ role: "code-quality-reviewer", taskId: "t" }), "HEAD")
  })

  it("asks for an answer to each finding", () => {
    assert.strictEqual(answersPart([]), "")
    const text = answersPart(["a", "b"])
    assert.include(text, "\nfinding <fingerprint>: fixed|refuted|documented|not-done - <why>\n")
    assert.include(text, "The fingerprints are: a, b.")
  })
})
