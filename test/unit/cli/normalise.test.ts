// The rewriting of argv in front of effect/cli: one word a flag, nothing left to guess.
// Rule: what effect/cli makes of the words is not asked here.
import { assert, describe, it } from "vitest"
import { normalise } from "../../../src/cli/argv.ts"

const words = (line: string): ReadonlyArray<string> => normalise(line.split(" ")).words

describe("normalise", () => {
  const rewritten: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["--uncommitted --fresh", ["--uncommitted", "--fresh"]],
    ["--base main", ["--base=main"]],
    ["--base=main", ["--base=main"]],
    ["--base =main", ["--base==main"]],
    ["--base -- --fresh", ["--base=--", "--fresh"]],
    ["--base --base --base", ["--base=--base", "--base"]],
    ["-n 4", ["-n=4"]],
    ["-n4", ["-n=4"]],
    ["-n=4", ["-n=4"]],
    ["-n==4", ["-n==4"]],
    ["-n -4", ["-n=-4"]],
    ["-n", ["-n"]],
    ["--frsh --base x", ["--frsh"]],
    ["-frsh", ["--frsh"]],
    ["--frsh=1", ["--frsh"]],
    ["--fresh x --base y", ["--fresh", "--", "x"]],
    ["--fresh -- -x y", ["--fresh", "--", "-x"]],
    ["--fresh --", ["--fresh"]],
    ["--fresh=1 --json", []],
    ["-fresh --json", []]
  ]
  it.each(rewritten)("%s", (line, expected) => {
    assert.deepEqual(words(line), expected)
  })

  const given = (...argv: ReadonlyArray<string>) => {
    const found = normalise(argv).given
    return found === null ? null : Object.fromEntries(found)
  }

  it("reads values whole and switches as the empty text", () => {
    const expected = { "--fresh": "", "--base": "=a b", "-n": "4", "--codex-bin": "" }
    assert.deepEqual(given("--fresh", "--base==a b", "-n4", "--codex-bin="), expected)
    assert.deepEqual(given(), {})
  })

  it.each([
    ["--base"],
    ["--base x --base y"],
    ["--fresh --json --fresh"],
    ["-n4 -n 4"],
    ["--frsh"],
    ["--fresh x"],
    ["--fresh -- x"],
    ["--fresh=1"]
  ])("reads nothing where there is a mistake: %s", (line) => assert.isNull(given(...line.split(" "))))

  it("asks effect/cli about no name longer than any flag could be meant by", () => {
    assert.deepEqual(words(`--${"x".repeat(65)}`), [])
    assert.lengthOf(words(`--${"x".repeat(64)}`), 1)
  })
})
