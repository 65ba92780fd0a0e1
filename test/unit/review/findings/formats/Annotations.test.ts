// Annotations: workflow commands of GitHub Actions, by example; property/ has the laws.
// Each expectation is a whole line.
import { assert, describe, it } from "vitest"
import { annotations, escapeData, escapeProperty } from "../../../../../src/review/findings/formats/Annotations.ts"
import { batchOf, failed, report, wrote } from "../../../../support/reviewedBatches.ts"

const lines = (...batch: Parameters<typeof batchOf>) =>
  annotations([report(batchOf(...batch))]).split("\n").slice(0, -1)

describe("an annotation", () => {
  it("has file, lines and title, and the rest as its text", () =>
    assert.deepStrictEqual(lines(1, [wrote(1, { body: "One.\nTwo: 100%." }), wrote(2, { body: "One." })]), [
      "::error file=src/a.ts,line=10,endLine=12,title=[P1] Guard a null user::One.%0ATwo: 100%25.%0A%0A" +
      "[new; reported by 2 of 3 reviewers]"
    ]))

  it("is an error for P0 and P1, a warning for P2 and without priority, a notice for P3", () =>
    assert.deepStrictEqual(
      ([0, 1, 2, 3, null] as const).map((priority) =>
        /^::(\w+)/.exec(lines(1, [wrote(1, { priority })])[0] ?? "")?.[1]
      ),
      ["error", "error", "warning", "notice", "warning"]
    ))

  it("has no place if the finding has none, and repeats the title if there is no body", () => {
    assert.deepStrictEqual(lines(1, [wrote(1, { path: null, body: "" })]), [
      "::error title=[P1] Guard a null user::Guard a null user%0A%0A[new; reported by 1 of 3 reviewers]"
    ])
    assert.match(lines(1, [wrote(1, { lines: null })])[0] ?? "", /^::error file=src\/a\.ts,title=/)
  })

  it("is preceded by a notice if GitHub does not show all of its kind", () => {
    const errors = (count: number) => lines(1, Array.from({ length: count }, (_, i) => wrote(1, { title: `No ${i}` })))
    assert.notInclude(errors(10)[0], "Not all")
    const [first, ...others] = errors(13)
    assert.strictEqual(
      first,
      "::notice title=Not all findings are shown::GitHub shows 10 errors, 10 warnings and 10 notices of a step: 3 of " +
        "these 13 are not shown. The log of the step has all of them."
    )
    assert.lengthOf(others, 13)
  })

  it("is also made for reviews without a list and slots without a review", () =>
    assert.deepStrictEqual(
      lines(2, [], { unlisted: [{ slot: 1, reason: "x", body: "Bad." }], missing: [failed(3, "Quota:\nused")] }),
      [
        "::warning title=Slot 1 of low batch 2%3A issues without a list of findings::Bad.",
        "::error title=Slot 3 of low batch 2 has no review::Quota:\\nused"
      ]
    ))

  it("holds no secret", () => {
    const body = "Remove it:\npassword: |\n  hunter2\n"
    const said = lines(1, [wrote(1, { title: "Remove API_TOKEN=swordfish", body })], {
      unlisted: [{ slot: 1, reason: "x", body: "curl -u me:hunter2 h" }],
      missing: [failed(3, "postgres://me:hunter2@h is away")]
    }).join("\n")
    assert.notMatch(said, /hunter2|swordfish/)
    assert.include(said, "Remove API_TOKEN=[redacted]::Remove it:%0Apassword: |%0A  [redacted]%0A%0A[new;")
  })

  it("is bounded", () => {
    const [line = ""] = lines(1, [wrote(1, { title: "t".repeat(1_000_000), body: "word\n".repeat(300_000) })])
    assert.isBelow(line.length, 8000)
    assert.match(line, /%0A\[cut\]%0A%0A\[new;/)
  })
})

describe("escaping", () => {
  it("leaves nothing that could end a line, a property or a command", () => {
    assert.strictEqual(escapeData("a%b\r\nc:d,e"), "a%25b%0D%0Ac:d,e")
    assert.strictEqual(escapeProperty("a%b\r\nc:d,e"), "a%25b%0D%0Ac%3Ad%2Ce")
  })
})
