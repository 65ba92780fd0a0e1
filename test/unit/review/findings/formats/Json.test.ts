// Json: the findings of a batch for programs, in full or bounded.
import { assert, describe, it } from "vitest"
import { findingsJson, findingsPart, slotsJson, stepBound } from "../../../../../src/review/findings/formats/Json.ts"
import { batchOf, failed, finished, report, running, started, wrote } from "../../../../support/reviewedBatches.ts"

describe("the document", () => {
  const hostile = "\u001b[2J\u202e\u{e0041}\n\u2028"
  const text = findingsJson(report(batchOf(1, [wrote(1, { title: hostile, body: hostile })], {
    missing: [failed(2, hostile)]
  })))
  const document = JSON.parse(text)

  it("is one visible line that parses to the original text", () => {
    assert.match(text, /^[ -~]+\n$/)
    assert.deepInclude(document.findings[0], {
      title: hostile,
      body: hostile,
      cut: false,
      history: "new",
      before: null
    })
    assert.strictEqual(document.reviews[1].failure.message, hostile)
  })

  it("has the run, target, batch and verdict", () =>
    assert.deepInclude(document, {
      schema: 1,
      run: { run: "20260101T000000Z-000000000-p1", repo: "repo-noremote", target: "uncommitted" },
      level: "low",
      batch: 1,
      directory: "/state/run/levels/level-low/batch-1",
      verdict: "Findings"
    }))
})

describe("the findings", () => {
  const old = wrote(1, { title: "Close the socket", path: "c.ts", priority: 2 })

  it("have history and agreement, and list gone, unlisted and unseen findings", () => {
    const settled = findingsPart(report(batchOf(1, [wrote(1), old]), batchOf(2, [wrote(1), wrote(2)])))
    assert.deepStrictEqual(settled.findings.map(({ agreement, history }) => [agreement, history]), [
      [{ found: 2, of: 3 }, "still there"]
    ])
    assert.deepStrictEqual(settled.gone.map(({ history, title }) => [title, history]), [["Close the socket", "gone"]])
    const open = findingsPart(report(
      batchOf(1, [old]),
      batchOf(2, [], {
        missing: [running(3)],
        unlisted: [{ slot: 1, reason: "asserts-defect", body: "Bad." }]
      })
    ))
    assert.deepStrictEqual(open.unseen.map(({ history }) => history), ["not reported so far"])
    assert.deepInclude(open.unlisted[0], { slot: 1, reason: "asserts-defect", body: "Bad.", cut: false })
  })

  it("have an estimate of how many more there are, or the reason why not", () => {
    const { estimate } = findingsPart(report(batchOf(1, [wrote(1), wrote(2), old])))
    assert.deepStrictEqual(estimate, {
      found: 2,
      reviewers: 3,
      expected: { more: 1, low: 0, high: 6, by: "Jackknife", chaoMt: 0, jackknife: 0.67 },
      because: null
    })
    assert.deepStrictEqual(findingsPart(report(batchOf(1, [wrote(1), old]))).estimate, {
      found: 2,
      reviewers: 3,
      expected: null,
      because: "NoOverlap"
    })
  })

  it("are cut to a bound, with a mark", () => {
    const long = findingsPart(report(batchOf(1, [wrote(1, { body: "x".repeat(20_000) }), old])), {
      characters: 100,
      findings: 1
    })
    assert.deepStrictEqual(long.findings.map(({ body, cut }) => [body.length, cut]), [[100, true]])
    assert.deepStrictEqual(long.findings[0]?.reports.map(({ cut }) => cut), [true])
    assert.deepStrictEqual(long.omitted, { findings: 1, batches: 0 })
    const body = wrote(1, { body: "x".repeat(stepBound.characters) })
    assert.isFalse(findingsPart(report(batchOf(1, [body])), stepBound).findings[0]?.cut)
  })
})

describe("the slots", () => {
  it("have their state", () =>
    assert.deepStrictEqual(
      slotsJson(started([finished(1, "Clean"), failed(2, "used up"), running(3)]))
        .map(({ failure, slot, state, verdict }) => [slot, state, verdict, failure]),
      [
        [1, "Finished", "Clean", null],
        [2, "Failed", null, { kind: "Quota", message: "used up" }],
        [3, "Running", null, null]
      ]
    ))
})
