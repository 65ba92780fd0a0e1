// The real Codex CLI: the tokens of a review are recorded exactly as the model's service counted them.
// A review of several requests has their sum, cached input and reasoning included.
import { assert, describe, it } from "vitest"
import { changed, judged, ONE_SLOT, step } from "./judged.ts"
import { only, recorded } from "./recorded.ts"

const first = { input: 1234, cached: 200, output: 56, reasoning: 7 }
const second = { input: 23_456, cached: 1234, output: 890, reasoning: 123 }
const third = { input: 34_567, cached: 23_000, output: 1011, reasoning: 0 }
const sum = { input: 59_257, cached: 24_434, output: 1957, reasoning: 130 }
const clean = "I did not find any actionable correctness issues in the diff."

describe("the tokens of a review", () => {
  it("of several requests are the sum of what the service counted", () =>
    changed(
      () => ({ outputs }) =>
        outputs.length < 2
          ? { _tag: "Command", cmd: "git diff", tokens: outputs.length === 0 ? first : second }
          : { _tag: "Message", text: clean, tokens: third },
      async (bench) => {
        await step(bench)
        const [review] = only(recorded(bench.stateRoot, "uncommitted"), "ReviewFinished")
        assert.deepStrictEqual(review?.usage, sum)
        assert.lengthOf(bench.requests, 3)
      }
    ))

  it("are counted for each review by itself if several run at once", () =>
    changed(
      () => {
        let asked = 0
        return ({ outputs }) =>
          outputs.length === 0
            ? { _tag: "Command", cmd: "git diff", tokens: { ...first, output: 100 + asked++ } }
            : { _tag: "Message", text: clean, tokens: second }
      },
      async (bench) => {
        await bench.step(...ONE_SLOT.slice(0, -1), "3")
        const reviews = only(recorded(bench.stateRoot, "uncommitted"), "ReviewFinished")
        assert.deepStrictEqual(reviews.map(({ usage }) => usage?.output).sort(), [990, 991, 992])
      }
    ))

  it("of a review that failed are recorded too", () =>
    changed(
      () => ({ outputs }) =>
        outputs.length === 0
          ? { _tag: "Command", cmd: "git diff", tokens: first }
          : { _tag: "Refusal", status: 429, error: { type: "usage_limit_reached", message: "limit" }, headers: {} },
      async (bench) => {
        await step(bench)
        const [failure] = only(recorded(bench.stateRoot, "uncommitted"), "ReviewFailed")
        assert.strictEqual(failure?.kind, judged(bench))
        assert.deepStrictEqual(failure?.usage, first)
      }
    ))
})
