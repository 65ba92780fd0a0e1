// A review is read whether it comes as the asked object or as text, and its words do not repeat the verdict.
import { assert, describe, it } from "vitest"
import { readHookReview, reviewSchema } from "../../../src/hook/Verdict.ts"

describe("a review", () => {
  it.each([
    ['{"verdict":"FAIL","review":"- a"}', "FAIL", "- a"],
    [' {"verdict":"PASS","review":""}\n', "PASS", ""],
    ["PASS", "PASS", ""],
    ["**FAIL**\n- a\n- b", "FAIL", "- a\n- b"],
    ["Verdict: FAIL\n\n- a", "FAIL", "- a"],
    ["FAIL: it is wrong\n- a", "FAIL", "FAIL: it is wrong\n- a"],
    ["I cannot say.", "UNCERTAIN", "I cannot say."],
    ['{"verdict":"FAIL","verdict":"PASS","review":"- a"}', "UNCERTAIN", "- a"],
    ['{"verdict":"PASS","review":"FAIL: it leaks"}', "UNCERTAIN", "FAIL: it leaks"],
    ['{"verdict":"FAIL","review":"PASS"}', "FAIL", "PASS"],
    ["", "UNCERTAIN", ""]
  ])("%s", (text, verdict, words) => assert.deepStrictEqual(readHookReview(text), { verdict, text: words }))

  it("is asked for in a form whose every property is required", () => {
    assert.deepStrictEqual(Object.keys(reviewSchema.properties), [...reviewSchema.required])
    assert.isFalse(reviewSchema.additionalProperties)
  })
})
