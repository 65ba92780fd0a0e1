// Prompts: words of agents and tests are fenced and bounded; words of the user are indented and complete.
import { assert, describe, it } from "vitest"
import { endOf, indented, outputBlock, projectHoles, redLine, wordsBlock } from "../../../src/drive/Prompts.ts"

describe("a part of a prompt", () => {
  it("says how a test ended", () => {
    assert.strictEqual(endOf({ exit: 2, timeout: 1000 }), "ended with exit status 2")
    assert.strictEqual(endOf({ exit: null, timeout: 1_800_000 }), "was killed after 30m")
    assert.include(redLine({ command: "a", exit: 1, timeout: 1, changed: false }), "exit status 1, twice in a row:")
    assert.include(redLine({ command: "a", exit: 127, timeout: 1, changed: false }), "status 127, command not found:")
    assert.include(
      redLine({ command: "a", exit: 0, timeout: 1, changed: true }),
      "The code changed while this test ran"
    )
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

  it("has the full names of tests and protected files", () => {
    const long = `npm test ${"x".repeat(30_000)}`
    assert.deepStrictEqual(projectHoles({ tests: [long, "a\nb"], protect: [] }), {
      tests: `    ${long}\n    a\n    b`,
      protect: ""
    })
  })

  it("indents words of the user, and leaves blank lines blank", () =>
    assert.strictEqual(indented(["a\n\n```\rb", "\tc"]), "    a\n\n    ```\n    b\n    \tc"))
})
