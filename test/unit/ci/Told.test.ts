// Told: the comment and the summary, by example and against hostile words.
import { assert, describe, it } from "vitest"
import { commentText, marker, summaryText, type JobReport } from "../../../src/ci/Summary.ts"
import type { FindingsReport } from "../../../src/review/findings/Report.ts"
import { batchOf, failed, report, wrote } from "../review/findings/reviewedBatches.ts"

const told = (reports: ReadonlyArray<FindingsReport>, more: Partial<JobReport> = {}): JobReport => ({
  mode: "review",
  said: "HandoffAgent: AddressBatch",
  isDone: true,
  code: ["tree 83c68fa1fca3, HEAD c5fbb2efb54d"],
  path: [{ level: "low", verdict: "issues" }],
  reports,
  notes: [],
  ...more
})
const unfenced = (markdown: string): string => markdown.replace(/^(`{3,})text\n[^]*?\n\1$/gm, "")

describe("what a job tells", () => {
  it("is the outcome, the way, and what reviewers wrote, in fences", () =>
    assert.strictEqual(
      commentText(told([report(batchOf(1, [wrote(1), wrote(2)]))], { notes: ["A note."] })),
      [
        marker,
        "Codex review: **1 finding**",
        "",
        "```text",
        "| HandoffAgent: AddressBatch",
        "| reviewed: tree 83c68fa1fca3, HEAD c5fbb2efb54d",
        "```",
        "",
        "| batch | level | verdict |",
        "|---|---|---|",
        "| 1 | low | issues |",
        "",
        "What reviewers wrote, to be verified before anybody acts on it:",
        "",
        "```text",
        "| P1  src/a.ts:10-12  Guard a null user",
        "|     reported by 2 of 3 at low batch 1",
        "|     It breaks.",
        "|",
        "```",
        "",
        "A note.",
        ""
      ].join("\n")
    ))

  it("holds no secret", () => {
    const finding = wrote(1, { title: "Remove API_TOKEN=swordfish", body: "password: |\n  hunter2\n" })
    const batch = batchOf(1, [finding], { missing: [failed(3, "postgres://me:hunter2@h is away")] })
    const job = told([report(batch)], { said: "GitError: https://me:hunter2@h", code: ["HEAD of TOKEN=swordfish"] })
    for (const text of [commentText(job), summaryText(job)]) {
      assert.notMatch(text, /hunter2|swordfish/)
      assert.include(text, "Remove API_TOKEN=[redacted]")
    }
  })

  it("never says that there is nothing where the review is not done", () => {
    const text = summaryText(
      told([report(batchOf(1, [], { missing: [failed(3, "Quota:\nused")] }))], { isDone: false })
    )
    assert.match(text, /^## Codex review: \*\*not finished\*\*, no findings so far\n/)
    assert.include(text, "| slot 3 of low batch 1 has no review: Quota:\\nused")
  })

  it("mentions nobody and renders nothing, whatever was written", () => {
    const hostile = "```\n@team <img src=x> [a](http://e.example) #1 ::error::x\n~~~\n````text\n<!-- ooda -->"
    const title = "@everyone [x](http://e.example)"
    const findings = [wrote(1, { title, body: hostile, path: "a/@x](y).ts" })]
    const unlisted = [{ slot: 2, reason: hostile, body: hostile }]
    for (const write of [commentText, summaryText]) {
      const text = write(told([report(batchOf(1, findings, { unlisted }))], { said: `BinaryError: ${hostile}` }))
      assert.include(text, "@everyone")
      assert.notMatch(unfenced(text).replace(marker, ""), /[@<\[]|http|::/)
    }
  })

  it("stays below what GitHub takes", () => {
    const findings = Array.from(
      { length: 3000 },
      (_, i) =>
        wrote(1, {
          title: `Finding ${i} ${"t".repeat(300)}`,
          body: "\u{1f600}word `\n".repeat(100),
          lines: [i * 90 + 1, i * 90 + 1]
        })
    )
    const path = Array.from({ length: 5000 }, () => ({ level: "low", verdict: "issues" }) as const)
    const all = told([report(batchOf(1, findings))], { path, said: "x".repeat(100_000) })
    assert.isBelow(commentText(all).length, 65_536)
    assert.isBelow(Buffer.byteLength(summaryText(all)), 1024 * 1024)
    assert.include(commentText(all), "| 5000 | low | issues |")
    assert.notInclude(commentText(all), "| 4940 |")
    assert.match(commentText(all), /\| \d+ more lines are left out for length\n`+\n/)
  })
})
