// Path: the findings of each batch, the rounds that answered it, and the cost of each level.
import { assert, describe, it } from "vitest"
import { pathPart } from "../../../../src/read/report/Path.ts"
import { findingHistory } from "../../../../src/review/findings/History.ts"
import type { ReviewedBatch } from "../../../../src/review/findings/ReviewedBatch.ts"
import { lowestBar } from "../../../../src/review/findings/Waiving.ts"
import type { Event } from "../../../../src/run/Event.ts"
import type { Level } from "../../../../src/run/Level.ts"
import { batchOf, wrote } from "../../../support/reviewedBatches.ts"
import { factsOf, type Logs } from "../../../support/views.ts"
import { roundStarted } from "../../drive/converge/streams.ts"
import { batchStarted, finished, opened as advanced, started } from "../../run/events.ts"

/** A batch of two reviews: the start in one line, each review in its own line. */
const reviewed = (
  at: { readonly level: Level; readonly batch: number },
  ...verdicts: ReadonlyArray<"Clean" | "HasIssues">
) => [
  [batchStarted(at), ...[1, 2].map((slot) => started({ ...at, slot }))],
  ...verdicts.map((verdict, i): ReadonlyArray<Event> => [finished(verdict, { ...at, slot: i + 1 })])
]

const opened = (level: Level, batch: number) => advanced(level, batch, { cause: "Dropped" })

const pathOf = (logs: Logs, batches: ReadonlyArray<ReviewedBatch> = []) =>
  pathPart(factsOf(logs), { batches, history: findingHistory(batches), bar: lowestBar, notes: [] })

describe("a batch", () => {
  it("has its reviews and the rounds that answered it; a level has the sum of its batches", () => {
    const at = { level: "low", batch: 1 } as const
    const { batches, levels } = pathOf({
      review: reviewed(at, "Clean", "HasIssues"),
      driver: [roundStarted(), roundStarted({ round: 2 }), roundStarted({ round: 3, batch: 2 })]
    })
    assert.deepInclude(batches[0], { ...at, verdict: "Issues", reviews: 2, withIssues: 1, size: 2, rounds: [1, 2] })
    assert.deepInclude(levels[0], { level: "low", batches: 1, reviews: 2, millis: 2000 })
  })

  it("counts what it reports, what is new or back, what is missing and what may be unreported; nothing if it was not read", () => {
    const review = [
      ...reviewed({ level: "low", batch: 1 }, "Clean", "HasIssues"),
      [opened("low", 2)],
      ...reviewed({ level: "low", batch: 2 }, "Clean", "HasIssues"),
      [opened("low", 3)],
      ...reviewed({ level: "low", batch: 3 }, "Clean", "HasIssues")
    ]
    const [a, b] = [wrote(1), wrote(1, { title: "Close the file", path: "src/b.ts" })]
    const first = [a, wrote(2), b]
    const { batches } = pathOf({ review }, [batchOf(1, first), batchOf(2, [a]), batchOf(3, first, { read: false })])
    assert.deepStrictEqual(batches.map(({ counts }) => counts), [
      { open: 2, new: 2, gone: 0, unreported: { more: 1, low: 0, high: 6 } },
      { open: 1, new: 0, gone: 1, unreported: null },
      null
    ])
  })
})
