// What opening a run refuses: a head that is not the one the caller knows.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { expectHead, HeadMoved } from "../../../src/step/OpenRun.ts"
import { initial } from "../../../src/run/Manifest.ts"
import { created } from "../run/events.ts"

const head = { seq: 3, hash: "abc" }
const run = {
  ref: { root: "/s", repoId: "r", targetKey: "uncommitted", runId: "1" },
  manifest: initial(created()),
  head
}
const refused = (expected: typeof head | null, found: typeof run | null) =>
  Effect.runSync(
    Effect.match(expectHead(expected, found), { onFailure: ({ message }) => message, onSuccess: () => null })
  )

describe("the head that a caller expects", () => {
  it("is none, or the run's", () => {
    assert.isNull(refused(null, run))
    assert.isNull(refused(null, null))
    assert.isNull(refused(head, run))
  })

  it("is not another line, another hash or that of no run", () => {
    const moved = "the run has moved on: expected head "
    const advice = " [look at it with replay]"
    assert.strictEqual(refused({ seq: 4, hash: "abc" }, run), `${moved}4:abc, found 3:abc${advice}`)
    assert.strictEqual(refused({ seq: 3, hash: "abd" }, run), `${moved}3:abd, found 3:abc${advice}`)
    assert.strictEqual(refused(head, null), `${moved}3:abc, found no such run${advice}`)
  })

  it("is data in the error", () => {
    const error = new HeadMoved({ expected: head, actual: null })
    assert.deepStrictEqual([error.expected, error.actual], [head, null])
  })
})
