// BareWord: sentences that tell nothing of a review.
import { assert, describe, it } from "vitest"
import { saysNothing } from "../../../../../src/core/verdict/prose/BareWord.ts"

describe("saysNothing", () => {
  it.each(["approve", "lgtm", "all done", "review complete", "the review has been completed", "i reviewed the diff"])(
    "of %s",
    (sentence) => assert.isTrue(saysNothing(sentence))
  )

  it.each(["", "the tests pass", "i reviewed the scheduler", "review complete: no issues", "the download is complete"])(
    "not of %j",
    (sentence) => assert.isFalse(saysNothing(sentence))
  )
})
