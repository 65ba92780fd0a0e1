// FindingsFormats: the documents, the table and the JSON of findings keep their form whatever reviewers wrote.
// The reviewers' text carries a marker word; the tests look for it where it must not appear.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { estimateOf, estimateText } from "../src/review/findings/Estimate.ts"
import { findingsDocument } from "../src/review/findings/formats/Markdown.ts"
import { findingsJson } from "../src/review/findings/formats/Json.ts"
import { findingsTable } from "../src/review/findings/formats/Table.ts"
import { historyDocument } from "../src/review/findings/formats/Retrospective.ts"
import { initial } from "../src/run/Manifest.ts"
import { lines } from "../src/text/Untrusted.ts"
import { batchOf, failed, report, transcripts, wrote } from "../test/support/reviewedBatches.ts"
import { hostileReport, nasty, unprintable } from "./hostile.ts"

const word = "XYZZY"
// Every line of it is marked, so that a line that escapes is seen.
const marked = nasty.map((text) => `${word}${text.split("\n").map((line) => `${line}${word}`).join(`\n${word}`)}`)

/** The lines outside of fences according to CommonMark; null when a fence is left open. */
const outside = (document: string): ReadonlyArray<string> | null => {
  let fence = ""
  const free = lines(document).filter((line) => {
    const [, mark = "", info = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? []
    const within = fence !== ""
    if (!within) fence = mark
    else if (mark.startsWith(fence) && info.trim() === "") fence = ""
    return !within
  })
  return fence === "" ? free : null
}

const manifest = initial({
  _tag: "RunCreated",
  runId: "r",
  repoId: "repo",
  worktree: "/repo",
  target: { _tag: "Uncommitted" },
  startLevel: "low",
  batchSize: 3,
  createdAt: "2026-01-01T00:00:00.000Z",
  because: "NoLatestPointer",
  nonce: "0".repeat(32)
})

describe("a document", () => {
  it("has what reviewers and agents wrote inside its fences alone", () =>
    fc.assert(
      fc.property(fc.array(marked, { minLength: 5, maxLength: 5 }), ([a = "", b = "", c = "", d = "", e = ""]) => {
        const batches = [
          batchOf(1, [wrote(1, { title: d, path: `dir/${c}.ts` })]),
          batchOf(2, [wrote(1, { title: a, body: b, path: `dir/${c}.ts` })], {
            unlisted: [{ slot: 2, reason: "asserts-defect", body: d }],
            missing: [failed(3, e)]
          })
        ]
        const recorded = {
          level: "low",
          batch_number: 1,
          at: "",
          outcome: { _tag: "RetrospectiveChanges", reason: { text: a } }
        } as const
        for (
          const document of [
            findingsDocument(report(...batches)),
            historyDocument(
              { ...manifest, level_history: [recorded] },
              batches,
              [{ level: "low", batch: 2, text: b }],
              transcripts
            )
          ]
        ) {
          const free = outside(document)
          assert.isNotNull(free)
          assert.notInclude(free?.join("\n"), word)
          assert.notMatch(document.replace(/\t/g, ""), unprintable)
          assert.isEmpty(lines(document).filter((line) => line.includes(word) && !line.startsWith("| ")))
        }
      })
    ))

  it("is made of any report", () =>
    fc.assert(fc.property(hostileReport, (of) => {
      assert.isNotNull(outside(findingsDocument(of)))
      assert.notMatch(findingsDocument(of).replace(/\t/g, ""), unprintable)
    })))
})

describe("the table", () => {
  it("has one printable line a row, however wild its cells", () =>
    fc.assert(fc.property(hostileReport, (of) => {
      const text = findingsTable(of)
      const rows = of.findings.length + of.gone.length + of.unseen.length
      const missing = of.batch.started.slots.filter(({ _tag }) => _tag !== "Finished").length
      assert.notMatch(text, unprintable)
      assert.lengthOf(
        lines(text),
        2 + (rows === 0 ? 0 : rows + 1) + of.batch.unlisted.length + missing + (of.unread === 0 ? 0 : 1) +
          (estimateText(estimateOf(of.batch)) === null ? 0 : 1)
      )
    })))
})

describe("the JSON document", () => {
  it("is one printable line, and holds what was written, word for word", () =>
    fc.assert(fc.property(hostileReport, (of) => {
      const text = findingsJson(of)
      assert.lengthOf(lines(text), 2)
      assert.notMatch(text.trimEnd(), unprintable)
      const document: { readonly findings: ReadonlyArray<{ readonly title: string; readonly body: string }> } = JSON
        .parse(text)
      assert.deepStrictEqual(
        document.findings.map(({ body, title }) => [title, body]),
        of.findings.map(({ finding: { body, title } }) => [title, body])
      )
    })))
})
