// Commits: the template is filled in, each finding has a line, and no line is a comment or too long.
import { assert, describe, it } from "vitest"
import { commitMessage, defaultTemplate, type FixesMade } from "../../../src/drive/Commits.ts"

const one = {
  fingerprint: "0123456789abcdef",
  title: "Guard a null user",
  answer: "fixed",
  why: "a guard in `load`"
} as const
const answers: FixesMade["answers"] = [
  one,
  { fingerprint: "fedcba9876543210", title: "Close the file", answer: "refuted", why: "the caller does" }
]
const made = (fields: Partial<FixesMade> = {}): FixesMade => ({
  level: "low",
  batch: 2,
  round: 3,
  run: "r1",
  answers,
  ...fields
})
const body = [
  "- 0123456789abcdef Guard a null user: fixed - a guard in `load`",
  "- fedcba9876543210 Close the file: refuted - the caller does",
  ""
]
const head = (template: string, fields: Partial<FixesMade> = { answers: [] }) => commitMessage(template, made(fields))

describe("the message of a commit", () => {
  it("is the template, then each finding with its answer", () => {
    const expected = ["Address 2 finding(s) of low batch 2", "", ...body].join("\n")
    assert.strictEqual(commitMessage(defaultTemplate, made()), expected)
  })

  it("fills in each known placeholder, as often as it occurs, and no others", () => {
    const template = "{run} {round} {level}/{batch} {count} {count} {other} {constructor}\n\n{findings}"
    assert.strictEqual(
      commitMessage(template, made()),
      ["r1 3 low/2 2 2 {other} {constructor}", "", "0123456789abcdef, fedcba9876543210", "", ...body].join("\n")
    )
  })

  it("is only the template if there are no findings", () => assert.strictEqual(head("x"), "x\n"))

  it("has no line that looks like a comment", () => {
    assert.strictEqual(head("#12 fixed\n\n  # and #13\n ok"), "12 fixed\n\nand #13\nok\n")
    for (const empty of ["#", " \n#\n", "\u2028"]) {
      assert.strictEqual(head(empty), "Address 0 finding(s) of low batch 2\n")
    }
    const [, , line = ""] = commitMessage("x", made({ answers: [{ ...one, title: "a\n# b", why: "c\n#d" }] })).split(
      "\n"
    )
    assert.strictEqual(line, "- 0123456789abcdef a\\n# b: fixed - c\\n#d")
  })

  it("holds no secret of a finding, an answer or the template", () => {
    const token = "ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"
    const secret = made({ answers: [{ ...one, title: `${"x".repeat(100)} ${token}`, why: `it was ${token}` }] })
    const message = commitMessage(`fix: ${token}`, secret)
    assert.notInclude(message, "ghp_")
    assert.match(message, /^fix: \[redacted\]\n/)
  })

  it("is bounded in its subject, its lines and its findings", () => {
    const long = commitMessage(
      `${"s".repeat(500)}\n${"t".repeat(5000)}${"\nu".repeat(500)}`,
      made({
        answers: Array.from({ length: 150 }, () => ({ ...one, title: "x".repeat(500), why: "y".repeat(500) }))
      })
    )
    const lines = long.split("\n")
    assert.strictEqual(lines[0], `${"s".repeat(197)}...`)
    assert.isTrue(lines.every((line) => line.length <= 1000))
    assert.strictEqual(lines.filter((line) => line.startsWith("- ")).length, 100 + 1)
    assert.strictEqual(lines.at(-2), "- and 50 more")
  })

  it("has lines of at most 72 characters for the findings", () => {
    const why = "the handler returns early for a user that neither the store nor the cache knows, ".repeat(3)
    const answers = [{ ...one, title: `Guard ${"x/".repeat(50)}`, why: `${why}🙂` }]
    const [, , ...body] = commitMessage("x", made({ answers })).trimEnd().split("\n")
    assert.isTrue(body.every((line) => [...line].length <= 72))
    assert.isTrue(body.slice(1).every((line) => line.startsWith("  ")))
    assert.include(body.join("").replace(/\s+/g, " "), "neither the store nor the cache knows")
  })
})
