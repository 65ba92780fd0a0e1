// Reviewing: what a mark may need of the reviewers is loaded as one.
import { assert, it } from "vitest"
import * as EndReviews from "../../../src/ooda/EndReviews.ts"
import { recordWaivers } from "../../../src/ooda/RecordWaivers.ts"
import * as Reviewing from "../../../src/ooda/Reviewing.ts"
import { waiversOf } from "../../../src/runs/Waivers.ts"

it("is what ends reviews, what judges them, and what records that", () => {
  const { end, endReviews, takeInReadable } = EndReviews
  assert.deepStrictEqual({ ...Reviewing }, { end, endReviews, takeInReadable, recordWaivers, waiversOf })
})
