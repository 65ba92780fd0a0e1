// Summary: the comment and the summary of a job, by example and against hostile words; no text is a command of the runner.
import { assert, describe, it } from "vitest"
import {
  commentText,
  harmless,
  type JobReport,
  marker,
  outputLines,
  summaryText,
  withoutRepeats
} from "../../../src/ci/Summary.ts"
import type { FindingsReport } from "../../../src/review/findings/Report.ts"
import { fails } from "../../../src/ci/Review.ts"
import type { Finding } from "../../../src/review/findings/Finding.ts"
import { batchOf, failed, report, wrote } from "../../support/reviewedBatches.ts"

const jobOf = (reports: ReadonlyArray<FindingsReport>, more: Partial<JobReport> = {}): JobReport => ({
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

describe("what a job says", () => {
  it("is the outcome, the way, and what reviewers wrote, in fences", () =>
    assert.strictEqual(
      commentText(jobOf([report(batchOf(1, [wrote(1), wrote(2)]))], { notes: ["A note."] })),
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
    const job = jobOf([report(batch)], { said: "GitError: https://me:hunter2@h", code: ["HEAD of TOKEN=swordfish"] })
    for (const text of [commentText(job), summaryText(job)]) {
      assert.notMatch(text, /hunter2|swordfish/)
      assert.include(text, "Remove API_TOKEN=[redacted]")
    }
  })

  it("never says that there is nothing where the review is not done", () => {
    const text = summaryText(
      jobOf([report(batchOf(1, [], { missing: [failed(3, "Quota:\nused")] }))], { isDone: false })
    )
    assert.match(text, /^## Codex review: \*\*not finished\*\*, no findings so far\n/)
    assert.include(text, "| slot 3 of low batch 1 has no review: Quota:\\nused")
  })

  it("mentions no one and renders nothing, whatever was written", () => {
    const hostile = "```\n@team <img src=x> [a](http://e.example) #1 ::error::x\n~~~\n````text\n<!-- ooda -->"
    const title = "@everyone [x](http://e.example)"
    const findings = [wrote(1, { title, body: hostile, path: "a/@x](y).ts" })]
    const unlisted = [{ slot: 2, reason: hostile, body: hostile }]
    for (const write of [commentText, summaryText]) {
      const text = write(jobOf([report(batchOf(1, findings, { unlisted }))], { said: `BinaryError: ${hostile}` }))
      assert.include(text, "@everyone")
      assert.notMatch(unfenced(text).replace(marker, ""), /[@<\[]|http|::/)
    }
  })

  it("stays below what GitHub takes", () => {
    const body = "\u{1f600}word `\n".repeat(1000)
    const findings = Array.from(
      { length: 300 },
      (_, i) => wrote(1, { title: `Finding ${i} ${"t".repeat(300)}`, body, lines: [i * 90 + 1, i * 90 + 1] })
    )
    const issues = Array.from({ length: 4999 }, () => ({ level: "low", verdict: "issues" }) as const)
    const path = [...issues, { level: "low", verdict: "clean" } as const]
    const all = jobOf([report(batchOf(1, findings))], { path, said: "x".repeat(100_000) })
    assert.isBelow(commentText(all).length, 65_536)
    assert.isBelow(Buffer.byteLength(summaryText(all)), 1024 * 1024)
    assert.include(commentText(all), "| 5000 | low | clean |")
    assert.notInclude(commentText(all), "| 4940 |")
    assert.match(commentText(all), /\| \d+ more lines are left out for length\n`+\n/)
  })
})

// As the runner finds them: at the beginning of a line behind spaces, or the older form anywhere.
const isCommand = (line: string): boolean => line.trim().startsWith("::") || line.includes("##[")

describe("a harmless text", () => {
  const texts = [
    "::set-output name=a::b",
    "  \t::add-mask::x",
    "\u00a0::error::x",
    "a\n::error::x\n ::b",
    "see ##[set-env name=PATH]x",
    "##[[a]",
    "a\r::error::x",
    "\v::error::x"
  ]
  it.each(texts)("is %j without its commands", (text) => {
    assert.isTrue(text.split(/[\r\n]/).some(isCommand))
    assert.isFalse(harmless(text).split(/[\r\n]/).some(isCommand), harmless(text))
  })

  it.each([":\r:error::x", "#\r#[error]x", "##\r[error]x", "\r:\r\r:x"])("does not become one: %j", (text) => {
    assert.isFalse(harmless(text).split(/[\r\n]/).some(isCommand), harmless(text))
  })

  it("changes nothing else", () => {
    const text = "BinaryError: a::b at 1:2 # [x]\n  prompt: c"
    assert.strictEqual(harmless(text), text)
  })
})

describe("outputs", () => {
  it("are a line each, whatever a value holds", () =>
    assert.strictEqual(
      outputLines({ findings: 2, head: "1:a\nverdict=pass", ok: true }),
      "findings=2\nhead=1:a\\nverdict=pass\nok=true\n"
    ))
})

describe("a finding of several levels", () => {
  const socket = { title: "Close the socket", lines: [50, 52] } as const
  const of = (...findings: ReadonlyArray<Finding>) => report(batchOf(1, findings))
  const counts = (reports: ReadonlyArray<FindingsReport>) =>
    withoutRepeats(reports).map(({ findings }) => findings.length)

  it("lists each finding once, where it was found first", () => {
    const reports = withoutRepeats([
      of(wrote(1)),
      of(wrote(1, { lines: [14, 15] }), wrote(1, socket)),
      of(wrote(1, socket))
    ])
    assert.deepStrictEqual(reports.map(({ findings }) => findings.map(({ finding }) => finding.title)), [
      ["Guard a null user"],
      ["Close the socket"],
      []
    ])
    const wide = { lines: null }
    assert.deepStrictEqual(counts([of(wrote(1, wide)), of(wrote(1, wide))]), [1, 0])
  })

  it("lists what weighs more at a later level again, so that a job fails for it", () => {
    const graver = withoutRepeats([
      of(wrote(1, { priority: 3 })),
      of(wrote(1, { priority: 0 })),
      of(wrote(1, { priority: 2 }))
    ])
    assert.deepStrictEqual(graver.map(({ findings }) => findings.length), [1, 1, 0])
    assert.isTrue(fails("P1", graver, true))
    assert.deepStrictEqual(counts([of(wrote(1, { priority: 3 })), of(wrote(1, { priority: null }))]), [1, 1])
  })

  it("lists the same words about another place, or about none, again", () => {
    const elsewhere = wrote(1, { lines: [900, 901] })
    assert.deepStrictEqual(counts([of(wrote(1)), of(wrote(1), elsewhere)]), [1, 1])
    assert.deepStrictEqual(counts([of(wrote(1)), of(wrote(1, { lines: null }))]), [1, 1])
  })

  it("lists what is dismissed at one level alone", () => {
    const dismissal = { by: "Repo", fingerprint: "x", path: "src/a.ts", priority: 1, wordings: [], reason: "", at: "" }
    const dismissed = (one: FindingsReport) => ({
      ...one,
      findings: one.findings.map((finding) => ({ ...finding, dismissed: dismissal }) as never)
    })
    const again = withoutRepeats([dismissed(of(wrote(1))), of(wrote(1))])
    assert.deepStrictEqual(again.map(({ findings }) => findings.length), [1, 1])
    assert.isTrue(fails("findings", again, true))
    assert.deepStrictEqual(counts([dismissed(of(wrote(1))), dismissed(of(wrote(1)))]), [1, 0])
  })

  it("leaves everything else of a report as it is", () => {
    const [first, second] = [of(wrote(1)), of(wrote(1))]
    const reports = withoutRepeats([first, second])
    assert.strictEqual(reports[1]?.batch, second.batch)
    assert.deepStrictEqual(reports[0], first)
  })
})
