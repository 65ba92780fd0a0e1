// What an invocation prints and exits with.
import { assert, describe, it } from "vitest"
import { ending, misused, printed } from "../../../src/cli/ending.ts"

describe("the ending", () => {
  it("of an outcome is its text, its header and its code", () =>
    assert.deepStrictEqual(ending("a line\n", { _tag: "BinaryError", message: "no" }), {
      stdout: "a line\n",
      stderr: "BinaryError: no\n",
      code: 6
    }))

  it("of a call for a text is that text", () =>
    assert.deepStrictEqual(printed("help"), { stdout: "help\n", stderr: "", code: 0 }))

  it("of a wrong command line names it and shows the usage", () =>
    assert.deepStrictEqual(misused("unknown flag --x", "Usage: y"), {
      stdout: "",
      stderr: "UsageError: unknown flag --x\nUsage: y\n",
      code: 64
    }))
})
