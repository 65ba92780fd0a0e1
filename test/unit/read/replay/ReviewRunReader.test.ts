// How the log of a review run is shown: each event has words, and the changes are those of the manifest.
import { assert, describe, it } from "vitest"
import { reviewRun } from "../../../../src/run/ReviewRun.ts"
import { reviewRunReader } from "../../../../src/read/replay/Readers.ts"
import { arbitraries } from "../../../../src/testing/Arbitraries.ts"
import { drawn } from "../../../support/drawn.ts"
import { created, opened } from "../../run/events.ts"
import { happenings } from "../audit/happenings.ts"

describe("the reader of a review run's log", () => {
  it("reads the kind that the program writes, and calls its state by its name", () => {
    assert.strictEqual(reviewRunReader.kind, reviewRun)
    assert.strictEqual(reviewRunReader.stateName, "manifest")
  })

  it("has one line of words for every event", () => {
    for (const event of drawn(arbitraries.event, 200)) assert.match(reviewRunReader.describe(event), /^[^\n]+$/)
  })

  it("tells what an event changed, and has words for the values", () => {
    const last = happenings([created()], [opened("medium", 1, { cause: "Advanced" })]).at(-1) ?? assert.fail("no event")
    const texts = reviewRunReader.changes(last)
      .map(({ after, before, field }) => [field, reviewRunReader.valueText(before), reviewRunReader.valueText(after)])
    assert.deepInclude(texts, ["current_level", "low", "medium"])
  })
})
