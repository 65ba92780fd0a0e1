// AuditText: an audit as it goes, as text and as one document.
import { assert, describe, it } from "vitest"
import { auditedRun, endedText, type RunEnd, runText, wordText } from "../../../../src/read/audit/Audits.ts"
import type { Word } from "../../../../src/read/audit/ReviewRun.ts"
import { finished } from "../../run/events.ts"

const run = { root: "/state", repoId: "repo-noremote", targetKey: "uncommitted", runId: "run-1" }
const review = (today: "Clean" | null): Word => ({
  _tag: "Reclassified",
  review: {
    recorded: { line: 3, version: "0.1.0", event: finished("Clean") },
    today: today === null ? null : { verdict: today, reason: "no-defect-stated", source: "stdout", findings: 0 }
  }
})
const found: Word = { _tag: "Found", finding: { kind: "fact", line: 2, text: "a\nb" } }
const noted: Word = { _tag: "Noted", note: { line: 0, text: "is running" } }
const ended: RunEnd = {
  findings: 0,
  lines: 1,
  events: 2,
  reviews: 1,
  head: { seq: 1, hash: "ab" },
  proof: null,
  evidence: null
}

const printed = (end: RunEnd, ...words: ReadonlyArray<Word>): string =>
  runText(run) + words.map(wordText).join("") + endedText(end)

describe("an audit as text", () => {
  it("names the run, says each thing on a line of its own, and what all amounts to", () =>
    assert.strictEqual(
      printed({ ...ended, findings: 1 }, found, noted, review("Clean"), review(null)),
      `run run-1 (repo-noremote, uncommitted)
  finding  line 2, fact: a\\nb
  note     is running
  review   line 3, low batch 1 slot 1: recorded Clean, 0 findings (as written, from stdout); today Clean, 0 findings (no-defect-stated, from stdout)
  review   line 3, low batch 1 slot 1: recorded Clean, 0 findings (as written, from stdout); today nothing: its files have changed
  checked: 1 line, 2 events, 1 review; head 1:ab
  1 finding: not sound
`
    ))

  it("is sound without a finding, and has no head without a line", () => {
    assert.match(printed(ended), /\n {2}sound\n$/)
    assert.match(
      printed({ ...ended, head: { seq: 0, hash: "" } }),
      /checked: 1 line, 2 events, 1 review\n/
    )
  })

  it("says why a log could not be read", () =>
    assert.match(printed({ problem: "no\nlog" }), /\n {2}unreadable: no\\nlog\n$/))
})

describe("an audit as a document", () => {
  it("tells the same", () => {
    const audited = auditedRun(run, "/there", [found, noted, review("Clean"), found], { ...ended, findings: 1 })
    assert.deepInclude(audited, {
      run: { run: "run-1", repo: "repo-noremote", target: "uncommitted" },
      directory: "/there",
      findings: [{ kind: "fact", line: 2, text: "a\nb" }, { kind: "fact", line: 2, text: "a\nb" }],
      notes: [{ line: 0, text: "is running" }],
      sound: false,
      problem: null,
      checked: { lines: 1, events: 2, reviews: 1 },
      head: { seq: 1, hash: "ab" },
      proof: null
    })
    const [one] = audited.reviews
    assert.deepStrictEqual([one?.today?.verdict, one?.recorded.source], ["Clean", "stdout"])
  })

  it("says why a log could not be read", () =>
    assert.deepInclude(auditedRun(run, "/there", [], { problem: "no log" }), { sound: null, problem: "no log" }))
})
