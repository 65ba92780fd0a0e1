// SessionState: which verdict is the later one, what clears what, and how long things are kept.
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import {
  bounds,
  dismissed,
  edited,
  entered,
  found,
  fresh,
  letGo,
  present,
  type SessionState,
  SessionState as schema,
  settled,
  told
} from "../../../../src/core/hook/SessionState.ts"

const a = { key: "k1", path: "a.ts" }
const again = { key: "k2", path: "a.ts" }
const b = { key: "k3", path: "b.ts" }
const ended = (verdict: "PASS" | "FAIL" | "UNCERTAIN" | null, seq: number, at = 1000) => ({
  seq,
  verdict,
  reason: `reason ${seq}`,
  at
})
/** Reviews that begin one after the other, and end in any order. */
const after = (
  edits: ReadonlyArray<typeof a>,
  ends: ReadonlyArray<readonly [number, "PASS" | "FAIL" | "UNCERTAIN" | null]>
): SessionState => {
  const begun = edits.reduce((state, edit) => entered(state, edit, 7, 9000).state, fresh)
  return ends.reduce((state, [seq, verdict]) => {
    const edit = edits[seq - 1] ?? assert.fail("no such review")
    return settled(state, { ...edit, ...ended(verdict, seq) })
  }, begun)
}
const open = ({ fails }: SessionState) => fails.map(({ key }) => key)

describe("a review", () => {
  it("is pending until it has ended, and its file was edited in this turn", () => {
    const { seq, state } = entered(fresh, a, 7, 9000)
    assert.deepStrictEqual([seq, state.pending, state.edited], [1, [{ ...a, seq: 1, pid: 7, until: 9000 }], ["a.ts"]])
    assert.deepStrictEqual(found(state, "k1", 8999), { known: null, pending: true })
    assert.deepStrictEqual(found(state, "k1", 9000), { known: null, pending: false })
    assert.deepStrictEqual(after([a], [[1, null]]).pending, [])
  })

  it("that passes clears earlier FAILs of its path, whatever the order in which they end", () => {
    assert.deepStrictEqual(open(after([a, again], [[1, "FAIL"], [2, "PASS"]])), [])
    assert.deepStrictEqual(open(after([a, again], [[2, "PASS"], [1, "FAIL"]])), [])
    assert.deepStrictEqual(open(after([a, b], [[1, "FAIL"], [2, "PASS"]])), ["k1"])
  })

  it("that passes never clears a later FAIL", () => {
    assert.deepStrictEqual(open(after([a, again], [[1, "PASS"], [2, "FAIL"]])), ["k2"])
    assert.deepStrictEqual(open(after([a, again], [[2, "FAIL"], [1, "PASS"]])), ["k2"])
  })

  it("without a verdict changes nothing", () => {
    for (const verdict of ["UNCERTAIN", null] as const) {
      const state = after([a, again], [[1, "FAIL"], [2, verdict]])
      assert.deepStrictEqual([open(state), state.known.length], [["k1"], 1])
    }
  })

  it("is known for five minutes, and not by a clock that went backwards", () => {
    const state = after([a], [[1, "FAIL"]])
    assert.deepInclude(found(state, "k1", 1000).known, { verdict: "FAIL", reason: "reason 1" })
    assert.isNotNull(found(state, "k1", 999 + bounds.known).known)
    assert.isNull(found(state, "k1", 1000 + bounds.known).known)
    assert.isNull(found(state, "k1", 999).known)
    assert.isNull(found(state, "other", 1000).known)
  })
})

describe("what is kept", () => {
  it("is bounded, the newest of it", () => {
    const edits = Array.from({ length: 150 }, (_, i) => ({ key: `k${i}`, path: `f${i}` }))
    const state = present(after(edits, edits.map((_, i) => [i + 1, "FAIL"])), 2000)
    assert.deepStrictEqual([state.known.length, state.fails.length, state.fails[0]?.key], [100, 100, "k50"])
  })

  it("is open for a week", () => {
    const state = after([a], [[1, "FAIL"]])
    assert.lengthOf(present(state, 999 + bounds.fail).fails, 1)
    assert.lengthOf(present(state, 1000 + bounds.fail).fails, 0)
  })

  it("is dismissed by path, or all of it", () => {
    const state = after([a, b], [[1, "FAIL"], [2, "FAIL"]])
    assert.deepStrictEqual(open(dismissed(state, "a.ts")), ["k3"])
    assert.deepStrictEqual(open(dismissed(state, null)), [])
  })

  it("names each edited file once, until a Stop is let go", () => {
    const state = edited(edited(edited(fresh, "a.ts"), "b.ts"), "a.ts")
    assert.deepStrictEqual([state.edited, letGo(state).edited], [["b.ts", "a.ts"], []])
    assert.deepStrictEqual(told(fresh, "no codex").told, ["no codex"])
  })

  it("is read back as it was written, and nothing else is taken for it", () => {
    const decode = Schema.decodeUnknownSync(schema)
    const state = after([a, b], [[1, "FAIL"]])
    assert.deepStrictEqual(decode(JSON.parse(JSON.stringify(state))), state)
    for (const wrong of [null, {}, { ...state, v: 2 }, { ...state, seq: -1 }, { ...state, fails: [{}] }]) {
      assert.throws(() => decode(wrong))
    }
  })
})
