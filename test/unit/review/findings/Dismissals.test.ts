// Dismissals: what is written can be read, and an invalid line is named.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { dismissalLine, dismissalsIn } from "../../../../src/review/findings/Dismissals.ts"
import type { RepoDismissal } from "../../../../src/run/Dismissal.ts"

const one: RepoDismissal = {
  fingerprint: "0123456789abcdef",
  priority: null,
  path: "a\u202e.ts",
  wordings: [{ title: "A\nB", lines: { start: 1, end: 2 } }],
  until: "2026-12-31",
  reason: "so\u2028",
  at: "2026-11-22T00:00:00.000Z"
}

describe("the dismissals of a repository", () => {
  it("are read as they were written, one per line, with nothing hidden", () => {
    const line = dismissalLine(one)
    assert.notMatch(line, /[\n\u2028\u202e]/)
    assert.deepStrictEqual(dismissalsIn(`${line}\r\n\n`), Result.succeed([{ ...one, scope: "repo" }]))
    assert.deepStrictEqual(dismissalsIn(""), Result.succeed([]))
  })

  it("keep only the later one for a finding", () => {
    const read = dismissalsIn([one, { ...one, reason: "else" }].map(dismissalLine).join("\n"))
    assert.deepStrictEqual(Result.map(read, (all) => all.map(({ reason }) => reason)), Result.succeed(["else"]))
  })

  it("are refused with the number of the first invalid line", () => {
    for (
      const broken of [
        "<<<<<<< HEAD",
        "{}",
        "[]",
        `{"fingerprint":"x"}`,
        dismissalLine(one).replace("2026-12-31", "soon")
      ]
    ) {
      assert.deepStrictEqual(dismissalsIn(`${dismissalLine(one)}\n\n${broken}\n`), Result.fail(3), broken)
    }
  })
})
