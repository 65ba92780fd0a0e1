// The settings from the texts of flags: the order of the checks, and what cannot come from a command line.
import { Result } from "effect"
import { assert, it } from "vitest"
import { settingsOf, givenTexts } from "../../../src/cli/convergeOptions.ts"

const problem = (...texts: ReadonlyArray<readonly [string, string]>) =>
  Result.match(settingsOf(new Map(texts.map(([option, text]) => [option, [text]]))), {
    onFailure: (line) => line,
    onSuccess: () => null
  })

const base = ["--base", "main"] as const

it("tells the mode first, then the step's values, then its own", () => {
  const own = ["--patience", "x"] as const
  assert.match(`${problem(["--jobs", "x"], own)}`, /^one of --uncommitted/)
  assert.match(`${problem(base, ["--jobs", "x"], own)}`, /^--jobs "x"/)
  assert.match(`${problem(base, own)}`, /^--patience "x"/)
})

it("asks for tests only where all else is right", () => {
  assert.match(`${problem(base, ["--notify", " "])}`, /^--notify " ": expected a text/)
  assert.isNull(problem(base))
})

it("links without --isolate too, since a run always reads copies", () => assert.isNull(problem(base, ["--link", "x"])))

it("a switch that is off says nothing", () =>
  assert.deepStrictEqual([...givenTexts(new Map([["--isolate", []], ["--fresh", [""]]])).keys()], ["--fresh"]))

it.each(["--test", "--agent-cmd", "--protect", "--commit-fixes"])("a NUL in %s is refused in one line", (option) => {
  const all = option === "--test" ? [] : [["--no-test", ""] as const]
  assert.strictEqual(problem(base, ...all, [option, "a\0b"])?.includes("a text cannot contain a NUL"), true)
})

it.each([["1000001M", false], ["1000000M", true], ["1.5M", false], ["1K", false]] as const)(
  "%s tokens",
  (text, fine) => assert.strictEqual(problem(base, ["--no-test", ""], ["--max-tokens", text]) === null, fine)
)
