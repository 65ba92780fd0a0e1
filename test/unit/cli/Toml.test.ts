// TOML texts: the keys of the top level, and the line of a mistake.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { readToml } from "../../../src/cli/configuration.ts"

const read = (text: string) => Result.getOrThrow(readToml(text))
const problem = (text: string) => Result.match(readToml(text), { onFailure: (line) => line, onSuccess: () => null })

describe("a TOML text", () => {
  it("is its keys in their order", () =>
    assert.deepStrictEqual(read('test = ["npm test"]\nmax-rounds = 30\nisolate = true # now\n'), [
      ["test", ["npm test"]],
      ["max-rounds", 30],
      ["isolate", true]
    ]))

  it("may begin with a BOM and end its lines with CRLF", () =>
    assert.deepStrictEqual(read('\uFEFFblock = "P1"\r\njobs = 2\r\n'), [["block", "P1"], ["jobs", 2]]))

  it("may be empty", () => assert.deepStrictEqual(read(""), []))
})

describe("a mistake", () => {
  it("is told in one line with its place", () => {
    assert.match(`${problem('jobs = 2\nblock = "P1\n')}`, /^line 2: [^\n]+ \[correct that line\]$/)
    assert.match(`${problem("jobs = 1\njobs = 2\n")}`, /^line 2: /)
  })

  it("is what nests too deeply, too", () => assert.match(`${problem(`a = ${"[".repeat(99)}`)}`, /\[correct/))
})
