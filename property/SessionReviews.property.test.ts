// SessionReviews: in whatever order reviews end, the same FAILs are open.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  decodeSessionState,
  emptySession,
  encodeSessionState,
  type ReviewEnd,
  expire,
  recordFail,
  recordPass,
  recordUncertain,
  type SessionState
} from "../src/hook/Session.ts"

type Verdict = "PASS" | "FAIL" | "UNCERTAIN"

const verdicts = fc.array(
  fc.record({
    path: fc.constantFrom("/a", "/b", "/c"),
    change: fc.constantFrom("x", "y", "z"),
    verdict: fc.constantFrom<Verdict>("PASS", "FAIL", "UNCERTAIN")
  }),
  { minLength: 1, maxLength: 12 }
).map((all) => all.map(({ change, path, verdict }, i) => ({ ended: { path, change, seq: i + 1, at: i }, verdict })))

const apply = (state: SessionState, { ended, verdict }: { readonly ended: ReviewEnd; readonly verdict: Verdict }) => {
  switch (verdict) {
    case "PASS":
      return recordPass(state, ended)
    case "FAIL":
      return recordFail(state, ended, `why ${ended.seq}`)
    case "UNCERTAIN":
      return recordUncertain(state, ended)
  }
}

const shuffled = verdicts.chain((all) =>
  fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))
)

describe("the open FAILs", () => {
  it("are the same in whatever order the reviews end", () =>
    fc.assert(fc.property(shuffled, ([inOrder, anyOrder]) => {
      assert.deepStrictEqual(anyOrder.reduce(apply, emptySession).fails, inOrder.reduce(apply, emptySession).fails)
    })))

  it("are those that no later pass of their path follows", () =>
    fc.assert(fc.property(shuffled, ([all, anyOrder]) => {
      const state = anyOrder.reduce(apply, emptySession)
      for (const { ended, verdict } of all) {
        const passes = all.some((one) =>
          one.verdict === "PASS" && one.ended.path === ended.path && one.ended.seq > ended.seq
        )
        const isOpen = state.fails.some(({ change, path }) => path === ended.path && change === ended.change)
        if (verdict === "FAIL" && !passes) assert.isTrue(isOpen)
        if (verdict === "PASS") {
          assert.isFalse(state.fails.some(({ path, seq }) => path === ended.path && seq < ended.seq))
        }
      }
    })))

  it("are kept by the file, and by what expires", () =>
    fc.assert(fc.property(verdicts, (all) => {
      const state = all.reduce(apply, emptySession)
      assert.deepStrictEqual(decodeSessionState(encodeSessionState(state)), state)
      assert.deepStrictEqual(expire(state, 1000).fails, state.fails)
    })))
})
