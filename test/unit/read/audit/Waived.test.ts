// Waived: an audit asks the files whether what was passed over did not block.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { findingOf } from "../../../../src/review/findings/Finding.ts"
import { dismissalOf, waiverText } from "../../../../src/review/findings/Waiving.ts"
import type { StartedBatch } from "../../../../src/run/Batch.ts"
import type { Dismissal, WaivedFinding } from "../../../../src/run/Dismissal.ts"
import { recheckWaived, type WaivedBatch, waivedProblem } from "../../../../src/read/audit/Recheck.ts"
import { ReviewFiles } from "../../../../src/review/ReviewFiles.ts"
import { RunStore } from "../../../../src/run/RunStore.ts"
import { evidenceOf } from "../../../../src/testing/memory/Reviewers.ts"
import { Scripted } from "../../../../src/testing.ts"
import { given, batchStarted, created, finished, runRef, started } from "../../run/events.ts"

const place = { path: "/repo/src/main.ts", lines: { start: 3, end: 4 } }
const finding = findingOf(
  { title: "Check the bound", body: "The index may equal the length.", priority: 1, place },
  1,
  "/repo"
)
const { fingerprint } = finding
const light: WaivedFinding = { fingerprint, title: finding.title, priority: 1, because: { _tag: "BelowBlock" } }
const dismissal: Dismissal = {
  ...dismissalOf([finding], fingerprint) ?? assert.fail("no finding"),
  reason: "so",
  at: "",
  until: "2026-12-31",
  scope: "run"
}
const dismissed: WaivedFinding = {
  ...light,
  because: { _tag: "Dismissed", scope: "run", reason: "so", until: "2026-12-31" }
}
const { log, out } = evidenceOf(Scripted.issues()).digests
const state = given([created({ strict: true })], [
  batchStarted({ size: 1 }),
  started(),
  finished("HasIssues", { findings: 1, log, out })
])
const reviews: StartedBatch = state.batch._tag === "Started" ? state.batch : assert.fail("not started")

const waived = (
  findings: ReadonlyArray<WaivedFinding>,
  block: 0 | 1 = 0,
  at = "2026-12-31T23:59:00.000Z"
): WaivedBatch => ({
  line: { seq: 4, at },
  event: { _tag: "BatchWaived", level: "low", batch: 1, block, findings },
  flawed: { reviews },
  dismissed: [dismissal],
  worktree: "/repo"
})

describe("what was passed over", () => {
  it("is so where it weighs too little, or was dismissed in such words and until then", () => {
    for (const one of [waived([light]), waived([dismissed], 1)]) assert.isNull(waivedProblem([finding], one))
    const repo: WaivedFinding = { ...light, because: { _tag: "Dismissed", scope: "repo", reason: "any", until: null } }
    assert.isNull(waivedProblem([finding], waived([repo], 1)))
  })

  const wrong: ReadonlyArray<readonly [string, WaivedBatch, RegExp]> = [
    ["weighs enough", waived([light], 1), /blocks: it is not below the bar and not dismissed/],
    ["is another finding", waived([{ ...light, fingerprint: "0".repeat(16) }]), /is not what was reported/],
    ["has another priority", waived([{ ...light, priority: 3 }]), /is not what was reported/],
    ["is not all of it", waived([]), /1 findings were reported, 0 are recorded as not blocking/],
    [
      "was dismissed for another reason",
      waived([{ ...dismissed, because: { ...dismissed.because, reason: "else" } as never }], 1),
      /blocks/
    ],
    ["was dismissed no longer", waived([dismissed], 1, "2027-01-01T00:00:00.000Z"), /blocks/]
  ]
  it.each(wrong)(
    "is not so where it %s",
    (_, one, problem) => assert.match(waivedProblem([finding], one) ?? "", problem)
  )

  const unasked = () => assert.fail("no place is asked for")
  const asked = (one: WaivedBatch, script = Scripted.issues(), keeps: ReadonlyArray<string> = []) =>
    Effect.runPromise(Effect.provide(
      recheckWaived(runRef(), one),
      Layer.merge(
        Layer.mock(RunStore)({
          targetPlace: unasked,
          runPlaces: unasked,
          batchPlaces: unasked,
          keeps: (_, text) => Effect.succeed(keeps.includes(text))
        }),
        Layer.mock(ReviewFiles)({
          stored: () =>
            Effect.succeed({ missing: [], status: 0, journal: null, joined: true, evidence: evidenceOf(script) })
        })
      )
    ))

  it("is found where a step would have kept a text of it, and none is there", async () => {
    const one = waived([light])
    const kept = { ...one, flawed: { reviews: { ...reviews, waiversKept: true } } }
    assert.deepStrictEqual(await asked(kept, Scripted.issues(), [waiverText(one.event)]), [])
    const [word] = await asked(kept, Scripted.issues(), [waiverText({ ...one.event, block: 1 })])
    assert.deepInclude(word?._tag === "Found" ? word.finding : {}, { kind: "verdict", line: 4 })
  })

  it("is asked of the files", async () => {
    assert.deepStrictEqual(await asked(waived([light])), [])
    assert.deepInclude((await asked(waived([light], 1)))[0], { _tag: "Found" })
    // What became of the files is told where each review is checked.
    assert.deepInclude((await asked(waived([light]), Scripted.clean()))[0], { _tag: "Noted" })
  })
})
