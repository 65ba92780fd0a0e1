// ToldOnce: a finding of several levels is told at the first, and again where it says more.
import { assert, it } from "vitest"
import { fails } from "../../../src/ci/Review.ts"
import { withoutRepeats } from "../../../src/ci/Summary.ts"
import type { Finding } from "../../../src/review/findings/Finding.ts"
import type { FindingsReport } from "../../../src/review/findings/Report.ts"
import { batchOf, report, wrote } from "../review/findings/reviewedBatches.ts"

const socket = { title: "Close the socket", lines: [50, 52] } as const
const of = (...findings: ReadonlyArray<Finding>) => report(batchOf(1, findings))
const counts = (reports: ReadonlyArray<FindingsReport>) =>
  withoutRepeats(reports).map(({ findings }) => findings.length)

it("tells each finding once, where it was found first", () => {
  const told = withoutRepeats([of(wrote(1)), of(wrote(1, { lines: [14, 15] }), wrote(1, socket)), of(wrote(1, socket))])
  assert.deepStrictEqual(told.map(({ findings }) => findings.map(({ finding }) => finding.title)), [
    ["Guard a null user"],
    ["Close the socket"],
    []
  ])
  const wide = { lines: null }
  assert.deepStrictEqual(counts([of(wrote(1, wide)), of(wrote(1, wide))]), [1, 0])
})

it("tells what weighs more at a later level again, so that a job fails for it", () => {
  const graver = withoutRepeats([
    of(wrote(1, { priority: 3 })),
    of(wrote(1, { priority: 0 })),
    of(wrote(1, { priority: 2 }))
  ])
  assert.deepStrictEqual(graver.map(({ findings }) => findings.length), [1, 1, 0])
  assert.isTrue(fails("P1", graver, true))
  assert.deepStrictEqual(counts([of(wrote(1, { priority: 3 })), of(wrote(1, { priority: null }))]), [1, 1])
})

it("tells the same words about another place, or about none, again", () => {
  const elsewhere = wrote(1, { lines: [900, 901] })
  assert.deepStrictEqual(counts([of(wrote(1)), of(wrote(1), elsewhere)]), [1, 1])
  assert.deepStrictEqual(counts([of(wrote(1)), of(wrote(1, { lines: null }))]), [1, 1])
})

it("tells what is dismissed at one level alone", () => {
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
  const told = withoutRepeats([first, second])
  assert.strictEqual(told[1]?.batch, second.batch)
  assert.deepStrictEqual(told[0], first)
})
