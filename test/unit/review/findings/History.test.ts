// History: new, still there, back, gone, from batch to batch.
// A batch with a missing review makes nothing gone.
import { assert, describe, it } from "vitest"
import { findingHistory, namesOf } from "../../../../src/review/findings/History.ts"
import type { Finding } from "../../../../src/review/findings/Finding.ts"
import type { Level } from "../../../../src/run/Level.ts"
import { mergeFindings } from "../../../../src/review/findings/Merge.ts"
import type { ReviewedBatch } from "../../../../src/review/findings/ReviewedBatch.ts"
import { batchOf, failed, running, wrote } from "../../../support/reviewedBatches.ts"

const a = wrote(1)
const b = wrote(2, { title: "Avoid the quadratic loop", path: "src/b.ts" })
const states = (...batches: ReadonlyArray<ReviewedBatch>) => {
  const { chapters, threads } = findingHistory(batches)
  return chapters.map(({ gone, tracked }) => [
    ...tracked.map(({ finding, state }) => `${finding.title}: ${state}`),
    ...gone.map((thread) => `${threads[thread]?.finding.title ?? "?"}: gone`)
  ])
}

describe("a finding", () => {
  it("is new, still there, gone, and comes back", () =>
    assert.deepStrictEqual(states(batchOf(1, [a]), batchOf(2, [a, b]), batchOf(3, []), batchOf(4, [a])), [
      ["Guard a null user: new"],
      ["Guard a null user: still there", "Avoid the quadratic loop: new"],
      ["Guard a null user: gone", "Avoid the quadratic loop: gone"],
      ["Guard a null user: came back"]
    ]))

  it("that came back is not gone any more", () =>
    assert.deepStrictEqual(
      findingHistory([batchOf(1, [a]), batchOf(2, []), batchOf(3, [a])]).threads.map(({ gone }) => gone),
      [null]
    ))

  it("is gone once, not in every later batch", () =>
    assert.deepStrictEqual(states(batchOf(1, [a]), batchOf(2, []), batchOf(3, [])).slice(1), [[
      "Guard a null user: gone"
    ], []]))

  it("is the same if its lines and its body changed", () => {
    const moved = wrote(3, { lines: [90, 95], body: "Other words." })
    assert.deepStrictEqual(states(batchOf(1, [a]), batchOf(2, [moved]))[1], ["Guard a null user: still there"])
  })

  it("is the same in another wording if one batch merged the two", () => {
    const other = wrote(2, { title: "Handle the null user guard" })
    const both = mergeFindings([a, other])
    assert.lengthOf(both, 1)
    assert.lengthOf(namesOf(both[0] ?? a), 2)
    assert.deepStrictEqual(states(batchOf(1, [a]), batchOf(2, [a, other]), batchOf(3, [other])).slice(1), [
      [`${both[0]?.title}: still there`],
      ["Handle the null user guard: still there"]
    ])
  })

  it("is followed across levels", () => {
    const at = (level: Level, batch: number, ...findings: ReadonlyArray<Finding>) => batchOf(batch, findings, { level })
    const run = [at("low", 1, a), at("medium", 1), at("low", 2, a), at("medium", 2, a), at("high", 1)]
    assert.deepStrictEqual(states(...run), [
      ["Guard a null user: new"],
      ["Guard a null user: gone"],
      ["Guard a null user: came back"],
      ["Guard a null user: still there"],
      ["Guard a null user: gone"]
    ])
    assert.deepStrictEqual(findingHistory(run).threads[0]?.seen, {
      first: { level: "low", batch: 1 },
      last: { level: "medium", batch: 2 },
      times: 3
    })
  })

  it("is another one in a file with another name, since nothing connects the two", () =>
    assert.deepStrictEqual(states(batchOf(1, [a]), batchOf(2, [wrote(1, { path: "src/renamed.ts" })])), [
      ["Guard a null user: new"],
      ["Guard a null user: new", "Guard a null user: gone"]
    ]))

  it("says when it was reported before", () => {
    const { chapters } = findingHistory([batchOf(1, [a]), batchOf(2, []), batchOf(3, [a]), batchOf(4, [a])])
    assert.isNull(chapters[0]?.tracked[0]?.before)
    assert.deepStrictEqual(chapters[3]?.tracked[0]?.before, {
      first: { level: "low", batch: 1 },
      last: { level: "low", batch: 3 },
      times: 2
    })
  })

  it("counts once in a batch that reports it twice", () => {
    const far = wrote(1, { lines: [900, 901] })
    const { chapters, threads } = findingHistory([batchOf(1, [a, far]), batchOf(2, [a, far])])
    assert.lengthOf(threads, 1)
    assert.strictEqual(threads[0]?.seen.times, 2)
    assert.deepStrictEqual(chapters.map(({ tracked }) => tracked.map(({ state }) => state)), [
      ["new", "new"],
      ["still there", "still there"]
    ])
  })
})

describe("silence", () => {
  const silent: ReadonlyArray<readonly [string, ReviewedBatch]> = [
    ["of a batch with a failed slot", batchOf(2, [], { missing: [failed(2, "no")] })],
    ["of a batch that still runs", batchOf(2, [], { missing: [running(1), running(2), running(3)] })],
    ["of a batch with a review without a list", batchOf(2, [], { unlisted: [{ slot: 1, reason: "x", body: "Bad." }] })],
    ["of a batch that was not read", batchOf(2, [], { read: false })],
    ["of a batch whose findings were partly left out", batchOf(2, [], { dropped: 1 })]
  ]
  it.each(silent)("%s makes nothing gone", (_, batch) => {
    const { threads } = findingHistory([batchOf(1, [a]), batch])
    assert.isNull(threads[0]?.gone)
    assert.deepStrictEqual(states(batchOf(1, [a]), batch, batchOf(3, [a]))[2], ["Guard a null user: still there"])
  })

  it("of a settled batch makes it gone, and says since when", () => {
    const { threads } = findingHistory([batchOf(1, [a]), batchOf(2, [])])
    assert.deepStrictEqual(threads[0]?.gone, { level: "low", batch: 2 })
  })
})
