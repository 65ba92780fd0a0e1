// invocation: the order of the checks, and that the settings' own schema has the last word.
// Whole command lines are tried in parse.test.ts.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import type { Option } from "../../../src/cli/flags.ts"
import { invocation } from "../../../src/cli/invocation.ts"
import { make } from "../../../src/run/Invocation.ts"

const of = (given: Partial<Record<Option, string>>) =>
  invocation((flag) => new Map(Object.entries(given).map(([name, text]) => [name, [text]])).get(flag) ?? [])
const problem = (given: Partial<Record<Option, string>>): string | null =>
  Result.match(of(given), { onFailure: (message) => message, onSuccess: () => null })

describe("an invocation", () => {
  it("is what a program makes of the same settings", () => {
    const target = { _tag: "Uncommitted" } as const
    assert.deepStrictEqual(of({ "--uncommitted": "" }), Result.succeed(make({ target })))
    assert.deepStrictEqual(
      of({ "--uncommitted": "", "--jobs": "2", "--step-timeout": "8m", "--inspect": "" }),
      Result.succeed(make({ target, jobs: 2, stepTimeout: 480_000 }, { _tag: "Inspect" }))
    )
  })

  it("is checked in one order: what is never valid, the mode, the ladder, each value, what excludes what", () => {
    const wrong: ReadonlyArray<readonly [Partial<Record<Option, string>>, RegExp]> = [
      [{ "--criteria": "x" }, /^--criteria is not supported/],
      [{ "--version": "" }, /^--version takes no other options/],
      [{}, /^one of --uncommitted/],
      [{ "--level": "max" }, /^--level "max"/],
      [{ "--level": "high", "--ceiling": "low" }, /^--ceiling low lies below --level high$/],
      [{ "-n": "0" }, /^-n "0"/],
      [{ "--jobs": "257" }, /^--jobs "257": expected a whole number from 1 to 256$/],
      [{ "--fresh": "", "--inspect": "" }, /^--fresh and --inspect exclude each other$/]
    ]
    for (const [at, [, expected]] of wrong.entries()) {
      const later = wrong.slice(at).toReversed().map(([given]) => given)
      const mode = at <= 2 ? {} : { "--uncommitted": "" }
      assert.match(problem({ ...mode, ...later.reduce((all, one) => ({ ...all, ...one }), {}) }) ?? "", expected)
    }
  })
})
