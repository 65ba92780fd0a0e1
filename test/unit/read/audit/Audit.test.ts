// Audit: the audit of a run as a value: what was found, in order, and what it amounts to.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { audit } from "../../../../src/read/audit/Audit.ts"
import { opened, runRef } from "../../run/events.ts"
import { onMachine } from "../../run/opened.ts"
import { forge, parts, reviewedRun } from "../../../support/reviewedRuns.ts"

const forged = Effect.tap(reviewedRun({ parts: parts("issues") }), (one) => forge(one, opened("xhigh", 9)))

describe("the audit of a run", () => {
  it("finds nothing in what the program has written, and says what a fixed point has proven", async () => {
    const report = await onMachine(Effect.flatMap(reviewedRun(), (one) => audit(one)))
    assert.deepInclude(report, { findings: 0, words: [], reviews: 1 })
    assert.isTrue(report.proof?.complete)
    assert.strictEqual(report.head.seq, report.lines)
  })

  it("says what it found, with its line", async () => {
    const { findings, lines, proof, words } = await onMachine(Effect.flatMap(forged, (one) => audit(one)))
    assert.strictEqual(findings, 1)
    assert.isNull(proof)
    const [word] = words
    if (word?._tag !== "Found") return assert.fail("nothing was found")
    assert.deepInclude(word.finding, { kind: "transition", line: lines })
  })

  it("takes the options of the subcommand: an expected head, the log alone, every review again", async () => {
    const reports = await onMachine(Effect.flatMap(reviewedRun(), (one) =>
      Effect.all([
        audit(one, { expectHead: { seq: 1, hash: "another" } }),
        audit(one, { logOnly: true }),
        audit(one, { reclassify: true })
      ])))
    assert.deepStrictEqual(reports.map(({ findings }) => findings), [1, 0, 0])
    assert.strictEqual(reports[1].proof?.support, "unchecked")
    assert.deepStrictEqual(reports[2].words.map(({ _tag }) => _tag), ["Reclassified"])
  })

  it("fails where there is no log", async () =>
    assert.strictEqual((await onMachine(Effect.flip(audit(runRef()))))._tag, "LogMissing"))
})
