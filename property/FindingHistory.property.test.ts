// FindingHistory: for any course of findings, each batch's states agree with what a reader of the course would say.
// The expectation is worked out from the course itself, batch by batch, not by the code under test.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { findingHistory } from "../src/review/findings/History.ts"
import { batchOf, running, wrote } from "../test/support/reviewedBatches.ts"

const titles = ["Guard a null user", "Avoid the quadratic loop", "Close the socket"]
// Which defects a batch reports, and whether it is settled.
const course = fc.array(fc.record({ seen: fc.subarray([0, 1, 2]), settled: fc.boolean() }), { maxLength: 12 })
type Course = ReadonlyArray<{ readonly seen: ReadonlyArray<number>; readonly settled: boolean }>

const batches = (of: Course) =>
  of.map(({ seen, settled }, i) =>
    batchOf(i + 1, seen.map((n) => wrote(1, { title: titles[n] ?? "", path: `f${n}.ts` })), {
      missing: settled ? [] : [running(3)]
    })
  )

const expected = (of: Course, at: number, n: number): string | null => {
  const before = of.slice(0, at)
  // The last batch that says anything of it: one that reports it, or a settled one that does not.
  const last = before.findLast(({ seen, settled }) => settled || seen.includes(n))
  const known = before.some(({ seen }) => seen.includes(n))
  const now = of[at]
  if (now?.seen.includes(n)) return !known ? "new" : last?.seen.includes(n) ? "still there" : "came back"
  return now?.settled && last?.seen.includes(n) ? "gone" : null
}

describe("findingHistory", () => {
  it("says of every finding in every batch what its course says", () =>
    fc.assert(fc.property(course, (of) => {
      const { chapters, threads } = findingHistory(batches(of))
      chapters.forEach(({ gone, tracked }, at) =>
        titles.forEach((title, n) => {
          const state = tracked.find(({ finding }) => finding.title === title)?.state ??
            (gone.some((thread) => threads[thread]?.finding.title === title) ? "gone" : null)
          assert.strictEqual(state, expected(of, at, n), `${title} in batch ${at + 1}`)
        })
      )
      for (const { finding, seen } of threads) {
        const n = titles.indexOf(finding.title)
        assert.strictEqual(seen.times, of.filter((batch) => batch.seen.includes(n)).length)
      }
    })))

  it("gives the same for the first batches, whatever follows them", () =>
    fc.assert(fc.property(course, fc.nat(12), (of, upTo) => {
      const all = batches(of)
      assert.deepStrictEqual(findingHistory(all.slice(0, upTo)).chapters, findingHistory(all).chapters.slice(0, upTo))
    })))
})
